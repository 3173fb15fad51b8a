public import SQLiteStorage

extension Database {
  /// What any connection or process changes in the tables of the file, row by row, before and after.
  ///
  /// ```swift
  /// for try await changes in database.changes(except: ["cache"]) {
  ///   try changes.forEachRow { print($0.kind, $0.table, $0.key) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - tables: the names of the tables; nil for all. The first `next()` throws `FetchError` with code `.noSuchTable` if one
  ///     of them is not a table.
  ///   - except: the names of tables that are left out.
  ///   - condition: SQL on a row: a change is told if it is true of the old or of the new row. The first `next()` throws
  ///     `FetchError` with code `.invalidCondition` if it does not fit one of the tables.
  ///   - snapshot: the version from which on changes are told; nil for the newest at the first `next()`. A snapshot of
  ///     another `Database` is compared: what differs in this one is the first element.
  public func changes(
    tables: [String]? = nil, except: [String] = [], where condition: SQL? = nil,
    since snapshot: Snapshot? = nil
  ) -> ChangeLog {
    ChangeLog(
      database: self, tables: LoggedTables(tables, except: except, where: condition),
      start: snapshot)
  }
}

/// The changes of the rows of a database as a sequence: `database.changes()`.
///
/// Each element leads from the version of the element before to the one that is newest when the consumer asks for it. So a
/// slow consumer gets several transactions as one element, never a queue. A transaction that changes no row of the tables
/// gives no element. If the task is cancelled, the sequence ends.
///
/// No trigger or table is added to the file. In WAL mode no writer waits. The rows are those that its write-ahead log, or the
/// `Database`'s own writer, has touched; where that is not known, both versions are compared, and the element has a
/// ``DatabaseChanges/gap``. The rows of virtual tables and of SQLite's own tables are not told, nor those of attached
/// files.
///
/// | the file | an element costs |
/// |---|---|
/// | is in WAL mode | two look-ups for each touched row |
/// | the schema has changed, or there is a gap | reading both versions of all tables |
/// | is not in WAL mode | a copy of the file, for which writers wait, at most a fifth of the time; and comparing its pages |
///
/// An error ends the iteration, not the sequence: call `next()` again to continue from the last element. It retries
/// after the next commit, and throws the same error once, as ``FetchedUpdates`` does.
///
/// Sendable: each iterator observes separately.
public struct ChangeLog: AsyncSequence, Sendable {
  /// What has changed since the element before.
  public typealias Element = DatabaseChanges

  let database: Database
  let tables: LoggedTables
  /// For the values of the rows of each element.
  var memory = RowMemory()
  let start: Snapshot?

  /// Makes an iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      database: database, tables: tables, memory: memory, place: Place(start: start),
      engine: EngineQueue(of: database), attempts: ObservationAttempts(of: database))
  }

  /// Iterates over the changes.
  ///
  /// Not Sendable: it belongs to the task that iterates.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let database: Database
    fileprivate let tables: LoggedTables
    fileprivate let memory: RowMemory
    fileprivate var place: Place
    fileprivate let engine: EngineQueue
    fileprivate let attempts: ObservationAttempts
    /// Until when a file that is copied for each element is left to its writers; nil for another file.
    fileprivate(set) var pauseEnd: ContinuousClock.Instant?
    /// Where ``goBack()`` leads to: before the last element. Nil while the next one is awaited, which may take any time: an old
    /// version would keep SQLite's log from being reset.
    fileprivate var before: Place?

    /// The version up to which changes were told; nil before the first one. It keeps its copy if it is not pinned, so that
    /// another log can begin there.
    package var version: LoggedVersion? { place.version }

    /// Runs `body` with a connection that sees the version up to which changes were told.
    package func withVersion(_ body: (Connection) throws -> Void) throws {
      try place.version?.read(body)
    }

    /// Begins at the newest version, unless the log has a start, so that everything is told that is changed after the call.
    ///
    /// - Returns: the names of the tables whose changes are told, and of the virtual ones, which are left out.
    /// - Throws: `DatabaseError` and `FetchError`.
    package mutating func begin() async throws -> (tables: [String], omitted: [String]) {
      if place.version == nil {
        place.version = try await engine.run { [database, tables, start = place.start] in
          if let start { return try Way.first(start, tables) }
          return try database.withSnapshot { try Way.first($0, tables) }
        }.get()
        place.start = nil
      }
      place.omitsTables = false
      let schema = place.version?.schema
      return (schema?.namesOfTables ?? [], schema?.virtualTables ?? [])
    }

    /// The next changes; nil if the task was cancelled.
    ///
    /// - Throws: `DatabaseError` and `FetchError`.
    public mutating func next() async throws -> DatabaseChanges? { try await next(as: { $0 }) }

    /// The next changes as the element of another loop; nil if the task was cancelled.
    ///
    /// - Parameter make: makes the element, or returns nil for changes that are none. If it throws, the next attempt has
    ///   the same changes, and later ones.
    /// - Throws: as `next()`, and what `make` throws.
    mutating func next<Made>(
      as make: (DatabaseChanges) throws -> Made?
    ) async throws -> Made? {
      try await attempts.element {
        try await attempts.step { try await told(as: make) }.map { ($0, errors: []) }
      }
    }

    /// The changes up to the newest version, as an element; nil if there are none to tell.
    private mutating func told<Made>(
      as make: (DatabaseChanges) throws -> Made?
    ) async throws -> Made? {
      before = nil
      // If the task is cancelled meanwhile, the loop ends.
      if let pauseEnd { try? await Task.sleep(until: pauseEnd, clock: .continuous) }
      let began = ContinuousClock.now
      guard let step = try await step() else { return nil }
      if step.version.isCopied {
        pauseEnd = .now + (.now - began) * ChangeLog.pauseFactor
      }
      var next = Place(
        version: step.version, commitCount: place.commitCount, omitsTables: place.omitsTables)
      if let changes = step.changes {
        next.commitCount = changes.commitCount.flatMap { count in
          place.commitCount.map { $0 + count }
        }
      }
      guard var changes = step.changes, changes.isTold else {
        let isFirst = place.version == nil
        place = next
        // The newest version was only the start.
        return isFirst ? try await told(as: make) : nil
      }
      changes.commitCount = next.commitCount
      if place.omitsTables { changes.omittedTables = step.version.schema.virtualTables }
      guard let made = try make(changes) else {
        // Nothing is told: there is nothing to go back to, and its transactions count for the next element.
        place = next
        return nil
      }
      (next.commitCount, next.omitsTables) = (0, false)
      (before, place) = (place, next)
      return made
    }

    /// Goes back to before the last element, so that the next one has its changes too. It is called before the next element
    /// is asked for.
    package mutating func goBack() {
      if let before { place = before }
      before = nil
    }

    /// A step; nil if there is no newer version.
    private func step() async throws -> Step? {
      try await engine.run { [database, tables, memory, place] in
        let way = try database.withSnapshot { newest in
          try Way.next(to: newest, from: place.version, start: place.start, tables)
        }
        // Writers of a file that is not in WAL mode wait until here, and not for the comparison.
        return try way?.step(memory)
      }.get()
    }
  }
}

