internal import SQLiteStorage
internal import SectionedData

/// Fetches the result of a request, advances it to a newer version of the database, and replaces it
/// by that of another request.
///
/// Each of the three finds the ``ResultSource`` first: the plan of the request for the schema, and
/// a copy of the rows if one is needed. A fetch scans the source. The other two compare it with the
/// old version by ``ResultUpdater``, and fetch again if that is not possible.
///
/// Sendable: a request, and the plan it was last compiled to, which a lock protects.
final class ResultLoader<Record: Sendable>: Sendable {
  let database: Database
  let request: FetchRequest<Record>
  let sectionKey: SectionKey<Record>?
  /// The plan of the request, and what it depends on.
  private let compiled = Locked<(state: [Int64], plan: QueryPlan)?>(nil)
  /// Whether two rows were found with one key, which was not named by the caller.
  private let hasRepeatedKey = Locked(false)

  init(
    database: Database, request: FetchRequest<Record>, sectionKey: SectionKey<Record>? = nil
  ) {
    self.database = database
    self.request = request
    self.sectionKey = sectionKey
  }

  /// Validates the request without fetching anything.
  func validate() throws {
    try database.read { _ = try plan(in: $0) }
  }

  /// Validates the request off the calling actor.
  func validate() async throws {
    try await database.read { _ = try self.plan(in: $0) }
  }

  /// The plan of the request for the schema that a connection sees. It is compiled again only after
  /// the schema or the length of the file has changed.
  ///
  /// - Parameter connection: a connection of the database, which has not written in its transaction.
  func plan(in connection: Connection) throws -> QueryPlan {
    let (isPacked, isWithoutKey) = (packsRows, hasRepeatedKey.withLock { $0 })
    let state = try connection.planState().map { $0 + [isPacked ? 1 : 0, isWithoutKey ? 1 : 0] }
    if let state, let compiled = compiled.withLock({ $0 }), compiled.state == state {
      return compiled.plan
    }
    var request = request
    if isWithoutKey {
      request.description = request.description.reading(request.description.source, key: .repeated)
    }
    let plan = try PlanCompiler(
      request, sectionKey: sectionKey, configuration: database.configuration,
      connection: connection, isPacked: isPacked
    ).plan()
    if let state { compiled.withLock { $0 = (state, plan) } }
    return plan
  }

  /// Whether rows are packed although they can be looked up. A database that is only read stops pinning versions if another
  /// process waits for its locks.
  private var packsRows: Bool { request.keepsRows && database.snapshotKind == .released }

  /// Returns where the result is read from.
  func source(of snapshot: Snapshot) throws -> ResultSource {
    ResultSource(snapshot, try snapshot.read { try plan(in: $0) })
  }
}

extension Connection {
  /// What a plan depends on: the versions of the schemas, and the length of the file. Nil if files
  /// are attached: reading their versions would make their writers wait.
  fileprivate func planState() throws -> [Int64]? {
    guard try !hasAttachedFiles() else { return nil }
    let pragmas = ["main.schema_version", "temp.schema_version", "main.page_count"]
    return try pragmas.map { try value(Int64.self, SQL(verbatim: "PRAGMA \($0)")) ?? 0 }
  }
}

// MARK: - Fetching

extension ResultLoader {
  /// Fetches one version.
  ///
  /// - Parameters:
  ///   - isTracked: whether the result is advanced to later versions.
  ///   - limit: the number of rows, as if the request had that limit; nil for those of the request.
  func fetch(
    from origin: Snapshot, isTracked: Bool, first limit: Int? = nil
  ) throws -> ResultUpdate {
    try origin.whileReadable {
      do {
        return try fetchReadable(origin, isTracked, limit)
      } catch let error as FetchError where error.code == .invalidKey {
        try leaveKey(after: error)
        return try fetchReadable(origin, isTracked, limit)
      }
    }
  }

  private func fetchReadable(
    _ origin: Snapshot, _ isTracked: Bool, _ limit: Int?
  ) throws -> ResultUpdate {
    var source = try source(of: origin)
    if let limit { source = ResultSource(origin, source.plan.limited(to: limit)) }
    return ResultUpdate(version: try ResultsVersion.fetching(source, isTracked: isTracked))
  }

  /// Has the rows identified by their content from now on, since two of them have the same key. Another thread may have done
  /// so before.
  ///
  /// - Throws: the error if the caller has named the key.
  func leaveKey(after error: FetchError) throws {
    if case .columns = request.description.key { throw error }
    guard request.identity == nil else { throw error }
    hasRepeatedKey.withLock { $0 = true }
  }
}

// MARK: - From version to version

extension ResultLoader {
  /// Advances a version to a newer one.
  ///
  /// - Returns: nil if the version of the database is the same.
  func advance(_ version: ResultsVersion, to origin: Snapshot) throws -> ResultUpdate? {
    guard origin !== version.snapshot else { return nil }
    return try origin.whileReadable {
      try version.snapshot.whileUnchanged { try advanceReadable(version, to: origin) }
    }
  }

