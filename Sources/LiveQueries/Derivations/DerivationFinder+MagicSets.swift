// SQLite moves a condition into a grouped or combined SELECT if it is a comparison with a value,
// but not if it is a join. So the values that the join can ask for are put into the WHERE of the
// SELECT: in `a JOIN (SELECT x, sum(n) FROM c GROUP BY x) g ON g.x = a.id`, where a.id is bound,
// the SELECT gets `WHERE x IN (SELECT a.id FROM a WHERE a.id IS ?)`.
//
// Source: F. Bancilhon and others, *Magic sets and other strange ways to implement logic programs*
// (1986).

extension DerivationFinder {
  /// A query, with conditions put into its SELECTs.
  func query(_ core: SelectCore) -> PlanQuery { PlanQuery(pushed(core), of: core, roles) }

  /// The tree with conditions put into its SELECTs. It returns the same rows.
  func pushed(_ tree: SelectTree) -> SelectTree { linked(correlated(tree)) }

  private func pushed(_ core: SelectCore) -> SelectCore { linked(correlated(core)) }

  // MARK: - IN

  private func correlated(_ tree: SelectTree) -> SelectTree { tree.mapCores(correlated) }

  /// Limits the lists of IN to the value that is searched in them: a list would be built of all
  /// rows.
  private func correlated(_ core: SelectCore) -> SelectCore {
    var core = core
    for index in core.from.indices {
      guard case .select(let select) = core.from[index].source else { continue }
      core.from[index].source = .select(correlated(select))
    }
    let own = core
    core.mapTerms {
      correlated($0, in: own, isTerm: true)
    } outputs: {
      correlated($0, in: own, isTerm: false)
    }
    return core
  }

  private func correlated(
    _ expression: Expression, in core: SelectCore, isTerm: Bool
  ) -> Expression {
    if case .inSelect(let value, let isNegated, let select) = expression.kind,
      isTerm && !isNegated || areNeverNull(value, in: core, select), select.outerItems.isEmpty,
      value.selects.isEmpty, !hasAggregate(value), !value.isRow,
      !select.hasKey,
      let limited = limited(select, 0, by: { .binary(value, "=", $0) }, value)
    {
      let inner = correlated(limited)
      return Expression(.inSelect(value, isNegated: isNegated, inner))
    }
    return expression.mapChildren(
      { correlated($0, in: core, isTerm: false) }, select: correlated(_:))
  }

  /// Whether IN is true or false for all rows, so that values that are not searched do not matter.
  private func areNeverNull(
    _ value: Expression, in core: SelectCore, _ select: SelectTree
  ) -> Bool {
    isNeverNull(value, from: core.from) && areNeverNull(select)
  }

  // MARK: - Joins

  private func linked(_ tree: SelectTree) -> SelectTree { tree.mapCores(linked) }

  private func linked(_ core: SelectCore) -> SelectCore {
    var core = core
    for index in core.from.indices {
      guard case .select(var select) = core.from[index].source else { continue }
      for (column, value) in links(to: index, in: core) {
        var values: SelectTree?
        if !value.items.isDisjoint(with: core.from.numbers) {
          values = source(of: value, besides: index, in: core)
          if values == nil { continue }
        }
        // The column is on the left: its collation is that of the join.
        let limited = limited(
          select, column,
          by: { output in values.map(output.isIn) ?? .binary(output, "=", value) },
          values == nil ? value : nil)
        if let limited { select = limited }
      }
      core.from[index].source = .select(linked(select))
    }
    core.mapTerms(linked(_:), outputs: linked(_:))
    return core
  }

  private func linked(_ expression: Expression) -> Expression {
    expression.mapChildren(linked(_:), select: linked(_:))
  }

