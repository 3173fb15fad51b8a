internal import Synchronization

/// One version of a database, which can be read while the snapshot is held, even if the database is written to.
///
/// ```swift
/// let before = try database.snapshot()
/// try database.write { try $0.execute("DELETE FROM track") }
/// let count = try before.read { try $0.value(Int.self, "SELECT count(*) FROM track") }
/// // still the old count
/// ```
///
/// All callers share one snapshot of a version. The version is released with the last reference to the snapshot, or when
/// its database is suspended or closed. A snapshot that is held for long prevents the write-ahead log from being reset.
///
/// Sendable: any thread may read; the reads of one snapshot run one after the other.
public final class Snapshot: Sendable {
  /// The number of the version. A later snapshot of the same `Database` with other content has a
  /// greater number.
  public let version: Int
  /// SQLite's version number of the schema, which every schema change changes.
  ///
  /// Source: [PRAGMA schema_version](https://www.sqlite.org/pragma.html#pragma_schema_version).
  public var schemaVersion: Int64 { schemaVersions[0] }

  /// The schema version of each pinned file, `main` first.
  private let schemaVersions: [Int64]
  /// The versions of the database that are held.
  let chain: VersionChain
  /// The state of the logs that the snapshot sees; nil if it is not known exactly.
  private let stamp: VersionStamp?
  /// Finds the rows written by other connections; nil if that is not possible.
  let pages: WALDiff?
  /// Nil if the version was lost before the file was left.
  private let connection: Locked<Connection?>
  /// Whether a private copy has replaced the version in the file.
  private let hasLeftFile = Atomic(false)
  /// Whether nothing keeps the version any more.
  private let hasExpired = Atomic(false)
  private let state = Locked(State())
  private let release: @Sendable (Connection?) -> Void

  /// Makes a snapshot of a connection with an open read transaction.
  ///
  /// - Parameters:
  ///   - schemaVersions: the version of each schema, `main` first.
  ///   - chain: the versions of the database, which contain this one.
  ///   - stamp: the state of the logs that the transaction sees; nil if it is not known exactly.
  ///   - pages: finds the rows written by other connections; nil if that is not possible.
  ///   - release: called with the connection when the snapshot is released.
  init(
    version: Int, schemaVersions: [Int64], chain: VersionChain, stamp: VersionStamp?,
    pages: WALDiff?, connection: Connection, release: @escaping @Sendable (Connection?) -> Void
  ) {
    self.version = version
    self.schemaVersions = schemaVersions
    self.chain = chain
    self.stamp = stamp
    self.pages = pages
    self.connection = Locked(connection)
    self.release = release
  }

  deinit {
    let connection = connection.withLock { $0 }
    release(connection)
  }

