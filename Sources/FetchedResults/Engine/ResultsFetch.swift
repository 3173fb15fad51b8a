internal import SQLiteStorage
internal import TableData

/// Fetches a result, and takes it from one version to the next.
struct ResultsFetch<Record: Sendable>: Sendable {
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
  /// - Parameter isTracked: whether it is to be carried from version to version.
  /// - Throws: `FetchError` and `DatabaseError`.
  func run(isTracked: Bool) throws -> NextContent<Record> {
    try fetch(from: try database.snapshot(), isTracked: isTracked)
  }

  private func fetch(from origin: Snapshot, isTracked: Bool) throws -> NextContent<Record> {
    let source = try source(of: origin)
    return try source.snapshot.read { connection in
      let plan = try compile(source.request, connection, parametersUsedElsewhere: source.parameters)
      if plan.key.count == 1 {
        do {
          return try content(plan, origin, source.snapshot, connection, isTracked, key: Int64.self)
        } catch is KeyIsNoInteger {
          // A text, say: keys of any kind it is.
        }
      }
      return try content(plan, origin, source.snapshot, connection, isTracked, key: KeyTuple.self)
    }
  }

  private func content<Key: RowKey>(
    _ plan: QueryPlan, _ origin: Snapshot, _ snapshot: Snapshot, _ connection: Connection,
    _ isTracked: Bool, key: Key.Type
  ) throws -> NextContent<Record> {
    let index = try IndexBuilder<Key>(plan, in: connection, isTracked: isTracked).build()
    return NextContent(
      ResultsVersion(plan: plan, origin: origin, snapshot: snapshot, index: index),
      request.description, changes: TableChanges())
  }

  /// What to read from: a version of the database, or a copy of its rows where nothing identifies
  /// them.
  struct Source {
    let snapshot: Snapshot
    let request: FetchRequest<Record>
    /// The parameters used to make the copy.
    let parameters: Set<String>
  }

  /// Finds out what to read from.
  func source(of origin: Snapshot) throws -> Source {
    try origin.read { connection in
      guard try isPositional(in: connection) else {
        return Source(snapshot: origin, request: request, parameters: [])
      }
      let copy = try ResultCopy(of: request, database.configuration, in: connection)
      let (snapshot, request) = try copy.make(of: database)
      return Source(snapshot: snapshot, request: request, parameters: copy.parameters)
    }
  }

  /// The request made ready for the schema of a source.
  func plan(of source: Source) throws -> QueryPlan {
    try source.snapshot.read { connection in
      try compile(source.request, connection, parametersUsedElsewhere: source.parameters)
    }
  }

  /// Fetches one version under keys of a given type, to be carried to another one.
  ///
  /// - Throws: `FetchError`, `DatabaseError`, and ``KeyIsNoInteger`` where the type is too narrow.
  func version<Key: RowKey>(of origin: Snapshot) throws -> ResultsVersion<Key> {
    let source = try source(of: origin)
    let plan = try plan(of: source)
    let index = try source.snapshot.read { connection in
      try IndexBuilder<Key>(plan, in: connection, isTracked: true).build()
    }
    return ResultsVersion(plan: plan, origin: origin, snapshot: source.snapshot, index: index)
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

  // MARK: - From version to version

  /// Goes from a version to a newer one.
  ///
  /// - Returns: nil where it is that one.
  /// - Throws: `FetchError` and `DatabaseError`.
  func advance<Key: RowKey>(
    from version: ResultsVersion<Key>, to origin: Snapshot
  ) throws -> NextContent<Record>? {
    guard origin !== version.origin else { return nil }
    do {
      if version.origin === version.snapshot, origin.hasSameSchema(as: version.origin) {
        let (next, changes, source) = try ResultsAdvance(
          version: version, origin: origin, snapshot: origin
        ).run()
        return NextContent(next, request.description, changes: changes, source: source)
      }
      let source = try source(of: origin)
      let plan = try plan(of: source)
      guard plan.isComparable(to: version.plan) else {
        return try reset(from: version, to: origin)
      }
      let (next, changes) = try ResultsAdvance(
        version: version, origin: origin, snapshot: source.snapshot
      ).compare(plan: plan)
      let reason = version.maintenance.reason ?? "\(Touched.Reason.schemaChanged)"
      return NextContent(
        next, request.description, changes: changes, source: .comparison(reason: reason))
    } catch is KeyIsNoInteger {
      // The first one that is none, say in a table that was empty: from here on, keys of any kind.
      let version: ResultsVersion<KeyTuple> = try self.version(of: version.origin)
      return try advance(from: version, to: origin)
    }
  }

  /// Goes from the result of another request to that of this one, in the same version.
  ///
  /// - Throws: `FetchError` and `DatabaseError`.
  func replace<Key: RowKey>(
    _ version: ResultsVersion<Key>, of other: ResultsFetch<Record>, isTracked: Bool
  ) throws -> NextContent<Record> {
    let source = try source(of: version.origin)
    // In a copy the rows are numbered as they come: those of two copies cannot be told to be the same.
    guard source.snapshot === version.snapshot else {
      return try reset(from: version, to: version.origin, isTracked: isTracked)
    }
    do {
      let replacement = RequestReplacement(
        of: version, other.request, by: request, try plan(of: source))
      if let (next, changes) = try replacement.run(isTracked: isTracked) {
        return NextContent(next, request.description, changes: changes)
      }
    } catch is KeyIsNoInteger {
      // The other one had integers only.
    }
    return try reset(from: version, to: version.origin, isTracked: isTracked)
  }

  /// Fetches anew where nothing can be said of how the old version became the new one.
  private func reset<Key: RowKey>(
    from version: ResultsVersion<Key>, to origin: Snapshot, isTracked: Bool = true
  ) throws -> NextContent<Record> {
    var next = try fetch(from: origin, isTracked: isTracked)
    next.changes = .reset(
      oldSectionCount: version.index.layout.sectionCount, newSectionCount: next.sectionCount)
    return next
  }

  private func isPositional(in connection: Connection) throws -> Bool {
    switch (request.description.key, request.description.source) {
    case (.position, _), (.ofTable, .select): true
    case (.columns, _): false
    case (.ofTable, .table(let name)): try connection.table(named: name)?.key.isEmpty ?? false
    }
  }
}