  /// The equations of the columns of an item with values of other items.
  private func links(to index: Int, in core: SelectCore) -> [(column: Int, value: Expression)] {
    let item = core.from[index]
    var terms = item.on?.terms ?? []
    if item.join != .left {
      terms += core.condition?.terms ?? []
      for other in core.from where other.join != .left && other.number != item.number {
        terms += other.on?.terms ?? []
      }
    }
    return terms.compactMap { term in
      guard case .binary(let left, let sign, let right) = term.kind, sign == "=" || sign == "==",
        // A COLLATE on either side comes before the collations of columns.
        term.selects.isEmpty, !hasAggregate(term), !term.hasCollation
      else { return nil }
      for (side, value) in [(left, right), (right, left)] {
        guard case .column(let column) = side.kind, column.item == item.number,
          case .output(let position) = column.column, !value.items.isEmpty,
          !value.items.contains(item.number), case .select(let select) = item.source
        else { continue }
        let own = collation(ofColumn: position, select) ?? "BINARY"
        let compared =
          collation(left, core.from) ?? collation(right, core.from) ?? "BINARY"
        if own == compared { return (position, value) }
      }
      return nil
    }
  }

  /// The values of an expression that rows of tables joined with an item have.
  private func source(
    of value: Expression, besides index: Int, in core: SelectCore
  ) -> SelectTree? {
    let candidates = core.from.filter { item in
      guard item.join != .left, item.number != core.from[index].number else { return false }
      if case .select = item.source { return false }
      return true
    }
    let known = candidates.numbers
    let terms = (core.condition?.terms ?? []) + candidates.flatMap { $0.on?.terms ?? [] }
    let usable = terms.filter { term in
      !hasAggregate(term) && term.items.isSubset(of: known)
        && term.selects.allSatisfy(\.outerItems.isEmpty)
    }
    var items = value.items
    guard items.isSubset(of: known) else { return nil }
    // Items that the terms connect, among which is the one that is bound.
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for term in usable {
        let used = term.items.intersection(known)
        guard !used.isDisjoint(with: items), !used.isSubset(of: items) else { continue }
        items.formUnion(used)
        isGrowing = true
      }
    }
    var source = SelectCore()
    source.from = candidates.filter { items.contains($0.number) }.map { item in
      var item = item
      (item.on, item.join) = (nil, .inner)
      return item
    }
    for item in source.from where !item.allColumns.map(\.item).allSatisfy(items.contains) {
      return nil
    }
    source.require(usable.filter { $0.items.intersection(known).isSubset(of: items) })
    let select = SelectTree(source.selecting([value]))
    // All values of a table would limit nothing. Conditions in conditions would grow without end.
    return select.hasKey && select.sql.utf8.count < 4_000 ? select : nil
  }

  /// A SELECT, limited by a condition on a column.
  ///
  /// - Parameter value: what the condition uses of a SELECT around it.
  /// - Returns: nil if the condition cannot be put into each of its SELECTs.
  private func limited(
    _ tree: SelectTree, _ column: Int, by condition: (Expression) -> Expression,
    _ value: Expression?
  ) -> SelectTree? {
    // A copy of a SELECT has the items of the SELECT itself.
    guard tree.limit == nil, tree.innerNumbers.isDisjoint(with: value?.items ?? []) else {
      return nil
    }
    var tree = tree
    for index in tree.arms.indices {
      var core = tree.arms[index].core
      guard core.values == nil, core.outputs.indices.contains(column) else { return nil }
      let output = core.outputs[column]
      guard partitions(core).allSatisfy({ isDetermined(output, by: $0) }),
        !isGrouped(core) || !core.groupBy.isEmpty && isDetermined(output, by: core.groupBy),
        output.selects.isEmpty
      else { return nil }
      core.require([condition(output)])
      tree.arms[index].core = core
    }
    return tree
  }
}

extension Expression {
  fileprivate var isRow: Bool { if case .row = kind { true } else { false } }
}

extension SelectCore {
  /// Replaces the terms of WHERE and HAVING, and the columns.
  fileprivate mutating func mapTerms(
    _ map: (Expression) -> Expression, outputs mapOutput: (Expression) -> Expression
  ) {
    condition = Expression.all((condition?.terms ?? []).map(map))
    having = Expression.all((having?.terms ?? []).map(map))
    columns = columns.map { $0.mapValue(mapOutput) }
  }
}