  /// Runs `body` with a connection that sees this version.
  ///
  /// The connection is read-only. Do not keep it: the next call may use a different one. `body` must use the connection
  /// that it receives, and not call `read` again.
  ///
  /// - Throws: what `body` throws; `DatabaseError` with code `.versionExpired` if the database was suspended or closed
  ///   since, and with `.abort` if the version was lost because an earlier `body` ended the transaction, or SQLite did
  ///   after an I/O error.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try connection.withLock { connection in
      if isExpired { throw expiry }
      guard let connection, connection.isInTransaction else {
        // A read outside of the transaction would return the newest version instead of this one.
        throw DatabaseError(
          .sqlite, "the snapshot was lost: its transaction has ended", resultCode: .abort,
          nextStep: "Take a new snapshot")
      }
      return try body(connection)
    }
  }

  /// Runs `body` with connections that see this version and a newer one, or the same.
  package func read<Result>(
    with newer: Snapshot, _ body: (Connection, Connection) throws -> Result
  ) throws -> Result {
    // Two requests in the same version.
    if self === newer { return try read { try body($0, $0) } }
    // Always the older snapshot first, so that two threads cannot deadlock.
    return try read { connection in
      try newer.read { newConnection in try body(connection, newConnection) }
    }
  }

  /// The rows that may differ between this version and a newer one.
  ///
  /// ```swift
  /// switch before.changes(to: after) {
  /// case .rows(let touched): update(touched)
  /// case .unknown(let reason): print("everything is compared: \(reason)")
  /// }
  /// ```
  ///
  /// Rows written by this database are recorded during the write. If another connection or process
  /// has written, the pages of the two versions are compared.
  ///
  /// - Returns: no rows if both snapshots are of the same version; `.unknown` if any row may
  ///   differ.
  /// - Complexity: O(1) if only this database has written and no snapshot of a version between the
  ///   two is held, O(rows touched) if one is held; else O(pages written).
  public func changes(to newer: Snapshot) -> Touched { detectedChanges(to: newer).touched }

  /// The rows that may differ, as ``changes(to:)`` returns them, and whether they are known because
  /// this database recorded its own writes, and not from the pages.
  package func detectedChanges(to newer: Snapshot) -> (touched: Touched, isCaptured: Bool) {
    let captured = capturedChanges(to: newer)
    guard case .unknown(let reason) = captured else { return (captured, true) }
    // Only the version that has a schema can be read for the trees of that schema.
    guard reason.isToldByPages, hasSameSchema(as: newer), let pages, let stamp,
      let newerStamp = newer.stamp, newer.pages === pages, isInFile, newer.isInFile
    else { return (captured, false) }
    let touched = pages.touched(from: stamp, to: newerStamp, schemaVersions: schemaVersions)
    guard case .rows = touched else { return (touched, false) }
    // The pages of a version that is no longer pinned may have been overwritten meanwhile.
    return (isInFile && newer.isInFile ? touched : captured, false)
  }

  /// The changes that are known without reading pages.
  func capturedChanges(to newer: Snapshot) -> Touched {
    guard chain === newer.chain else { return .unknown(.unrelated) }
    guard version <= newer.version else { return .unknown(.notNewer) }
    guard schemaVersions == newer.schemaVersions else { return .unknown(.schemaChanged) }
    return chain.touched(from: version, to: newer.version)
  }

  /// Whether all schemas are the same, including those of attached files.
  package func hasSameSchema(as other: Snapshot) -> Bool { schemaVersions == other.schemaVersions }

  /// The number of values that are cached, for tests.
  var answerCount: Int { state.withLock { $0.answers.count } }

  /// The number of versions of the database that are held, for tests.
  var versionCount: Int { chain.count }

  /// Whether the version was lost. Returns false if a reader holds the connection; never waits.
  var isLost: Bool { connection.withLockIfAvailable { $0?.isInTransaction != true } ?? false }

  /// Whether the pages of the version are still pinned in the file.
  private var isInFile: Bool { !isLost && !hasLeftFile.load(ordering: .sequentiallyConsistent) }

  /// Replaces the connection by one to a private copy of the version, so that the file is released.
  /// Waits until no other thread reads the snapshot.
  ///
  /// - Parameter copy: makes a copy of what a connection sees.
  func releaseFile(_ copy: (Connection) throws -> Connection) throws {
    try connection.withLock { connection in
      guard let current = connection, !current.isPrivateCopy else { return }
      // A lost version stays lost: a copy would be of the newest one.
      let copy = current.isInTransaction ? try copy(current) : nil
      hasLeftFile.store(true, ordering: .sequentiallyConsistent)
      connection = copy
    }
  }

  /// The error of a version that has expired.
  private var expiry: DatabaseError {
    DatabaseError(
      .versionExpired,
      "version \(version) was released, as the database was suspended or closed",
      nextStep: """
        Resume the database. A list can be read again from its next batch on, others take a new snapshot
        """)
  }

  /// Replaces the connection by `replacement`, which sees the same version, unless the snapshot is
  /// being read.
  ///
  /// - Returns: the connection that is no longer needed: the old one, or `replacement`.
  func exchange(for replacement: Connection) -> Connection {
    let unneeded = connection.withLockIfAvailable { connection in
      // A lost version that has left the file has no connection, and gets none.
      guard let old = connection else { return replacement }
      connection = replacement
      return old
    }
    return unneeded ?? replacement
  }
}

// MARK: - The end of a version

