internal import SQLiteStorage

/// Finds derivations in a resolved SELECT, from the inside out: each SELECT hands the keys that may have
/// changed in it to the one around it.
///
/// What makes a derivation right: a row of a result that differs between two versions contains, in one of
/// them, a touched row or a changed row of a SELECT in it; or the row of a LEFT JOIN is missing in
/// it; or a subquery has another value for it. For each of these cases the queries find the row in
/// the version in which it is.
struct DerivationFinder {
  /// The tables of numbered items.
  var tables: [SelectSchema.Table?]
  let aggregates: Set<ExactText>
  /// Whether text may be compared by another collation than BINARY.
  let hasCollations: Bool
  /// The terms of each GROUP BY and PARTITION BY, by which a query says what it finds.
  var roles: [[Expression]: PlanQuery.Role] = [:]

  /// The table of an item; nil if it is something else.
  func table(_ number: Int) -> SelectSchema.Table? {
    tables.indices.contains(number) ? tables[number] : nil
  }

  // MARK: - References

  /// The derivations from each table in a SELECT to the keys of its rows.
  ///
  /// - Throws: if a table has none: nothing is known of its touched rows.
  func references(
    of tree: SelectTree, keys: [Int]
  ) throws(SelectRefusal) -> [LivePlan.TableReference] {
    let effects = effects(of: tree, wanting: keys)
    let check = PlanCheck(finder: self)
    try check.checkThatAllTablesAreReached(by: Set(effects.map(\.item)))
    var values: Set<LivePlan.TableReference> = []
    return effects.compactMap { effect in
      var derivation: LivePlan.Derivation
      switch effect.kind {
      case .rows(let queries, let bound, let direct):
        derivation = .queries(direct ?? queries + [query(bound.selecting(keys))])
      case .value(let query): derivation = .value(query)
      case .invalidation(let queries): derivation = .invalidation(queries)
      case .none(let reason): derivation = .none(reason: reason)
      }
      if let reason = check.objection(to: derivation, of: effect.item) {
        derivation = .none(reason: reason)
      }
      let reference = LivePlan.TableReference(
        table: effect.table.name, schema: effect.table.schema, derivation: derivation)
      // A value is the same for each reference to a table.
      if case .value = derivation, !values.insert(reference).inserted { return nil }
      return reference
    }
  }

  /// The effects on the rows of a SELECT.
  ///
  /// - Parameter columns: the columns whose values are wanted of the rows that may differ.
  func effects(of tree: SelectTree, wanting columns: [Int] = []) -> [Effect<SelectTree>] {
    guard tree.limit == nil, tree.offset == nil else {
      return refused(tree, "a LIMIT decides which rows are in a SELECT")
    }
    let areKept = tree.arms.allSatisfy { [nil, .union, .unionAll].contains($0.combination) }
    return tree.arms.flatMap { arm -> [Effect<SelectTree>] in
      let wanted = arm.core.values == nil ? columns.map { arm.core.outputs[$0] } : []
      return coreEffects(of: arm.core, wanting: wanted).map { effect in
        effect.map { queries, bound, direct in
          let only = SelectTree(bound)
          if areKept { return .rows(queries: queries, bound: only, direct: direct) }
          // A row of one arm decides whether the same row of another is in the result.
          let all = Array(arm.core.outputs.indices)
          do throws(SelectRefusal) {
            return .rows(
              queries: queries + [query(bound)],
              bound: try restricted(tree, Array(zip(all, arm.core.outputs.parameters))),
              direct: direct)
          } catch {
            return .none(reason: error.reason)
          }
        }
      }
    }
  }

  /// The effects on the rows of one core, with its groups and windows.
  private func coreEffects(
    of core: SelectCore, wanting values: [Expression]
  ) -> [Effect<SelectCore>] {
    guard core.values == nil else { return [] }
    let partitions = partitions(core)
    guard !partitions.contains(where: \.isEmpty) else {
      return refused(core, "a window has no PARTITION BY")
    }
    guard !partitions.contains(where: { !$0.allSatisfy(\.selects.isEmpty) }) else {
      return refused(core, "PARTITION BY has a subquery")
    }
    if partitions.isEmpty { return groupEffects(of: core, wanting: values) }
    return partitions.flatMap { partition in
      groupEffects(of: core, wanting: partition).map { effect in
        effect.map { queries, bound, direct in
          do throws(SelectRefusal) {
            return .rows(
              queries: direct ?? queries + [query(bound.selecting(partition))],
              bound: try rows(of: core, in: partition), direct: nil)
          } catch {
            return .none(reason: error.reason)
          }
        }
      }
    }
  }

