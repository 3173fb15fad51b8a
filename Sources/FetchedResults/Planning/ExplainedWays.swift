internal import SQLiteStorage

/// The ways from the rows of each table to the keys of a result, also those that cost too much.
struct ExplainedWays {
  /// A place where a table is read.
  struct Place {
    let table: String
    let schema: String
    /// The table with the touched rows, which for a full-text index is another one.
    let touched: TableDescription
    let effect: MaintenanceExplanation.Way.Effect
    let summary: String
    /// Why there is no way; nil if there is one, whatever it costs.
    let reason: String?
    let queries: [String]
    /// What the queries find, in words.
    let finds: [String]
  }

  private(set) var places: [Place] = []
  /// The queries for one row of the result, of which one that only looks rows up is enough.
  private(set) var rowQueries: [String]
  /// The values of the named parameters, but for the key.
  private(set) var parameters: [String: Value] = [:]

  /// - Throws: `DatabaseError`.
  init(of plan: QueryPlan, in connection: Connection) throws {
    let parts = plan.parts
    rowQueries = [parts.observation.text]
    if let table = plan.maintenance.directFinder?.table {
      places = [
        Place(
          table: table.name, schema: table.schema, touched: table, effect: .key,
          summary: "its key is the key of the result", reason: nil, queries: [], finds: [])
      ]
      return
    }
    if let held = plan.held, let finders = plan.maintenance.finders {
      places = finders.compactMap { Place($0, held) }
      parameters = parts.parameters.merging(parts.observationOfAny.sql.named().values) { $1 }
      return
    }
    guard !parts.key.isEmpty else { return }
    var names: Set<String> = []
    for statement in [parts.scan, parts.fetch, parts.observation] {
      names.formUnion(try connection.readRegion(of: statement.text).foldedNames)
    }
    do {
      try find(parts, reading: names, in: connection)
    } catch is SelectRefusal {
      // The plan has the reason.
    }
  }

  private mutating func find(
    _ parts: RequestParts, reading names: Set<String>, in connection: Connection
  ) throws {
    let (select, keys) = parts.observationOfAny
    let (sql, values) = select.named()
    let schema = try SelectSchema(names, in: connection)
    parameters = parts.parameters.merging(values) { $1 }
    let spelledKey = parts.spelledKey?.named(from: values.count)
    if let spelledKey { parameters.merge(spelledKey.values) { $1 } }
    let plan = try LivePlan(sql, keys: keys, schema: schema)
    let words = try WayWords(sql, schema)
    rowQueries += plan.restricted
    for place in plan.places {
      guard let table = try connection.table(named: place.table, in: place.schema) else { continue }
      let (effect, queries, reason) = place.way.parts
      let isSpelled = effect == .rows && spelledKey != nil
      places.append(
        Place(
          table: place.table, schema: place.schema,
          touched: try connection.fullTextContent(of: table) ?? table, effect: effect,
          summary: words.summary(of: place.way), reason: reason,
          queries: queries + (isSpelled ? [spelledKey?.sql].compactMap(\.self) : []),
          finds: words.words(for: queries) + (isSpelled ? ["the key as it is spelled"] : [])))
    }
  }
}

extension LivePlan.Way {
  fileprivate var parts:
    (effect: MaintenanceExplanation.Way.Effect, queries: [String], reason: String?)
  {
    switch self {
    case .queries(let queries): (.rows, queries, nil)
    case .value(let query): (.value, [query], nil)
    case .alarm(let queries): (.alarm, queries, nil)
    case .none(let reason): (.comparison, [], reason)
    }
  }
}

extension ExplainedWays.Place {
  /// The place of a table in a SELECT whose aggregates are held.
  fileprivate init?(_ finder: RowFinder, _ held: HeldQueries) {
    guard let query = finder.contribution else { return nil }
    let names = held.terms.isEmpty ? "its rows" : held.terms.map(\.name).joined(separator: ", ")
    self.init(
      table: finder.table.name, schema: finder.table.schema, touched: finder.table, effect: .held,
      summary: "moves what is held of its group: \(names)", reason: nil,
      queries: [query.named], finds: ["what it adds to its group"])
  }
}
