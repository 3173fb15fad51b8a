internal import Synchronization

/// Pins versions of a database: makes snapshots, shares the newest, and keeps the write-ahead log
/// from growing without bound under them.
final class SnapshotKeeper: Sendable {
  private struct State {
    /// A connection that is never in a transaction, through which the newest version is looked at.
    let monitor: Connection
    weak var newest: Snapshot?
    /// What tells the newest snapshot's version; nil where it is not known which that is.
    var newestMark: VersionMark?
    /// Whether the newest snapshot reads the database files only, and needs no log.
    var isNewestOffLog = false
    var lastVersion = 0
  }

  // They are closed in this order, when the database and its last snapshot are gone. Only a
  // connection that may write removes the log, and only where it is the last: the monitor. A
  // temporary folder goes after all of them.
  private let readers: ReaderPool
  /// Tells what others have written, through the readers; nil where there is no log to tell it.
  private let pages: LogPages?
  private let state: Guarded<State>
  private let housekeeping: Housekeeping

  /// What the snapshots are versions of.
  let files: PinnedFiles
  /// How many snapshots somebody holds.
  let liveCount = LiveCount()

  private let kind: Database.SnapshotKind
  private let configuration: Database.Configuration
  private let mayCheckpoint: Bool
  private let schemaVersionQueries: [String]
  private let chain = VersionChain()
  /// What the writer of this database has touched; nil where it has none, or has no log.
  private let capture: WriteCapture?

  /// - Parameter capture: that of the connection that writes, where there is one.
  init(
    kind: Database.SnapshotKind, monitor: Connection, readers: ReaderPool, capture: WriteCapture?,
    configuration: Database.Configuration, mayCheckpoint: Bool, housekeeping: Housekeeping
  ) throws {
    self.kind = kind
    self.readers = readers
    self.configuration = configuration
    self.mayCheckpoint = mayCheckpoint
    self.housekeeping = housekeeping
    files = try PinnedFiles(of: monitor, kind: kind)
    schemaVersionQueries = files.pinnedSchemas.map {
      "PRAGMA \($0.quotedIdentifier).schema_version"
    }
    self.capture = files.isStamped ? capture : nil
    pages =
      files.isStamped && files.obstacle == nil
      ? LogPages(readers: readers, schemas: files.pinnedSchemas) : nil
    state = Guarded(State(monitor: monitor))
  }

  /// The mark of the newest version; nil where it cannot be told just now.
  func mark() -> VersionMark? {
    state.withLock { try? files.mark(seenBy: $0.monitor) }
  }

  /// Lets the log be started over, where that is due, while a held snapshot may still be of the newest
  /// version: after the write it is not any more.
  ///
  /// - Throws: `DatabaseError` of code `.fileReplaced` where the write would be lost.
  func prepareToWrite() throws {
    try state.withLock { state in
      if try files.mark(seenBy: state.monitor)?.hasMoved == true {
        throw DatabaseError.fileReplaced(state.monitor.path)
      }
      shortenLog(&state)
    }
  }

  /// A snapshot of the newest version.
  ///
  /// - Throws: `DatabaseError`, of code `.fileReplaced` where the file is not at its path any more.
  func snapshot() throws -> Snapshot {
    try state.withLock { state in
      let mark = try files.mark(seenBy: state.monitor)
      if mark?.hasMoved == true { throw DatabaseError.fileReplaced(state.monitor.path) }
      if let newest = state.newest, let newestMark = state.newestMark, let mark,
        mark.hasSameContent(as: newestMark), !newest.isLost
      {
        shortenLog(&state)
        return newest
      }
      let connection = try readers.take()
      let pin: Pin
      do {
        pin = try whileNoCommitRuns { try self.pin(connection, state) }
      } catch {
        readers.giveBack(connection)
        throw error
      }
      guard kind == .privateCopy else { return adopt(connection, pin, in: &state) }
      // The pinned connection keeps writers waiting, but only until the copy is made.
      defer { readers.giveBack(connection) }
      return adopt(
        try PrivateCopy.make(of: connection, configuration: configuration), pin, in: &state)
    }
  }

  /// A version that a connection has just been made to see.
  private struct Pin {
    let mark: VersionMark?
    let schemaVersions: [Int64]
    let touched: Touched
  }

  /// Begins a transaction that sees the newest version.
  private func pin(_ connection: Connection, _ state: State) throws -> Pin {
    var schemaVersions: [Int64] = []
    var mark: VersionMark?
    for _ in 0..<SnapshotKeeper.pinAttempts {
      let before = try files.mark(seenBy: state.monitor)
      schemaVersions = try begin(on: connection)
      mark = try files.mark(seenBy: state.monitor)
      if mark != nil, mark == before { break }
      // Somebody committed between the two looks, so it is not known which side the pin is on.
      mark = nil
    }
    // Under a storm of commits: a good snapshot, only nobody else can know whether it is theirs.
    let touched: Touched
    if let obstacle = files.obstacle {
      touched = .unknown(obstacle)
    } else if let capture {
      touched = capture.take(pinnedAt: mark?.stamp, schemaVersions: schemaVersions)
    } else {
      touched = .unknown(.otherWriter)
    }
    return Pin(mark: mark, schemaVersions: schemaVersions, touched: touched)
  }

