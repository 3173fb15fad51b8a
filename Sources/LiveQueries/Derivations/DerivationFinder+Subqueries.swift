// Derivations from tables in subqueries to the rows of the SELECT around them.

extension DerivationFinder {
  func subqueryEffects(of subquery: Subquery, _ context: Context) -> [Effect<SelectCore>] {
    let isCorrelated = !subquery.select.outerItems.isEmpty
    switch subquery.use {
    case .exists where !isCorrelated:
      return values(of: subquery, "SELECT EXISTS (\(subquery.select.sql))")
    case .value where !isCorrelated:
      return values(of: subquery, "SELECT * FROM (\(subquery.select.sql)) LIMIT 1")
    case .exists, .value: return joinedEffects(of: subquery.select, nil, context)
    case .membership(let values, let distinguishesNull):
      guard values.allSatisfy({ $0.selects.isEmpty && !hasAggregate($0) && !hasWindow($0) }) else {
        return refused(subquery.select, "the left side of IN is an aggregate or a subquery")
      }
      let link = Link(values: values, distinguishesNull: distinguishesNull)
      return isCorrelated
        ? joinedEffects(of: subquery.select, link, context)
        : memberEffects(of: subquery.select, link, context)
    }
  }

  /// The left side of `IN`.
  struct Link {
    let values: [Expression]
    let distinguishesNull: Bool
  }

  /// A subquery that has one value for all rows around it.
  private func values(of subquery: Subquery, _ sql: String) -> [Effect<SelectCore>] {
    subquery.select.innerNumbers.sorted().compactMap { number in
      table(number).map {
        Effect(table: $0, item: number, kind: .value(PlanQuery(.value, sql)))
      }
    }
  }

  // MARK: - IN without columns of the SELECT around

  /// The rows whose values are among those that may have changed in the subquery.
  private func memberEffects(
    of select: SelectTree, _ link: Link, _ context: Context
  ) -> [Effect<SelectCore>] {
    let isRow = link.values.count > 1
    guard !isRow || !link.distinguishesNull else {
      return refused(select, "a row is NOT IN a SELECT, or its value is shown")
    }
    let left = isRow ? Expression(.row(link.values)) : link.values[0]
    let mayBeNull = link.distinguishesNull && !areNeverNull(select)
    return effects(of: select).flatMap { effect -> [Effect<SelectCore>] in
      var invalidations: [Effect<SelectCore>] = []
      let result: Effect<SelectCore> = effect.map { queries, bound, _ in
        if mayBeNull {
          // Beside a NULL, IN is NULL for all values that are not found.
          var (nulls, columns) = bound.wrapped
          nulls.condition = Expression(.postfix(columns[0], "ISNULL"))
          let query = PlanQuery(.null, nulls.selecting([.one]))
          let kind = Effect<SelectCore>.Kind.invalidation(queries + [query])
          invalidations.append(Effect(table: effect.table, item: effect.item, kind: kind))
        }
        var context = context
        let isMember = left.isIn(bound)
        context.terms.append(orNull(isMember, link.distinguishesNull ? link.values : [], context))
        return rows(context, queries)
      }
      return [result] + invalidations
    }
  }

  func areNeverNull(_ select: SelectTree) -> Bool {
    select.arms.allSatisfy { arm in
      arm.core.values == nil
        && arm.core.outputs.allSatisfy { isNeverNull($0, from: arm.core.from) }
    }
  }

  private func orNull(
    _ condition: Expression, _ values: [Expression], _ context: Context
  ) -> Expression {
    let optional = context.items.optional
    let nulls = values.filter { !isNeverNull($0, optional: optional) }
      .map { Expression(.postfix($0, "ISNULL")) }
    return nulls.isEmpty ? condition : Expression(.or([condition] + nulls))
  }

  // MARK: - Subqueries with columns of the SELECT around

