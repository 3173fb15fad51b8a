internal import SQLiteStorage

// What is true of parts of a resolved SELECT.

extension DerivationFinder {
  /// Whether an expression contains an aggregate function of its own SELECT, or of one around it.
  func hasAggregate(_ expression: Expression) -> Bool {
    expression.contains(where: isAggregate)
  }

  func isAggregate(_ expression: Expression) -> Bool {
    guard case .call(let call) = expression.kind, !call.isWindowed else { return false }
    let name = call.name.sqliteFolded
    guard aggregates.contains(name) else { return false }
    return !["min", "max"].contains(name) || call.arguments.count == 1
  }

  func hasWindow(_ expression: Expression) -> Bool {
    expression.contains { if case .call(let call) = $0.kind { call.isWindowed } else { false } }
  }

  func isGrouped(_ core: SelectCore) -> Bool {
    !core.groupBy.isEmpty || core.having != nil || core.outputs.contains(where: hasAggregate)
  }

  /// The windows of a SELECT, each by the expressions of its PARTITION BY.
  func partitions(_ core: SelectCore) -> [[Expression]] {
    var partitions: [[Expression]] = []
    for output in core.outputs {
      output.forEach { part in
        guard case .call(let call) = part.kind, let window = call.window else { return }
        if !partitions.contains(window.partitionBy) {
          partitions.append(window.partitionBy)
        }
      }
    }
    return partitions
  }

  /// Whether the value is the same for all rows for which some expressions are the same.
  func isDetermined(_ expression: Expression, by groups: Set<Expression>) -> Bool {
    groups.contains(expression) || isComputed(expression, from: groups)
  }

  /// Whether it is computed from values that are the same if they are equal.
  private func isComputed(_ expression: Expression, from groups: Set<Expression>) -> Bool {
    switch expression.kind {
    case .column: return groups.contains(expression) && isExact(expression)
    case .call(let call) where call.isWindowed: return false
    default: break
    }
    guard !isAggregate(expression), expression.selects.isEmpty else { return false }
    return expression.children.allSatisfy { isComputed($0, from: groups) }
  }

  /// Whether equal values of a column are the same: not texts of another collation than BINARY, and
  /// not an integer and a real.
  private func isExact(_ column: Expression) -> Bool {
    guard collation(column, []) == "BINARY", case .column(let reference) = column.kind,
      table(reference.item) != nil
    else { return false }
    return !isOfAnyType(column) && affinity(column, []) ?? "BLOB" != "BLOB"
  }

  /// Whether it is a column of type ANY, which a STRICT table stores as it is given.
  func isOfAnyType(_ expression: Expression) -> Bool {
    guard case .column(let reference) = expression.kind else { return false }
    return table(reference.item)?.column(reference)?.type.sqliteFolded == "any"
  }

  func isDetermined(_ expression: Expression, by groups: [Expression]) -> Bool {
    isDetermined(expression, by: Set(groups))
  }

  /// The columns that identify a row of an item; nil if nothing does.
  func key(of item: FromItem) -> [Expression]? {
    switch item.source {
    case .table:
      return table(item.number).map { table in
        table.key.map { .column(item.number, .named($0.exact)) }
      }
    case .group: return nil
    case .select(let select):
      let core = select.arms[0].core
      if let values = core.values {
        return (values.first ?? []).indices.map { .column(item.number, .value($0)) }
      }
      let columns = core.outputs.indices.map { Expression.column(item.number, .output($0)) }
      guard select.arms.count == 1, !core.groupBy.isEmpty else { return columns }
      let groups = core.groupBy.map { core.outputs.firstIndex(of: $0) }
      return groups.contains(nil) ? columns : groups.compactMap { $0.map { columns[$0] } }
    }
  }

  /// The collation that comparisons of a value use; nil if the value has none of its own.
  func collation(_ expression: Expression, _ items: [FromItem]) -> String? {
    switch expression.kind {
    case .collate(_, let name): return name.text.uppercased()
    case .cast(let operand, _), .prefix("+", let operand): return collation(operand, items)
    case .column(let column):
      if let table = table(column.item) {
        return table.column(column)?.collation.uppercased() ?? "BINARY"
      }
      guard let item = items.first(where: { $0.number == column.item }),
        case .select(let select) = item.source, case .output(let index) = column.column
      else { return "BINARY" }
      return collation(ofColumn: index, select) ?? "BINARY"
    default: return nil
    }
  }

