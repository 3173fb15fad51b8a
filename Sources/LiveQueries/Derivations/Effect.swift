/// How touched rows of a table affect a SELECT.
struct Effect<Bound> {
  enum Kind {
    /// - Parameters:
    ///   - queries: what leads from the touched row to the parameters of `bound`.
    ///   - bound: the SELECT, so changed that it returns the rows that may differ. It is asked in
    ///     both versions.
    ///   - direct: queries that lead to the values that were asked for, if they follow without
    ///     `bound`.
    case rows(queries: [PlanQuery], bound: Bound, direct: [PlanQuery]?)
    case value(PlanQuery)
    case invalidation([PlanQuery])
    case none(reason: String)
  }

  let table: SelectSchema.Table
  /// The number of the table's item of FROM.
  let item: Int
  let kind: Kind

  /// The effect with what is made of its rows.
  func map<Other>(
    _ transform: (_ queries: [PlanQuery], _ bound: Bound, _ direct: [PlanQuery]?) ->
      Effect<Other>.Kind
  ) -> Effect<Other> {
    switch kind {
    case .rows(let queries, let bound, let direct):
      Effect<Other>(table: table, item: item, kind: transform(queries, bound, direct))
    case .value(let sql): Effect<Other>(table: table, item: item, kind: .value(sql))
    case .invalidation(let queries):
      Effect<Other>(table: table, item: item, kind: .invalidation(queries))
    case .none(let reason): Effect<Other>(table: table, item: item, kind: .none(reason: reason))
    }
  }
}