  /// The rows around a subquery that its joined rows meet. What else is in it, such as groups or a
  /// limit, makes its value of these rows.
  private func joinedEffects(
    of select: SelectTree, _ link: Link?, _ context: Context
  ) -> [Effect<SelectCore>] {
    select.arms.flatMap { arm -> [Effect<SelectCore>] in
      let core = arm.core
      guard core.values == nil else { return [] }
      // With a limit a touched row decides which other rows are in the list.
      // So it does in a window.
      let isWhole =
        select.arms.count == 1 && select.limit == nil && partitions(core).isEmpty
      let linkTerms = isWhole ? link.map { terms(of: $0, core, context) } ?? [] : []
      var effects: [Effect<SelectCore>] = []
      for (index, item) in core.from.enumerated() {
        effects += bindings(of: item).map { binding in
          binding.map { queries, bound, _ in
            rows(
              joined(index, bound, core, self.linkTerms(linkTerms, link, over: item), context),
              queries)
          }
        }
        // The condition of a LEFT JOIN.
        effects += (item.on?.selects ?? []).flatMap {
          refused($0, "ON of a LEFT JOIN in a subquery has a subquery")
        }
      }
      let conditions = [core.condition, core.having].compactMap(\.self)
      let inner =
        conditions.flatMap { Subquery.all(in: $0, isCondition: true) }
        + (core.outputs + core.groupBy).flatMap { Subquery.all(in: $0, isCondition: false) }
      let around = joined(core, linkTerms, context)
      return effects + inner.flatMap { subqueryEffects(of: $0, around) }
    }
  }

  /// The terms that are true of the row of an item, no matter which version it is in.
  ///
  /// Without the row that a LEFT JOIN joins, there is a NULL in its place. Beside a NULL, IN may have
  /// another value for all rows around, and an expression of it may be any value.
  private func linkTerms(
    _ terms: [Expression], _ link: Link?, over item: FromItem
  ) -> [Expression] {
    guard item.join == .left else { return terms }
    guard link?.distinguishesNull != true else { return [] }
    return terms.filter { term in
      guard term.items.contains(item.number) else { return true }
      if case .binary(_, _, let output) = term.kind, case .column = output.kind { return true }
      return false
    }
  }

  /// The context with all items of a subquery.
  private func joined(
    _ core: SelectCore, _ linkTerms: [Expression], _ context: Context
  ) -> Context {
    var context = context
    context.items += core.from.joinable
    context.terms += plainTerms(core.condition) + linkTerms
    return context
  }

  /// The context with the items of a subquery. One of them is restricted.
  private func joined(
    _ index: Int, _ bound: BoundItem, _ core: SelectCore, _ linkTerms: [Expression],
    _ context: Context
  ) -> Context {
    guard core.from[index].join == .left else {
      var core = core
      core.from[index] = bound.item
      var result = joined(core, linkTerms, context)
      result.terms += bound.terms
      return result
    }
    var result = context
    let items = prefix(index, bound, of: core.from)
    result.items += items.joinable
    let known = context.items.numbers.union(items.dropLast().map(\.number))
    result.terms += bound.terms
    result.terms += plainTerms(core.condition).filter { $0.items.isSubset(of: known) }
    result.terms += linkTerms.filter {
      $0.items.isSubset(of: context.items.numbers.union(items.numbers))
    }
    return result
  }

  /// The conditions that values are equal to the columns of a subquery; none if that is not sure.
  private func terms(
    of link: Link, _ core: SelectCore, _ context: Context
  ) -> [Expression] {
    guard link.values.count == core.outputs.count else { return [] }
    return zip(link.values, core.outputs).compactMap { value, output in
      guard output.selects.isEmpty, !hasAggregate(output), !hasWindow(output) else { return nil }
      let nulls = link.distinguishesNull ? [value, output] : []
      var inside = context
      inside.items += core.from
      return orNull(.binary(value, "=", output), nulls, inside)
    }
  }
}

extension [FromItem] {
  /// The items as they continue a FROM clause.
  fileprivate var joinable: [FromItem] {
    var items = self
    if !items.isEmpty { items[0].join = .inner }
    return items
  }
}
