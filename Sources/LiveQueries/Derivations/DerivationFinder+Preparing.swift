internal import SQLiteStorage

// The form of a SELECT in which derivations are searched.

extension DerivationFinder {
  /// Checks what no reference has a derivation through, and puts the items of SELECTs that only join and
  /// filter into the FROM around them.
  func prepared(_ tree: SelectTree) throws(SelectRefusal) -> SelectTree {
    guard tree.limit == nil else { throw SelectRefusal("the SELECT has a LIMIT") }
    var tree = tree
    for index in tree.arms.indices {
      tree.arms[index].core = try prepared(
        tree.arms[index].core, &tree.orderBy, keepsOrder: false)
    }
    tree.orderBy = []
    return tree
  }

  /// - Parameter keepsOrder: whether the order of its rows decides a value, as if only its first row is
  ///   used.
  private func preparedNested(
    _ tree: SelectTree, keepsOrder: Bool
  ) throws(SelectRefusal) -> SelectTree {
    let others = tree.orderBy.map(\.expression) + [tree.limit, tree.offset].compactMap(\.self)
    guard others.allSatisfy(\.selects.isEmpty) else {
      throw SelectRefusal("an ORDER BY or LIMIT has a subquery")
    }
    let usesOrder = keepsOrder || tree.limit != nil
    if usesOrder {
      // What is refused in another expression is refused in an order that matters.
      for expression in others { _ = try prepared(expression) }
    }
    var tree = tree
    // Its own ORDER BY comes before those inside.
    let usesInnerOrder = usesOrder && tree.orderBy.isEmpty
    for index in tree.arms.indices {
      tree.arms[index].core = try prepared(
        tree.arms[index].core, &tree.orderBy, keepsOrder: usesInnerOrder)
    }
    guard hasUniformColumns(tree) else {
      throw SelectRefusal("the SELECTs of a compound differ in the types or collations of a column")
    }
    return tree
  }

  private func prepared(
    _ core: SelectCore, _ orderBy: inout [OrderingTerm], keepsOrder: Bool
  ) throws(SelectRefusal) -> SelectCore {
    try checkAggregates(core)
    // Aggregates without GROUP BY are one row.
    let isOneRow = isGrouped(core) && core.groupBy.isEmpty
    let keepsOrder = keepsOrder && !isOneRow || dependsOnOrder(core)
    guard (core.values ?? []).joined().allSatisfy(\.selects.isEmpty) else {
      throw SelectRefusal("VALUES has a subquery")
    }
    var core = core
    var terms: [Expression] = []
    core.from = try flattened(core.from, &terms)
    core.require(terms)
    for index in core.from.indices {
      if case .select(let select) = core.from[index].source {
        core.from[index].source = .select(try preparedNested(select, keepsOrder: keepsOrder))
      }
      core.from[index].on = try core.from[index].on.map(prepared)
    }
    core.columns = try core.columns.map { column throws(SelectRefusal) in
      try column.mapValue(prepared)
    }
    core.condition = try core.condition.map(prepared)
    core.having = try core.having.map(prepared)
    core.groupBy = try core.groupBy.map(prepared)
    while let index = core.from.firstIndex(where: { isMergeable($0, keepsOrder: keepsOrder) }) {
      merge(index, into: &core, &orderBy)
    }
    for case .select(let select) in core.from.map(\.source) where !select.outerItems.isEmpty {
      throw SelectRefusal("a SELECT in FROM uses columns of a SELECT around it")
    }
    try checkGroups(core)
    return core
  }

  private func prepared(_ expression: Expression) throws(SelectRefusal) -> Expression {
    switch expression.kind {
    case .column(let column)
    where table(column.item)?.isFullText == true && column.column.name.sqliteFolded == "rank":
      throw SelectRefusal("the rank of a full-text index depends on all of its rows")
    case .call(let call) where call.name.sqliteFolded == "bm25":
      throw SelectRefusal("bm25() depends on all rows of a full-text index")
    default: break
    }
    return try expression.mapChildren(
      { child throws(SelectRefusal) in try prepared(child) },
      // A SELECT as a value is its first row. IN and EXISTS use all of them.
      select: { select throws(SelectRefusal) in
        let isValue = if case .select = expression.kind { true } else { false }
        return try preparedNested(select, keepsOrder: isValue)
      })
  }

  /// The items without parentheses around joins. Only LEFT JOIN keeps its condition: what other joins require is a term
  /// of WHERE, where each term is looked at in the same way.
  private func flattened(
    _ items: [FromItem], _ terms: inout [Expression]
  ) throws(SelectRefusal) -> [FromItem] {
    var result: [FromItem] = []
    // ``OuterJoins`` has replaced RIGHT and FULL JOIN, and joins in parentheses that are joined by LEFT JOIN.
    for item in items {
      guard case .group(let inner) = item.source else {
        var item = item
        // CROSS JOIN would make SQLite begin with the tables before it, no matter which is bound.
        if item.join == .cross { item.join = .inner }
        if item.join != .left, let on = item.on {
          terms.append(on)
          item.on = nil
        }
        result.append(item)
        continue
      }
      var nested = try flattened(inner, &terms)
      nested[0].join = item.join
      result += nested
      if let on = item.on { terms.append(on) }
    }
    return result
  }

  // MARK: - Merging

