internal import Dispatch
internal import Synchronization

/// Pins versions of a database: makes snapshots, shares the newest, and keeps the write-ahead log
/// from growing without bound under them.
final class SnapshotKeeper: Sendable {
  struct State {
    /// A connection that is never in a transaction, through which the newest version is looked at.
    let monitor: Connection
    weak var newest: Snapshot?
    /// What tells the newest snapshot's version; nil where it is not known which that is.
    var newestMark: VersionMark?
    /// Of which schemas the newest snapshot reads the database file only, and needs no log: their
    /// numbers in the order of the pinned schemas.
    var leftLogs: Set<Int> = []
    var lastVersion = 0
    /// A connection that keeps others from committing while it must; nil before it was needed.
    var brake: Connection?
    /// Which time it does so; nil while it does not.
    var braking: Int?
    var brakeCount = 0
    /// How long a log must be for that, after it was of no use.
    var leastBrakedCount = 0
    /// Called at the moments in which a commit of another process would do the most harm: tests let
    /// one happen there.
    var momentPassed: (@Sendable (Moment) -> Void)?
  }

  /// A moment between two steps that a commit may fall between.
  enum Moment {
    /// The mark was read, and nothing is pinned yet.
    case markedBeforePin
    /// A version is pinned, and the mark was not read again.
    case pinned
    /// The log is copied, and the connection that is to leave it has not begun.
    case copiedLog
    /// That connection has begun, and the mark was not read again.
    case leftLog
  }

  /// What is done about a log that has grown long.
  enum LogDuty {
    /// Nothing: the file cannot be written.
    case none
    /// It is copied into the database file when it is far longer than it should be. For those who
    /// only read: others see to it, but cannot while a version of it is held.
    case rare
    /// It is copied as soon as it is long, and others are held up for a moment where that is the
    /// only way.
    case full
  }

  // They are closed in this order, when the database and its last snapshot are gone. Only a
  // connection that may write removes the log, and only where it is the last: the monitor. A
  // temporary folder goes after all of them.
  let readers: ReaderPool
  /// Tells what others have written, through the readers; nil where there is no log to tell it.
  private let pages: LogPages?
  let state: Guarded<State>
  private let housekeeping: Housekeeping
  /// Where the connections to private copies are added.
  private let interrupters: InterrupterRegistry

  /// What the snapshots are versions of.
  let files: PinnedFiles
  /// How many snapshots somebody holds.
  let liveCount = LiveCount()

  /// The path of `main` as the caller gave it.
  private let path: String
  private let kind: Database.SnapshotKind
  let configuration: Database.Configuration
  let logDuty: LogDuty
  let openBrake: @Sendable () throws -> Connection
  /// Whether the log is long, and only waits for a snapshot to be let go of.
  let isShorteningDue = Atomic(false)
  let queue = DispatchQueue(label: "FetchedResults.SnapshotKeeper")
  private let schemaVersionQueries: [String]
  private let chain = VersionChain()
  /// What the writer of this database has touched; nil where it has none, or has no log.
  private let capture: WriteCapture?

  /// - Parameters:
  ///   - path: the path of `main`, for errors.
  ///   - capture: that of the connection that writes, where there is one.
  ///   - openBrake: opens another connection like `monitor`.
  init(
    path: String, kind: Database.SnapshotKind, monitor: Connection, readers: ReaderPool,
    capture: WriteCapture?, configuration: Database.Configuration, logDuty: LogDuty,
    openBrake: @escaping @Sendable () throws -> Connection, housekeeping: Housekeeping,
    interrupters: InterrupterRegistry
  ) throws {
    self.path = path
    self.kind = kind
    self.readers = readers
    self.configuration = configuration
    // Where the system did not let it be opened for writing, nothing can be copied.
    self.logDuty = kind == .readTransaction && !monitor.isReadOnly ? logDuty : .none
    self.openBrake = openBrake
    self.housekeeping = housekeeping
    self.interrupters = interrupters
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

  deinit { _ = state.withLock { keepLogs($0) } }

  /// The mark of the newest version; nil if it is not known just now.
  ///
  /// Logs that another connection may be waiting to start over are left on the way.
  func look() -> VersionMark? {
    state.withLock { state in
      leaveCopiedLogs(&state)
      do {
        var mark = try files.mark(seenBy: state.monitor)
        if mark == nil {
          // Who wrote the header died half-way, and what it committed shows when somebody reads.
          for schema in files.pinnedSchemas { _ = try state.monitor.schemaVersion(of: schema) }
          mark = try files.mark(seenBy: state.monitor)
        }
        mark?.hasMoved = files.lostFile(seenBy: state.monitor) != nil
        return mark
      } catch {
        return nil
      }
    }
  }

  /// Lets the log be started over, where that is due, while a held snapshot may still be of the newest
  /// version: after the write it is not any more.
  ///
  /// - Throws: `DatabaseError` of code `.fileReplaced` where the write would be lost.
  func prepareToWrite() throws {
    try state.withLock { state in
      try checkFiles(state)
      shortenLog(&state)
    }
  }

  /// - Throws: `DatabaseError` of code `.fileReplaced` if a file is not at its path any more.
  private func checkFiles(_ state: State) throws {
    guard let lost = files.lostFile(seenBy: state.monitor) else { return }
    throw DatabaseError(
      .fileReplaced, "the file was replaced or removed: \(lost.name(inDatabaseAt: path))",
      nextStep: "Open the database anew; what was read before stays readable")
  }

  /// A snapshot of the newest version.
  ///
  /// - Throws: `DatabaseError`, of code `.fileReplaced` where the file is not at its path any more.
  func snapshot() throws -> Snapshot {
    try state.withLock { state in
      try checkFiles(state)
      let mark = try files.mark(seenBy: state.monitor)
      if let newest = state.newest, let newestMark = state.newestMark, let mark,
        mark.hasSameContent(as: newestMark), !newest.isLost
      {
        shortenLog(&state)
        return newest
      }
      brakeWhereNeeded(&state)
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
      let copy = try PrivateCopy.make(of: connection, configuration: configuration)
      interrupters.add(copy.interrupter)
      return adopt(copy, pin, in: &state)
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
      state.momentPassed?(.markedBeforePin)
      schemaVersions = try begin(on: connection)
      state.momentPassed?(.pinned)
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
      // Elsewhere: whoever lets go of a snapshot may be in the middle of this.
      if isShorteningDue.load(ordering: .acquiring) { queue.async { self.shortenLog() } }
    }
    state.newest = snapshot
    state.newestMark = pin.mark
    state.leftLogs = []
    shortenLog(&state)
    return snapshot
  }

  private func whileNoCommitRuns<Result>(_ body: () throws -> Result) rethrows -> Result {
    try capture?.gate.withGateClosed(body) ?? body()
  }

  /// Begins a transaction, after ending the one that is open.
  ///
  /// - Returns: the version of each schema that is pinned.
  func begin(on connection: Connection) throws -> [Int64] {
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

  func release(_ connection: Connection) {
    // A private copy serves one version only; closing it removes it.
    if kind != .privateCopy { readers.giveBack(connection) }
  }

  /// Beyond this many commits in a row at just the wrong moment, waiting longer has no point.
  private static var pinAttempts: Int { 16 }
}
