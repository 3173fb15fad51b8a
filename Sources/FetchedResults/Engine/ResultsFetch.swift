internal import SQLiteStorage

/// Fetches the first version of a result.
struct ResultsFetch<Record: Sendable> {
  let database: Database
  let request: FetchRequest<Record>
  let sectionKey: SectionKey<Record>?

  /// Finds mistakes in the request without fetching anything.
  ///
  /// - Throws: `FetchError` and `DatabaseError`.
  func validate() throws {
    try database.read { connection in
      if try isPositional(in: connection) {
        // The rest can only be seen in the copy, which is not made for this.
        _ = try ResultCopy(of: request, database.configuration, in: connection)
      } else {
        _ = try compile(request, connection)
      }
    }
  }

  /// Fetches the newest version.
  ///
  /// - Throws: `FetchError` and `DatabaseError`.
  func run() throws -> any ResultsContent<Record> {
    let (snapshot, request, used) = try source()
    return try snapshot.read { connection in
      let plan = try compile(request, connection, parametersUsedElsewhere: used)
      if plan.key.count == 1 {
        do {
          return try content(plan, snapshot, connection, key: Int64.self)
        } catch is KeyIsNoInteger {
          // A text, say: keys of any kind it is.
        }
      }
      return try content(plan, snapshot, connection, key: KeyTuple.self)
    }
  }

  /// What to read from: the newest version, or a copy of the rows where nothing identifies them.
  ///
  /// - Returns: also the request that reads it, and the parameters used to make it.
  private func source() throws -> (Snapshot, FetchRequest<Record>, parameters: Set<String>) {
    let snapshot = try database.snapshot()
    return try snapshot.read { connection in
      guard try isPositional(in: connection) else { return (snapshot, request, []) }
      let copy = try ResultCopy(of: request, database.configuration, in: connection)
      let (copied, request) = try copy.make(database.configuration)
      return (copied, request, copy.parameters)
    }
  }

  private func compile(
    _ request: FetchRequest<Record>, _ connection: Connection,
    parametersUsedElsewhere: Set<String> = []
  ) throws -> QueryPlan {
    try PlanCompiler(
      request, sectionKey: sectionKey, configuration: database.configuration,
      connection: connection, parametersUsedElsewhere: parametersUsedElsewhere
    ).plan()
  }

  private func content<Key: RowKey>(
    _ plan: QueryPlan, _ snapshot: Snapshot, _ connection: Connection, key: Key.Type
  ) throws -> any ResultsContent<Record> {
    IndexedContent(
      ResultsVersion(
        plan: plan, snapshot: snapshot,
        index: try IndexBuilder<Key>(plan, in: connection, isTracked: false).build()), request.description)
  }

  private func isPositional(in connection: Connection) throws -> Bool {
    switch (request.description.key, request.description.source) {
    case (.position, _), (.ofTable, .select): true
    case (.columns, _): false
    case (.ofTable, .table(let name)): try connection.table(named: name)?.key.isEmpty ?? false
    }
  }
}