  /// The collation of a column of a compound: that of the first SELECT that has one.
  func collation(ofColumn index: Int, _ select: SelectTree) -> String? {
    select.arms.lazy.compactMap { arm in
      arm.core.outputs.indices.contains(index)
        ? self.collation(arm.core.outputs[index], arm.core.from) : nil
    }.first
  }

  /// The affinity of a value; nil if it has none.
  func affinity(_ expression: Expression, _ items: [FromItem]) -> String? {
    switch expression.kind {
    case .collate(let operand, _): return affinity(operand, items)
    case .cast(_, let type): return TableDescription.Column.affinity(ofType: type)
    case .select(let select):
      return select.arms[0].core.outputs.first.flatMap { affinity($0, select.arms[0].core.from) }
    case .column(let column):
      if let table = table(column.item) {
        return table.column(column).map { TableDescription.Column.affinity(ofType: $0.type) }
          ?? "INTEGER"
      }
      guard let item = items.first(where: { $0.number == column.item }),
        case .select(let select) = item.source, case .output(let index) = column.column,
        select.arms[0].core.outputs.indices.contains(index)
      else { return nil }
      return affinity(select.arms[0].core.outputs[index], select.arms[0].core.from)
    default: return nil
    }
  }

  /// Whether comparisons treat a column of a compound in the same way, no matter which SELECT its
  /// value is from. If not, SQLite's plan decides about them. They treat NULL alike in any column; in the first SELECT
  /// it would decide how the values of the others are treated.
  func hasUniformColumns(_ tree: SelectTree) -> Bool {
    guard tree.arms.count > 1, let first = tree.arms.first?.core else { return true }
    return tree.arms.allSatisfy { arm in
      guard arm.core.values == nil, first.values == nil else {
        return arm.core.values != nil && first.values != nil
      }
      return zip(arm.core.outputs, first.outputs).allSatisfy { output, other in
        output == .null
          || affinity(output, arm.core.from) ?? "BLOB" == affinity(other, first.from) ?? "BLOB"
            && collation(output, arm.core.from) ?? "BINARY" == collation(other, first.from)
              ?? "BINARY"
      }
    }
  }

  /// Whether a value of some items cannot be NULL. Items around them may be those of a LEFT JOIN.
  func isNeverNull(_ expression: Expression, from items: [FromItem]) -> Bool {
    expression.items.isSubset(of: items.numbers)
      && isNeverNull(expression, optional: items.optional)
  }

  func isNeverNull(_ expression: Expression, optional: Set<Int>) -> Bool {
    switch expression.kind {
    case .literal(let text): return text.text.uppercased() != "NULL"
    case .column(let column):
      guard !optional.contains(column.item), let table = table(column.item) else { return false }
      let name = column.column.name.sqliteFolded
      return table.key.contains { $0.sqliteFolded == name }
        || table.column(column)?.isNotNull == true
    case .call(let call): return call.name.sqliteFolded == "count"
    case .collate(let operand, _), .cast(let operand, _), .prefix("+", let operand):
      return isNeverNull(operand, optional: optional)
    default: return false
    }
  }
}

extension SelectSchema.Table {
  /// The column that is referred to; nil for the rowid.
  fileprivate func column(_ reference: Expression.ColumnReference) -> SelectSchema.Column? {
    columns.first { $0.name.sqliteFolded == reference.column.name.sqliteFolded }
  }
}

extension [FromItem] {
  var numbers: Set<Int> { Set(map(\.number)) }

  /// The numbers of the items that a LEFT JOIN may leave without a row.
  var optional: Set<Int> { Set(filter { $0.join == .left }.map(\.number)) }
}

extension SelectTree {
  /// The numbers of all items in it, at any depth.
  var innerNumbers: Set<Int> {
    let own = arms.reduce(into: Set<Int>()) { $0.formUnion($1.core.from.allNumbers) }
    return selects.reduce(into: own) { $0.formUnion($1.innerNumbers) }
  }

  /// The items outside of it whose columns it uses.
  var outerItems: Set<Int> { Set(columns.map(\.item)) }
}