  private func advanceReadable(_ version: ResultsVersion, to origin: Snapshot) throws
    -> ResultUpdate
  {
    do {
      return try compared(version, to: origin)
    } catch let error as FetchError where error.code == .invalidKey {
      try leaveKey(after: error)
      return try reset(version, to: try source(of: origin), because: error.message)
    } catch let error as DatabaseError where error.isAboutValues {
      // Rows are read when they are shown, so the old version may have one that cannot be read. It must not
      // stop the list for ever; but no version with such a row is shown in place of one without.
      let source = try source(of: origin)
      try source.checkRows()
      return try reset(version, to: source, because: error.message)
    }
  }

  private func compared(_ old: ResultsVersion, to origin: Snapshot) throws -> ResultUpdate {
    if origin.hasSameSchema(as: old.snapshot), old.plan.isPacked || !packsRows {
      return try ResultUpdater(from: old, to: ResultSource(origin, old.plan)).advance()
    }
    let updater = ResultUpdater(from: old, to: try source(of: origin))
    let detection = ChangeSource.comparison(
      reason: old.plan.maintenance.reason ?? (packsRows ? updater.new.plan.maintenance.reason : nil)
        ?? "\(Touched.Reason.schemaChanged)")
    if let update = try updater.compareContents() { return update.detected(by: detection) }
    guard updater.new.plan.isComparable(to: old.plan) else {
      return try reset(old, to: updater.new)
    }
    return try updater.compare().detected(by: detection)
  }

  /// Replaces the result of another request by that of this one, in the same version.
  ///
  /// - Parameters:
  ///   - isTracked: as for ``fetch(from:isTracked:first:)``.
  ///   - limit: the number of changes above which they are a reset.
  func replace(
    _ version: ResultsVersion, isTracked: Bool, resetAbove limit: Int = .max
  ) throws -> ResultUpdate {
    try version.snapshot.whileReadable {
      do {
        return try replaceReadable(version, isTracked: isTracked, resetAbove: limit)
      } catch let error as FetchError where error.code == .invalidKey {
        try leaveKey(after: error)
        return try replaceReadable(version, isTracked: isTracked, resetAbove: limit)
      }
    }
  }

  private func replaceReadable(
    _ version: ResultsVersion, isTracked: Bool, resetAbove limit: Int
  ) throws -> ResultUpdate {
    let source = try source(of: version.snapshot)
    let update = try replace(version, by: source, isTracked, limit)
    if update.changes.rowCount > limit {
      return update.reached(by: .reset(from: version.layout, to: update.version.layout))
    }
    if update.changes.reset != nil { return update }
    return addingRenamedSections(to: update, from: version)
  }

  /// Adds the sections that stay and have another name, because the new request makes names of the keys in
  /// another way, or has other keys that are equal to them, such as 4.0 to 4.
  ///
  /// Complexity: O(sections).
  private func addingRenamedSections(
    to update: ResultUpdate, from old: ResultsVersion
  ) -> ResultUpdate {
    let new = update.version
    var changes = update.changes
    let deleted = Set(changes.deletedSections)
    let inserted = Set(changes.insertedSections)
    // The sections that stay keep their order.
    let kept = zip(
      (0..<old.layout.sectionCount).lazy.filter { !deleted.contains($0) },
      (0..<new.layout.sectionCount).lazy.filter { !inserted.contains($0) })
    let renamed = kept.filter { old.name(ofSection: $0)?.exact != new.name(ofSection: $1)?.exact }
      .map { TableChanges.SectionUpdate(old: $0, new: $1) }
    if renamed.isEmpty { return update }
    changes.updatedSections = Set(changes.updatedSections).union(renamed).sorted { $0.new < $1.new }
    return update.reached(by: changes)
  }

  private func replace(
    _ old: ResultsVersion, by source: ResultSource, _ isTracked: Bool, _ limit: Int
  ) throws -> ResultUpdate {
    let updater = ResultUpdater(from: old, to: source)
    return try updater.compareContents()
      ?? updater.replace(isTracked: isTracked, resetAbove: limit)
      ?? reset(old, to: source, isTracked: isTracked)
  }

  /// Fetches the result again if the changes from the old version cannot be determined.
  private func reset(
    _ old: ResultsVersion, to source: ResultSource, isTracked: Bool = true,
    because reason: String? = nil
  ) throws -> ResultUpdate {
    let next = try ResultsVersion.fetching(
      source, isTracked: isTracked, numbersAfter: old.highestNumber ?? 0)
    return ResultUpdate(
      version: next, changes: .reset(from: old.layout, to: next.layout),
      source: reason.map { .comparison(reason: $0) })
  }
}

extension ResultSource {
  /// Reads all rows.
  ///
  /// - Throws: `DatabaseError` if one cannot be read.
  fileprivate func checkRows() throws {
    try snapshot.read { connection in
      let statement = try plan.statement(for: plan.parts.observationOfAll, in: connection)
      defer { statement.reset() }
      while try statement.step() {}
    }
  }
}
