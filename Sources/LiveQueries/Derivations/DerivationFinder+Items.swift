internal import SQLiteStorage

/// An item of FROM, restricted to rows that may have changed.
struct BoundItem {
  var item: FromItem
  /// Conditions that belong to the restriction.
  var terms: [Expression]
}

extension DerivationFinder {
  /// Where rows are looked up that a touched row may have changed.
  struct Context {
    /// The SELECT whose rows they are.
    let core: SelectCore
    /// The values that are wanted of them.
    let values: [Expression]
    /// The items that identify its rows.
    let base: [FromItem]
    /// The items that are joined, those of SELECTs around a subquery included.
    var items: [FromItem]
    /// What the rows of the items must meet.
    var terms: [Expression]
  }

  /// The effects on the joined rows of a core, before they are grouped.
  func itemEffects(
    of core: SelectCore, wanting values: [Expression]
  ) -> [Effect<SelectCore>] {
    let outer = Context(
      core: core, values: values, base: core.from.filter { $0.join != .left }, items: core.from,
      terms: plainTerms(core.condition))
    var effects: [Effect<SelectCore>] = []
    for (index, item) in core.from.enumerated() {
      effects += bindings(of: item, wanting: columns(values, of: item)).map { binding in
        binding.map { queries, bound, direct in
          guard item.join == .left else {
            var result = core
            result.from[index] = bound.item
            // What has one value for all rows costs more than the row, and is a derivation of its own.
            let terms = (core.condition?.terms ?? []).filter { term in
              term.selects.allSatisfy { !$0.outerItems.isEmpty }
            }
            result.condition = Expression.all(terms + bound.terms)
            return .rows(queries: queries, bound: result, direct: direct)
          }
          return partners(of: index, bound, queries, in: core, values)
        }
      }
      // The condition of a LEFT JOIN.
      guard let on = item.on else { continue }
      let context = partnerContext(of: index, BoundItem(item: item, terms: []), core, values)
      effects += Subquery.all(in: on, isCondition: false).flatMap {
        subqueryEffects(of: $0, context)
      }
    }
    let conditions = [core.condition, core.having].compactMap(\.self)
    let subqueries =
      conditions.flatMap { Subquery.all(in: $0, isCondition: true) }
      + core.outputs.flatMap { Subquery.all(in: $0, isCondition: false) }
    return effects + subqueries.flatMap { subqueryEffects(of: $0, outer) }
  }

  /// The columns of a SELECT in FROM that some values are; empty if one is something else.
  private func columns(_ values: [Expression], of item: FromItem) -> [Int] {
    guard case .select = item.source else { return [] }
    let positions = values.map { value in
      if case .column(let column) = value.kind, column.item == item.number,
        case .output(let position) = column.column
      {
        position
      } else {
        nil as Int?
      }
    }
    return positions.contains(nil) ? [] : positions.compactMap(\.self)
  }

  /// The item, restricted by what follows from each table in it.
  ///
  /// - Parameter columns: the columns of a SELECT whose values are wanted of the rows that may differ.
  func bindings(of item: FromItem, wanting columns: [Int] = []) -> [Effect<BoundItem>] {
    switch item.source {
    case .table:
      let inArguments: [Effect<BoundItem>] = item.arguments.flatMap(\.selects).flatMap {
        refused($0, "an argument of a table-valued function has a subquery")
      }
      guard let table = table(item.number) else { return inArguments }
      let terms = table.key.enumerated().map { index, column in
        Expression.binary(.column(item.number, .named(column.exact)), "=", Expression(.key(index)))
      }
      let bound = BoundItem(item: item, terms: terms)
      let kind = Effect<BoundItem>.Kind.rows(queries: [], bound: bound, direct: nil)
      return inArguments + [Effect(table: table, item: item.number, kind: kind)]
    case .select(let select):
      return effects(of: select, wanting: columns).map { effect in
        effect.map { queries, bound, direct in
          var boundItem = item
          boundItem.source = .select(bound)
          return .rows(
            queries: queries, bound: BoundItem(item: boundItem, terms: []), direct: direct)
        }
      }
    case .group: return []
    }
  }

  /// The rows that a LEFT JOIN combines with a touched row, or combined with it. Conditions on that row
  /// and on what is joined later do not count: they may exclude the row in the version in which it is
  /// joined. Those on the items before it hold in both versions, unless one of these items differs too,
  /// which then leads to the row itself.
  private func partners(
    of index: Int, _ bound: BoundItem, _ queries: [PlanQuery], in core: SelectCore,
    _ values: [Expression]
  ) -> Effect<SelectCore>.Kind {
    let numbers = Set(core.from.prefix(index + 1).map(\.number))
    guard
      Set(core.from[index].allColumns.map(\.item)).isDisjoint(
        with: core.from.numbers.subtracting(numbers))
    else { return .none(reason: "ON uses a table that is joined later") }
    return rows(partnerContext(of: index, bound, core, values), queries)
  }

  private func partnerContext(
    of index: Int, _ bound: BoundItem, _ core: SelectCore, _ values: [Expression]
  ) -> Context {
    let base = core.from.prefix(index).filter { $0.join != .left }
    var context = Context(
      core: core, values: values, base: base, items: prefix(index, bound, of: core.from),
      terms: bound.terms)
    let known = core.from.prefix(index).map(\.number)
    context.terms += plainTerms(core.condition).filter { $0.items.isSubset(of: known) }
    return context
  }

  /// The items up to one that LEFT JOIN joins, which must have a row.
  func prefix(_ index: Int, _ bound: BoundItem, of from: [FromItem]) -> [FromItem] {
    var items = Array(from.prefix(index)) + [bound.item]
    items[index].on = Expression.all(plainTerms(bound.item.on))
    var present: Set<Int> = [from[index].number]
    // From right to left: an item whose column must be equal to one of a row has a row too.
    for position in items.indices.reversed() where present.contains(items[position].number) {
      if items[position].join == .left { items[position].join = .inner }
      for term in items[position].on?.terms ?? [] {
        guard case .binary(let left, "=", let right) = term.kind,
          case .column(let first) = left.kind,
          case .column(let second) = right.kind
        else { continue }
        present.formUnion([first.item, second.item])
      }
    }
    return items
  }

  /// The terms of a condition without subqueries. Aggregates in them are those of a SELECT around.
  func plainTerms(_ condition: Expression?) -> [Expression] {
    (condition?.terms ?? []).filter { $0.selects.isEmpty && !hasAggregate($0) }
  }

  /// The rows of a SELECT that a context leads to.
  func rows(_ context: Context, _ queries: [PlanQuery]) -> Effect<SelectCore>.Kind {
    let keys = context.base.flatMap { key(of: $0) ?? [] }
    guard !keys.isEmpty else { return .none(reason: "nothing identifies the rows of a SELECT") }
    var found = SelectCore()
    found.from = context.items
    found.condition = Expression.all(context.terms)
    var bound = context.core
    bind(keys, to: keys.parameters, in: &bound)
    let isDirect =
      !context.values.isEmpty
      && context.values.allSatisfy {
        $0.selects.isEmpty && $0.items.isSubset(of: context.base.numbers)
      }
    return .rows(
      queries: queries + [query(found.selecting(keys))], bound: bound,
      direct: isDirect ? queries + [query(found.selecting(context.values))] : nil)
  }
}
