internal import Synchronization

/// One version of a database.
///
/// ```swift
/// let before = try database.snapshot()
/// try database.write { try $0.execute("DELETE FROM track") }
/// let count = try before.read { try $0.value(Int.self, "SELECT count(*) FROM track") }
/// // still the old count
/// ```
///
/// All callers share one snapshot of a version. A snapshot is in one of two states:
/// - *Pinned.* A read transaction sees the version, whatever is written. It ends with the last reference to the snapshot.
/// - *Released.* There is no transaction and no lock. As long as the version is the newest, a read sees it; later, a read
///   throws `.versionExpired`.
///
/// ``Database/snapshotKind`` says what the snapshots of a file are. A pinned one is released when its database is suspended or
/// closed. Until it ends, it prevents the write-ahead log from being reset, and if the log becomes long, the version is copied
/// into a file of its own. So do not keep a snapshot for long. To read one version for as long as it takes, use
/// `Database.read`.
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

  /// The schema version of each file, `main` first.
  private let schemaVersions: [Int64]
  /// The versions of the database that are held.
  let chain: VersionChain
  /// The header of the log that the version has; nil if it is not known exactly.
  let stamp: WALHeader?
  /// Finds the rows written by other connections; nil if that is not possible.
  let pages: WALDiff?
  let keeper: SnapshotKeeper
  /// A connection whose transaction sees the version; nil if it is released. Locked while the version is read.
  let connection: Locked<Connection?>
  let isPinnedNow: Atomic<Bool>
  /// Whether a private copy has replaced the version in the file.
  let hasLeftFile = Atomic(false)
  /// A copy of `main` that is kept after the version was released; nil if there is none. Locked while it is read.
  let keptCopy = Locked<Connection?>(nil)
  /// What does not wait for a read.
  let state = Locked(State())

  /// - Parameters:
  ///   - schemaVersions: the version of each schema, `main` first.
  ///   - chain: the versions of the database, which contain this one.
  ///   - stamp: the header of the log that the version has; nil if it is not known exactly.
  ///   - pages: finds the rows written by other connections; nil if that is not possible.
  ///   - connection: a connection with a transaction that sees the version; nil for a released one.
  init(
    version: Int, schemaVersions: [Int64], chain: VersionChain, stamp: WALHeader?, pages: WALDiff?,
    connection: Connection?, keeper: SnapshotKeeper
  ) {
    self.version = version
    self.schemaVersions = schemaVersions
    self.chain = chain
    self.stamp = stamp
    self.pages = pages
    self.keeper = keeper
    self.connection = Locked(connection)
    isPinnedNow = Atomic(connection != nil)
    if connection != nil { chain.didPin() }
  }

  deinit {
    // Taken out, so that the keeper may close it before its last connection.
    let connection = connection.withLock { connection in
      defer { connection = nil }
      return connection
    }
    if connection != nil, !hasLeftFile.load(ordering: .acquiring) { chain.didRelease() }
    keeper.remove(version, connection)
  }

  /// Runs `body` with a connection that sees this version.
  ///
  /// The connection is read-only. Do not keep it: the next call may use a different one. `body` must use the connection
  /// that it receives, and not call `read` again.
  ///
  /// - Throws: what `body` throws; `DatabaseError` with code `.versionExpired` if the version is released and no longer the
  ///   newest, and with `.abort` if it was lost because an earlier `body` ended the transaction, or SQLite did after an I/O
  ///   error.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let result = try connection.withLock { connection -> Result? in
      guard let connection else { return nil }
      guard connection.isInTransaction else {
        // A read outside of the transaction would return the newest version instead of this one.
        throw DatabaseError(
          .sqlite, "the snapshot was lost: its transaction has ended", resultCode: .abort,
          nextStep: "Take a new snapshot")
      }
      return .some(try body(connection))
    }
    if let result { return result }
    return try keeper.read(at: version, body)
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

  /// The rows that may differ between this version and a newer one, and how they were found.
  ///
  /// Rows written by this database are recorded during the write. If another connection or process
  /// has written, the pages of the two versions are compared: those in the log, or, if a version is a private copy, all.
  ///
  /// - Parameter isMainEnough: whether rows of attached files do not matter. Copies are of `main` alone.
  /// - Returns: no rows if both snapshots are of the same version; `.unknown` if any row may
  ///   differ.
  /// - Complexity: O(1) if only this database has written and no snapshot of a version between the
  ///   two is held, O(rows touched) if one is held; else O(pages written); O(size of the file) if a version is a copy, of
  ///   which each page is only compared. O(1) if the same was asked last.
  package func detectedChanges(
    to newer: Snapshot, inMainAlone isMainEnough: Bool = false
  ) -> DetectedChanges {
    // All lists of a version ask the same.
    if chain === newer.chain, let known = state.withLock({ $0.detected }),
      known.version == newer.version, known.isMainEnough == isMainEnough
    {
      return known.changes
    }
    func keep(_ changes: DetectedChanges) -> DetectedChanges {
      state.withLock { $0.detected = (newer.version, isMainEnough, changes) }
      return changes
    }
    let captured = capturedChanges(to: newer)
    guard case .unknown(let reason) = captured else {
      let changes = DetectedChanges(captured, isCaptured: true)
      // Otherwise the rows are those of the chain, which would have to copy them to add others.
      return chain.holdsVersion(between: version, and: newer.version) ? keep(changes) : changes
    }
    // Only the version that has a schema can be read for the trees of that schema.
    guard reason.isToldByPages || isMainEnough && reason == .hasAttachedFiles,
      hasSameSchema(as: newer)
    else { return DetectedChanges(captured) }
    if let touched = touchedInLog(to: newer) { return keep(DetectedChanges(touched)) }
    // They may have become copies meanwhile.
    return touchedInPages(to: newer).map { keep(DetectedChanges($0, inCopiesSince: reason)) }
      ?? DetectedChanges(captured)
  }

  /// The rows that may differ in a newer version with the same schema, by the pages in the log.
  ///
  /// - Returns: nil if one of the versions is not pinned in the file.
  private func touchedInLog(to newer: Snapshot) -> Touched? {
    guard let pages, let stamp, let newerStamp = newer.stamp, newer.pages === pages, isInFile,
      newer.isInFile
    else { return nil }
    let touched = pages.touched(from: stamp, to: newerStamp, schemaVersion: schemaVersion) {
      isInFile && newer.isInFile
    }
    // The pages of a version that is no longer pinned may have been overwritten meanwhile.
    return isInFile && newer.isInFile ? touched : nil
  }

  /// The number of transactions that were committed from this version to a newer one; nil if it is not known, as for a file
  /// that is not in WAL mode.
  ///
  /// - Complexity: O(1) if only this database has written, else a read for each frame of the log between the two.
  package func commitCount(to newer: Snapshot) -> Int? {
    guard let stamp, let newerStamp = newer.stamp else { return nil }
    // A header that was recovered counts as written by another.
    if case .rows = capturedChanges(to: newer) { return newerStamp.commitCount(since: stamp) }
    guard let pages, newer.pages === pages, isInFile, newer.isInFile else { return nil }
    let count = pages.commitCount(from: stamp, to: newerStamp)
    // The frames of a version that is no longer pinned may have been overwritten meanwhile.
    return isInFile && newer.isInFile ? count : nil
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

  /// Whether the version was lost. Returns false if a reader holds the connection; never waits.
  var isLost: Bool {
    connection.withLockIfAvailable { $0.map { !$0.isInTransaction } ?? false } ?? false
  }

  /// Whether the pages of the version are pinned in the file.
  var isInFile: Bool { isPinned && !isLost && !hasLeftFile.load(ordering: .acquiring) }

  /// Whether the version is read from a private copy.
  var isPrivateCopy: Bool { isPinned && hasLeftFile.load(ordering: .acquiring) }
}
