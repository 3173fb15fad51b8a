/// What follows for a SELECT from touched rows of a table in it.
struct Touch<Bound> {
  enum Effect {
    /// - Parameters:
    ///   - queries: what leads from the touched row to the parameters of `bound`.
    ///   - bound: the SELECT, so changed that it returns the rows that may differ. It is asked in
    ///     both versions.
    ///   - direct: queries that lead to the values that were asked for, if they follow without
    ///     `bound`.
    case rows(queries: [PlanQuery], bound: Bound, direct: [PlanQuery]?)
    case value(PlanQuery)
    case alarm([PlanQuery])
    case none(reason: String)
  }

  let table: SelectSchema.Table
  /// The number of the table's item of FROM.
  let item: Int
  let effect: Effect

  /// The touch with what is made of its rows.
  func map<Other>(
    _ transform: (_ queries: [PlanQuery], _ bound: Bound, _ direct: [PlanQuery]?) ->
      Touch<Other>.Effect
  ) -> Touch<Other> {
    switch effect {
    case .rows(let queries, let bound, let direct):
      Touch<Other>(table: table, item: item, effect: transform(queries, bound, direct))
    case .value(let sql): Touch<Other>(table: table, item: item, effect: .value(sql))
    case .alarm(let queries): Touch<Other>(table: table, item: item, effect: .alarm(queries))
    case .none(let reason): Touch<Other>(table: table, item: item, effect: .none(reason: reason))
    }
  }
}
