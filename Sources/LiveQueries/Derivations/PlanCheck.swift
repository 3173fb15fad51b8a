/// Proves of the queries of a ``LivePlan`` what their derivations rely on. A query that does not pass has no
/// part in a plan: both versions are compared.
///
/// It looks at each query as it was composed, before conditions are put into its SELECTs, which does not
/// change its rows.
struct PlanCheck {
  let finder: DerivationFinder

  /// Checks that a derivation begins at each reference to a table.
  ///
  /// - Parameter reached: the items at which one does.
  func checkThatAllTablesAreReached(by reached: Set<Int>) throws(SelectRefusal) {
    for (number, table) in finder.tables.enumerated() where !reached.contains(number) {
      if let table { throw SelectRefusal("\(table.name) is read where no derivation begins") }
    }
  }

  /// Why a derivation may miss a row; nil if it does not.
  ///
  /// - Parameter item: the reference to a table at which it begins.
  func objection(to derivation: LivePlan.Derivation, of item: Int) -> String? {
    let queries: [PlanQuery]
    switch derivation {
    case .queries(let all), .invalidation(let all): queries = all
    case .value, .none: return nil
    }
    let composed = queries.compactMap(\.composed).map { SelectTree($0) }
    // The first query finds the rows that contain the touched row. A condition that reads the same table at
    // the same reference asks whether they are in the result, which they may not be in either version.
    if let first = composed.first, first.occurrences(of: item) > 1 {
      return "a condition on the rows that depend on a table reads the table itself"
    }
    return composed.lazy.compactMap(objection).first
  }

  /// Checks a SELECT for the rows of some keys.
  func check(_ tree: SelectTree) throws(SelectRefusal) {
    if let reason = objection(to: tree) { throw SelectRefusal(reason) }
  }

  /// Why a SELECT for the rows of some keys may compute a value of a part of the rows; nil if it does not.
  ///
  /// What restricts rows is a condition with a key. It passes a window, a GROUP BY or a LIMIT only if it is
  /// true of all rows that are computed together, or of none.
  func objection(to tree: SelectTree) -> String? { objection(to: tree, isFiltered: false) }

  /// - Parameter isFiltered: whether the SELECT around requires a key of its rows.
  private func objection(to tree: SelectTree, isFiltered: Bool) -> String? {
    // Most SELECTs in a query have no key, and nothing to check.
    guard tree.hasKey else { return nil }
    // Found once: each search goes through all SELECTs in the conditions.
    let cores = tree.arms.map { (core: $0.core, restrictions: $0.core.restrictions) }
    if tree.limit != nil || tree.offset != nil,
      cores.contains(where: { !$0.restrictions.isEmpty })
    {
      return "a restriction to some rows would come before a LIMIT"
    }
    for (core, restrictions) in cores {
      if let reason = objection(to: core, restrictions, isFiltered: isFiltered) { return reason }
      let filtered = restrictions.reduce(into: Set<Int>()) { $0.formUnion($1.items) }
      for item in core.from {
        guard case .select(let select) = item.source else { continue }
        if let reason = objection(to: select, isFiltered: filtered.contains(item.number)) {
          return reason
        }
      }
      for select in (core.clauses + core.from.flatMap(\.expressions)).flatMap(\.selects) {
        if let reason = objection(to: select, isFiltered: false) { return reason }
      }
    }
    return nil
  }

  private func objection(
    to core: SelectCore, _ restrictions: [Expression], isFiltered: Bool
  ) -> String? {
    let own = core.from.allNumbers
    let groups = core.groupBy
    if finder.isGrouped(core),
      !restrictions.allSatisfy({ isDivided($0, by: groups, of: own) && !groups.isEmpty })
    {
      return "a restriction to some rows would take a part of a group"
    }
    let partitions = finder.partitions(core)
    let terms = restrictions + (core.having?.terms ?? []).filter(\.hasKey)
    let isPassed = terms.allSatisfy { term in
      if partitions.allSatisfy({ isDivided(term, by: $0, of: own) }) { return true }
      // The partitions of the rows that the SELECT around selects, each one complete.
      guard isFiltered, case .or(let parts) = term.kind else { return false }
      return partitions.allSatisfy { partition in
        parts.contains { isDivided($0, by: partition, of: own) }
      }
    }
    return isPassed ? nil : "a restriction to some rows would take a part of a window"
  }

  /// Whether a condition is true of all rows with equal values of some expressions, or of none.
  ///
  /// - Parameter own: the items of the rows.
  private func isDivided(
    _ condition: Expression, by values: [Expression], of own: Set<Int>
  ) -> Bool {
    if condition.items.isDisjoint(with: own) || finder.isDetermined(condition, by: values) {
      return true
    }
    if case .column = condition.kind { return false }
    let inSelects = condition.ownSelects.allSatisfy { select in
      select.columns.allSatisfy {
        !own.contains($0.item) || values.contains(Expression(.column($0)))
      }
    }
    return inSelects && condition.children.allSatisfy { isDivided($0, by: values, of: own) }
  }
}

extension SelectCore {
  /// The terms that limit rows to those of some keys.
  fileprivate var restrictions: [Expression] {
    ((condition?.terms ?? []) + from.flatMap { $0.on?.terms ?? [] }).filter(\.hasKey)
  }
}

extension SelectTree {
  /// How often an item is in it, at any depth.
  fileprivate func occurrences(of item: Int) -> Int {
    let own = arms.flatMap(\.core.from).count { $0.number == item }
    return selects.reduce(own) { $0 + $1.occurrences(of: item) }
  }
}