  /// Whether an item is a SELECT that only joins, filters and computes.
  private func isMergeable(_ item: FromItem, keepsOrder: Bool) -> Bool {
    guard item.join != .left, case .select(let select) = item.source, select.arms.count == 1,
      select.limit == nil
    else { return false }
    // With columns of a SELECT around, it leads to rows of that one in any order.
    guard select.orderBy.isEmpty || !keepsOrder || !select.outerItems.isEmpty else { return false }
    let core = select.arms[0].core
    return core.values == nil && !core.isDistinct && !core.from.isEmpty && !isGrouped(core)
      && core.outputs.allSatisfy { output in
        // A column of a SELECT has a collation, which an expression in its place would not have.
        if case .column = output.kind { return true }
        return !hasCollations && output.selects.isEmpty && !hasWindow(output)
      }
  }

  /// Whether the values of a SELECT may depend on the order of the rows that it reads: a list of them
  /// does, and a window without a complete order.
  private func dependsOnOrder(_ core: SelectCore) -> Bool {
    (core.outputs + [core.having].compactMap(\.self)).contains { expression in
      expression.contains { part in
        guard case .call(let call) = part.kind else { return false }
        return call.isWindowed
          || isAggregate(part) && !WindowTies.commutative.contains(call.name.sqliteFolded)
      }
    }
  }

  private func merge(
    _ index: Int, into core: inout SelectCore, _ orderBy: inout [OrderingTerm]
  ) {
    let item = core.from[index]
    guard case .select(let select) = item.source else { return }
    let inner = select.arms[0].core
    var items = inner.from
    items[0].join = item.join
    core.from.replaceSubrange(index...index, with: items)
    core.require([item.on, inner.condition].compactMap(\.self))
    let substitution = Substitution(select, item: item.number)
    core = substitution.apply(to: core)
    orderBy = substitution.apply(to: orderBy)
  }

  // MARK: - Groups

  /// Refuses aggregates in a subquery that belong to the SELECT around it.
  private func checkAggregates(_ core: SelectCore) throws(SelectRefusal) {
    var isOuter = false
    for expression in core.clauses {
      expression.forEach { part in
        guard isAggregate(part), case .call(let call) = part.kind else { return }
        let items = call.arguments.reduce(into: Set<Int>()) { $0.formUnion($1.items) }
        if !items.isEmpty, items.isDisjoint(with: core.from.allNumbers) { isOuter = true }
      }
    }
    guard !isOuter else {
      throw SelectRefusal("a subquery has an aggregate of the SELECT around it")
    }
  }

  /// Refuses columns of a grouped SELECT whose row SQLite chooses.
  private func checkGroups(_ core: SelectCore) throws(SelectRefusal) {
    guard isGrouped(core) else { return }
    guard !core.groupBy.contains(where: { !$0.selects.isEmpty }) else {
      throw SelectRefusal("GROUP BY has a subquery")
    }
    let determined = determined(by: core.groupBy, in: core)
    if let column = bareColumn(in: core, determined.values) {
      throw SelectRefusal("SQLite chooses the row of \(column), which GROUP BY does not determine")
    }
  }

  /// The values that are the same for all rows of a group: the terms of GROUP BY, and the columns of
  /// tables one of whose keys they determine, also of tables in a SELECT of FROM.
  ///
  /// - Returns: also the columns of keys that several rows may lack. What these keys determine is only the
  ///   same where they are not NULL.
  func determined(
    by groups: [Expression], in core: SelectCore
  ) -> (values: Set<Expression>, sharedKeys: [Expression]) {
    var values = Set(groups)
    var sharedKeys: [Expression] = []
    for mayBeNull in [false, true] {
      // A key that may be NULL is only of interest if the SELECT needs what it determines.
      if mayBeNull, bareColumn(in: core, values) == nil { break }
      for item in core.from {
        if case .select(let select) = item.source {
          for (key, columns) in dependencies(of: select) {
            let key = key.map { Expression.column(item.number, .output($0)) }
            guard key.allSatisfy({ isDetermined($0, by: values) }) else { continue }
            values.formUnion(columns.map { .column(item.number, .output($0)) })
          }
        }
        guard let table = table(item.number) else { continue }
        let keys = mayBeNull ? table.sharedKeys.columns(of: item) : uniqueKeys(of: item)
        guard let key = keys.first(where: { $0.allSatisfy { isDetermined($0, by: values) } }) else {
          continue
        }
        if mayBeNull { sharedKeys += key.filter { !isNeverNull($0, from: core.from) } }
        values.formUnion(table.columns.map { .column(item.number, .named($0.name.exact)) })
      }
    }
    return (values, sharedKeys)
  }

  /// A column of a grouped SELECT that is not the same for all rows of a group.
  private func bareColumn(in core: SelectCore, _ values: Set<Expression>) -> String? {
    (core.outputs + [core.having].compactMap(\.self)).lazy
      .compactMap { bareColumn(in: $0, values, core.from.numbers) }.first
  }

  private func bareColumn(
    in expression: Expression, _ groups: Set<Expression>, _ numbers: Set<Int>
  ) -> String? {
    if groups.contains(expression) || isAggregate(expression) { return nil }
    if case .column(let column) = expression.kind {
      return numbers.contains(column.item) ? column.column.name : nil
    }
    for select in expression.selects {
      for column in select.columns where numbers.contains(column.item) {
        guard groups.contains(Expression(.column(column))) else { return column.column.name }
      }
    }
    return expression.children.lazy.compactMap { bareColumn(in: $0, groups, numbers) }.first
  }
}

extension SelectCore {
  /// Adds terms to WHERE.
  mutating func require(_ terms: [Expression]) {
    condition = Expression.all((condition?.terms ?? []) + terms.flatMap(\.terms))
  }
}