extension ChangeLog {
  /// How much longer a file is left to its writers than it took to copy and compare it.
  fileprivate static var pauseFactor: Int { 4 }
}

/// What an iterator has reached.
private struct Place: Sendable {
  /// The version up to which changes were told; nil before the first `next()`.
  var version: LoggedVersion?
  /// The version from which the first step leads; nil after it, or for the newest.
  var start: Snapshot?
  /// The number of transactions since the last element; nil if it is not known.
  var commitCount: Int? = 0
  /// Whether the virtual tables are still to be named.
  var omitsTables = true
}

/// A step from the version that was reached to the newest.
private struct Step: Sendable {
  let version: LoggedVersion
  /// Nil if the version is the start.
  let changes: DatabaseChanges?
}

/// The versions between which a step leads.
private struct Way: Sendable {
  /// Nil if there is none, or it was lost.
  let old: LoggedVersion?
  let new: LoggedVersion
  /// The rows that may differ, if they are known while both versions are pinned.
  var detected: DetectedChanges?
  /// The number of transactions between the two; nil if it is not known.
  var commitCount: Int?
  /// Why the old version was lost.
  var loss: DatabaseError?

  func step(_ memory: RowMemory) throws -> Step {
    if let loss {
      let gap = ChangeGap(reason: loss.message, isBridged: false)
      return Step(version: new, changes: DatabaseChanges(from: nil, to: new, gap: gap))
    }
    guard let old else { return Step(version: new, changes: nil) }
    var changes = try ChangeFinder(from: old, to: new).changes(detected, memory)
    changes.commitCount = commitCount
    return Step(version: new, changes: changes)
  }

  /// - Parameters:
  ///   - current: the version that was reached; nil before the first step.
  ///   - start: the version from which the first step leads.
  /// - Returns: nil if there is no newer version.
  static func next(
    to newest: Snapshot, from current: LoggedVersion?, start: Snapshot?, _ tables: LoggedTables
  ) throws -> Way? {
    if current?.snapshot === newest { return nil }
    let old: LoggedVersion?
    do {
      old = try current ?? start.map { try first($0, tables) }
    } catch let error as DatabaseError where error.code == .versionExpired {
      return Way(old: nil, new: try first(newest, tables), loss: error)
    }
    guard let old, old.snapshot !== newest else {
      return Way(old: nil, new: try old ?? first(newest, tables))
    }
    let detected = old.snapshot.detectedChanges(to: newest)
    let isKnown = if case .rows = detected.touched { true } else { false }
    let schema = isKnown ? old.schema : try newest.read { try LoggedSchema(tables, in: $0) }
    return Way(
      old: old, new: LoggedVersion(newest, schema), detected: isKnown ? detected : nil,
      commitCount: old.snapshot.commitCount(to: newest))
  }

  static func first(_ snapshot: Snapshot, _ tables: LoggedTables) throws -> LoggedVersion {
    func version() throws -> LoggedVersion {
      let schema = try snapshot.readKept { connection in
        let schema = try LoggedSchema(tables, in: connection)
        try tables.check(schema, in: connection)
        return schema
      }
      return LoggedVersion(snapshot, schema)
    }
    // Of a file that was replaced, only the copy is left. Else, if it is released when that ends, it is copied before.
    return try snapshot.hasKeptCopy ? version() : snapshot.whileReadable(version)
  }
}
