/// A SELECT in an expression.
struct Subquery {
  enum Use {
    case exists
    case value
    /// `values IN (SELECT …)`.
    ///
    /// - Parameter distinguishesNull: whether it matters if the result is NULL or false.
    case membership([Expression], distinguishesNull: Bool)
  }

  let select: SelectTree
  let use: Use

  /// The subqueries of an expression, but not those in them.
  ///
  /// - Parameter isCondition: whether NULL counts as false.
  static func all(in expression: Expression, isCondition: Bool) -> [Subquery] {
    switch expression.kind {
    case .and(let terms), .or(let terms):
      return terms.flatMap { all(in: $0, isCondition: isCondition) }
    case .exists(let select): return [Subquery(select: select, use: .exists)]
    case .select(let select): return [Subquery(select: select, use: .value)]
    case .inSelect(let value, let isNegated, let select):
      let values: [Expression]
      if case .row(let list) = value.kind { values = list } else { values = [value] }
      let use = Use.membership(values, distinguishesNull: isNegated || !isCondition)
      return [Subquery(select: select, use: use)] + all(in: value, isCondition: false)
    default:
      return expression.children.flatMap { all(in: $0, isCondition: false) }
    }
  }
}