/// Something that keeps what it needs of a version when that expires.
package protocol VersionHolder: AnyObject, Sendable {
  /// Reads what is needed, for the last time. The snapshot must not be read.
  func willExpire(_ connection: Connection)
}

extension Snapshot {
  /// Whether the version can no longer be read, since its database was suspended or closed.
  public var isExpired: Bool { hasExpired.load(ordering: .sequentiallyConsistent) }

  /// Tells an object before the version expires. It is kept alive until it is removed.
  package func add(_ holder: any VersionHolder) {
    state.withLock { $0.holders[ObjectIdentifier(holder)] = holder }
  }

  /// Removes an object that was added.
  package func remove(_ holder: any VersionHolder) {
    state.withLock { _ = $0.holders.removeValue(forKey: ObjectIdentifier(holder)) }
  }

  /// Runs `body`. The version does not expire before `body` has returned.
  ///
  /// - Throws: what `body` throws; `DatabaseError` with code `.versionExpired` if it has expired before.
  package func whileReadable<Result>(_ body: () throws -> Result) throws -> Result {
    guard beginUse() else { throw expiry }
    defer { endUse() }
    return try body()
  }

  /// Runs `body`. Unless the version has expired before, it does not before `body` has returned.
  package func whileUnchanged<Result>(_ body: () throws -> Result) rethrows -> Result {
    let isKept = beginUse()
    defer { if isKept { endUse() } }
    return try body()
  }

  /// - Returns: false if the version has expired. Otherwise it does not before ``endUse()``.
  func beginUse() -> Bool {
    state.withLock { state in
      if !isExpired { state.userCount += 1 }
      return !isExpired
    }
  }

  func endUse() { state.withLock { $0.userCount -= 1 } }

  /// Ends the version, after its holders have read what they need. Waits until no thread reads it.
  ///
  /// - Returns: false if somebody uses it. Then it has not expired.
  func expire() -> Bool {
    connection.withLock { current in
      guard state.withLock({ $0.userCount == 0 }) else { return false }
      if let connection = current, connection.isInTransaction, !isExpired {
        for holder in state.withLock({ $0.holders }).values { holder.willExpire(connection) }
      }
      return state.withLock { state in
        guard state.userCount == 0 else { return false }
        hasExpired.store(true, ordering: .sequentiallyConsistent)
        hasLeftFile.store(true, ordering: .sequentiallyConsistent)
        current = nil
        return true
      }
    }
  }
}

// MARK: - Values by rowid

extension Snapshot {
  /// Who uses a version, and what is known of it.
  private struct State {
    var holders: [ObjectIdentifier: any VersionHolder] = [:]
    /// The number of callers that must be able to read the version.
    var userCount = 0
    /// The values read by rowid. See ``value(of:rowID:)``.
    var answers: [Question: Value?] = [:]
  }

  /// A query for one value, and the rowid to bind to it.
  struct Question: Hashable {
    /// As a `Value`, which is compared by its bytes.
    let query: Value
    let rowID: Int64
  }

  /// One value of one row, which is read on the first call and cached, since the lists of one table
  /// read the same values.
  ///
  /// - Parameter query: returns at most one row of one column; its parameter is the rowid.
  /// - Returns: nil if the query returns no row.
  package func value(of query: String, rowID: Int64) throws -> Value? {
    let question = Question(query: .text(query), rowID: rowID)
    if let answer = state.withLock({ $0.answers[question] }) { return answer }
    let answer = try read { connection -> Value? in
      let statement = try connection.cachedStatement(query)
      statement.reset()
      defer { statement.reset() }
      try statement.bind(rowID, at: 1)
      // `.none`, not nil: a nil `Value` would be NULL.
      guard try statement.step() else { return .none }
      return statement.currentRow.value(at: 0)
    }
    state.withLock { state in
      if state.answers.count >= Snapshot.answerLimit { state.answers = [:] }
      state.answers[question] = .some(answer)
    }
    return answer
  }

  /// The maximum number of cached values. Lists that follow a version read the few rows that differ
  /// from the versions before and after it.
  private static var answerLimit: Int { 64 }
}