  private func adopt(_ connection: Connection, _ pin: Pin, in state: inout State) -> Snapshot {
    state.lastVersion += 1
    liveCount.value.add(1, ordering: .acquiringAndReleasing)
    let version = state.lastVersion
    chain.append(version, touched: pin.touched)
    let snapshot = Snapshot(
      version: version, schemaVersions: pin.schemaVersions, chain: chain, stamp: pin.mark?.stamp,
      pages: pages, connection: connection
    ) { [self] in
      chain.remove(version)
      release($0)
      liveCount.value.subtract(1, ordering: .acquiringAndReleasing)
    }
    state.newest = snapshot
    state.newestMark = pin.mark
    state.isNewestOffLog = false
    shortenLog(&state)
    return snapshot
  }

  private func whileNoCommitRuns<Result>(_ body: () throws -> Result) rethrows -> Result {
    try capture?.gate.withGateClosed(body) ?? body()
  }

  /// Begins a transaction, after ending the one that is open.
  ///
  /// - Returns: the version of each schema that is pinned.
  private func begin(on connection: Connection) throws -> [Int64] {
    if connection.isInTransaction { try connection.execute("ROLLBACK") }
    try connection.execute("BEGIN")
    // BEGIN alone pins nothing: the first read does. This one costs the least.
    return try schemaVersionQueries.map { sql in
      let statement = try connection.keptStatement(sql)
      defer { statement.reset() }
      try statement.step()
      return statement.currentRow.int64(at: 0)
    }
  }

  // MARK: - The write-ahead log

  /// Lets the log be started over where it has grown past the threshold and no snapshot needs its
  /// older frames. Whoever holds one snapshot lets go of it only after it has the next: so this is
  /// tried not just when a snapshot is made, but before and after each write too.
  ///
  /// Nothing that anybody asked for fails where it cannot be done: it is tried again.
  func shortenLog() {
    guard mayCheckpoint else { return }
    state.withLock { shortenLog(&$0) }
  }

  private func shortenLog(_ state: inout State) {
    guard mayCheckpoint else { return }
    let headers = files.pinnedSchemas.compactMap { WALIndexHeader(of: state.monitor, schema: $0) }
    guard headers.count == files.pinnedSchemas.count,
      headers.contains(where: { $0.frameCount >= configuration.checkpointThreshold })
    else { return }
    let isCopied = headers.allSatisfy { $0.backfilledFrameCount == $0.frameCount }
    switch liveCount.value.load(ordering: .acquiring) {
    case 0:
      if !isCopied { _ = checkpoint(state) }
    case 1:
      if !state.isNewestOffLog { repin(isCopied: isCopied, &state) }
    default: break
    }
  }

  /// Moves the only snapshot off the log, where it is of the newest version.
  ///
  /// A reader that is always there keeps the log from being started over. So, once the log is long:
  /// copy all of it into the database file, which is possible while the only reader is at its last
  /// frame; then pin another connection, to which SQLite hands the read-mark for "all in the file,
  /// none in the log", before the first is released. The next writer starts the log over.
  private func repin(isCopied: Bool, _ state: inout State) {
    guard let snapshot = state.newest, let mark = state.newestMark, isNewest(mark, state),
      isCopied || checkpoint(state), let replacement = try? readers.take()
    else { return }
    // Taking over a version that somebody has committed since would change the content.
    guard (try? begin(on: replacement)) != nil, isNewest(mark, state) else {
      return release(replacement)
    }
    let spare = snapshot.exchange(for: replacement)
    state.isNewestOffLog = spare !== replacement
    release(spare)
  }

  private func isNewest(_ mark: VersionMark, _ state: State) -> Bool {
    (try? files.mark(seenBy: state.monitor))?.hasSameContent(as: mark) == true
  }

  /// - Returns: whether all of each log was copied into its database.
  private func checkpoint(_ state: State) -> Bool {
    files.pinnedSchemas.reduce(true) { state.monitor.checkpoint($1) && $0 }
  }

  private func release(_ connection: Connection) {
    // A private copy serves one version only; closing it removes it.
    if kind != .privateCopy { readers.giveBack(connection) }
  }

  /// Beyond this many commits in a row at just the wrong moment, waiting longer has no point.
  private static var pinAttempts: Int { 16 }
}

extension DatabaseError {
  /// The error for a file that is not at its path any more.
  fileprivate static func fileReplaced(_ path: String) -> DatabaseError {
    DatabaseError(
      .fileReplaced, "the file was replaced or removed: \(path)",
      nextStep: "Open the database anew; what was read before stays readable")
  }
}
