internal import SQLiteStorage

/// Replaces columns by expressions, and items of FROM by others.
struct Substitution {
  /// The expression for a column; nil if the column stays.
  let value: (Expression.ColumnReference) -> Expression?
  /// What an item becomes whose own columns are replaced.
  let item: (FromItem) -> FromItem

  init(
    _ value: @escaping (Expression.ColumnReference) -> Expression?,
    item: @escaping (FromItem) -> FromItem = { $0 }
  ) {
    self.value = value
    self.item = item
  }

  /// Replaces the columns of a SELECT in FROM by what they are in it.
  init(_ select: SelectTree, item: Int) {
    let outputs = select.arms[0].core.outputs
    self.init({ column in
      guard column.item == item, case .output(let position) = column.column else { return nil }
      return outputs[position]
    })
  }

  func apply(to expression: Expression) -> Expression {
    if case .column(let column) = expression.kind, let value = value(column) { return value }
    return expression.mapChildren(apply(to:), select: apply(to:))
  }

  func apply(to tree: SelectTree) -> SelectTree {
    var tree = tree.mapCores(apply(to:))
    tree.orderBy = apply(to: tree.orderBy)
    return tree
  }

  func apply(to terms: [OrderingTerm]) -> [OrderingTerm] {
    terms.map { OrderingTerm(expression: apply(toTerm: $0.expression), suffix: $0.suffix) }
  }

  func apply(to core: SelectCore) -> SelectCore {
    var mapped = core.mapParts(apply(to:), select: apply(to:))
    mapped.groupBy = core.groupBy.map(apply(toTerm:))
    mapped.from = mapped.from.map(item)
    return mapped
  }

  func apply(to item: FromItem) -> FromItem {
    self.item(item.mapParts(apply(to:), select: apply(to:)))
  }

  /// A term of ORDER BY or GROUP BY, where a number would mean a column.
  private func apply(toTerm expression: Expression) -> Expression {
    let value = apply(to: expression)
    return expression.integer == nil && value.integer != nil
      ? Expression(.literal("NULL")) : value
  }
}