  private func groupEffects(
    of core: SelectCore, wanting values: [Expression]
  ) -> [Effect<SelectCore>] {
    guard isGrouped(core) else { return itemEffects(of: core, wanting: values) }
    let groups = core.groupBy
    let sharedKeys = determined(by: groups, in: core).sharedKeys
    guard !groups.isEmpty else {
      // There is one row, which every touched row may change.
      return itemEffects(of: core, wanting: []).map { effect in
        effect.map { _, _, _ in .rows(queries: [], bound: core, direct: nil) }
      }
    }
    let areDetermined =
      !values.isEmpty
      && values.allSatisfy { isDetermined($0, by: groups) && $0.selects.isEmpty }
    return itemEffects(of: core, wanting: areDetermined ? values : groups).flatMap { effect in
      var invalidations: [Effect<SelectCore>] = []
      let result: Effect<SelectCore> = effect.map { queries, bound, direct in
        var rows = bound
        (rows.groupBy, rows.having) = ([], nil)
        for key in sharedKeys {
          // Rows without this key are one group, of which SQLite chooses a row.
          var nulls = rows
          nulls.require([Expression(.postfix(key, "ISNULL"))])
          let kind = Effect<SelectCore>.Kind.invalidation(
            queries + [PlanQuery(.null, nulls.selecting([.one]))])
          invalidations.append(Effect(table: effect.table, item: effect.item, kind: kind))
        }
        var whole = core
        bind(groups, to: groups.parameters, in: &whole)
        let groupQueries = queries + [query(rows.selecting(groups))]
        guard areDetermined else {
          return .rows(queries: direct ?? groupQueries, bound: whole, direct: nil)
        }
        return .rows(
          queries: groupQueries, bound: whole,
          direct: direct ?? queries + [query(rows.selecting(values))])
      }
      return [result] + invalidations
    }
  }

  // MARK: - Helpers

  /// An effect without a derivation for each table in a SELECT.
  func refused<Bound>(_ tree: SelectTree, _ reason: String) -> [Effect<Bound>] {
    tree.innerNumbers.sorted().compactMap { number in
      table(number).map { Effect(table: $0, item: number, kind: .none(reason: reason)) }
    }
  }

  private func refused<Bound>(_ core: SelectCore, _ reason: String) -> [Effect<Bound>] {
    refused(SelectTree(core), reason)
  }
}

extension [Expression] {
  /// A value of a key for each of them.
  var parameters: [Expression] { indices.map { Expression(.key($0)) } }
}

extension Expression {
  static let one = Expression(.literal("1"))
  static let null = Expression(.literal("NULL"))
}

extension SelectCore {
  /// The core with other columns, each of its rows once.
  func selecting(_ values: [Expression]) -> SelectCore {
    // A key without columns is that of the only row.
    var core = returning(values.isEmpty ? [.null] : values)
    core.isDistinct = true
    return core
  }

  /// The core with other columns.
  func returning(_ values: [Expression]) -> SelectCore {
    var core = self
    core.columns = values.map { .expression($0, alias: nil, text: "") }
    return core
  }

  /// What its columns are in the SELECT around it.
  fileprivate var names: [Expression.Column] {
    if let values { return (values.first ?? []).indices.map { .value($0) } }
    return columns.indices.map { position in
      // The rows of VALUES with a condition keep their names.
      let isValue = columns[position].value == .column(FromItem.unnumbered, .value(position))
      return isValue ? .value(position) : .output(position)
    }
  }
}

extension SelectTree {
  /// The SELECT in the FROM of another, which returns the same rows, and its columns there.
  var wrapped: (core: SelectCore, columns: [Expression]) {
    var item = FromItem(join: .comma, source: .select(self))
    item.alias = FromItem.alias(item.number)
    let names = arms[0].core.names
    let columns = names.map { Expression.column(item.number, $0) }
    var core = SelectCore()
    core.from = [item]
    core.columns = zip(columns, names).map { .expression($0, alias: $1.name, text: "") }
    return (core, columns)
  }

  /// Some columns of the SELECT, each of their rows once.
  func selecting(_ columns: [Int]) -> SelectCore {
    if arms.count == 1, arms[0].core.values == nil {
      return arms[0].core.selecting(columns.map { arms[0].core.outputs[$0] })
    }
    let (core, outputs) = wrapped
    return core.selecting(columns.map { outputs[$0] })
  }
}
