internal import Dispatch
internal import Synchronization

/// Pins versions of a database: makes snapshots, shares the newest, and limits the length of the
/// write-ahead log.
///
/// Life cycle:
/// 1. *Open.* `init` reads from each file through `monitor`. Nothing is pinned. Ends with the first
///    call of `snapshot()`.
/// 2. *Pinned.* `snapshot()` takes a reader, begins a read transaction on it and stores the
///    snapshot in `newest`. Later calls return this snapshot until another version is the newest.
///    The pin ends when the snapshot is released: its reader returns to the pool. Older snapshots
///    stay pinned until they are released.
/// 3. *Log long.* `shortenLog()` finds a log longer than the threshold. Without a snapshot the log
///    is copied. With one snapshot, of the newest version, the log is copied and left (4). With
///    several, `isShorteningDue` is set, and the next release of a snapshot tries again on `queue`.
/// 4. *Log left.* The newest snapshot reads from the database file only, and `leftLogs` names its
///    logs. The next writer starts the log over. Ends when the next snapshot is made.
/// 5. *Braked.* `throttleWritersIfNeeded(_:)` holds the write lock through `brake`, since the log is far
///    too long, and sets `activeThrottle`. Ends in `endThrottle(_:)`: when the log is left or is short again,
///    when no snapshot is held, or when the time is over.
/// 6. *Closed.* Each snapshot holds its keeper. So `deinit` runs when the database and its last
///    snapshot are released. It keeps a lost log from being copied.
///
/// State and locks:
/// - `state`: all properties of `State`, and all use of the connections `monitor` and `brake`.
/// - `capture.commitLock`: the commits of the writer and what they touched. Held during `pin(_:_:)`.
/// - Atomic: `liveCount`, `isShorteningDue`.
/// - Own locks: `chain`, `pages`, `readers`, `interrupters`, and the connection of each `Snapshot`.
/// - `queue` protects nothing: it runs `shortenLog()` later or after a snapshot was released, and
///   ends the activeThrottle when its time is over.
///
/// Lock order: `state`, then `capture.commitLock` or one of the own locks. With `state` locked, the
/// connection of a snapshot is used only if its lock is free. The release of a snapshot does not
/// lock `state`, since a snapshot may be released while `state` is locked.
final class SnapshotKeeper: Sendable {
  struct State {
    /// The connection that checks for the newest version. It is never in a transaction.
    let monitor: Connection
    weak var newest: Snapshot?
    /// The mark of the newest snapshot; nil if its version is not known exactly.
    var newestMark: VersionMark?
    /// The positions, in `pinnedSchemas`, of the schemas of which the newest snapshot reads only
    /// the database file and not the log.
    var leftLogs: Set<Int> = []
    var lastVersion = 0
    /// The connection that holds the write lock while activeThrottle; nil before the first use.
    var throttle: Connection?
    /// The number of the current activeThrottle; nil while not activeThrottle.
    var activeThrottle: Int?
    var throttleCount = 0
    /// The minimum length of the log for the next activeThrottle, set after a activeThrottle that did not help.
    var leastThrottledCount = 0
    /// Called at each moment in which a commit of another process would do the most harm, so that
    /// tests can commit then.
    var momentPassed: (@Sendable (Moment) -> Void)?
  }

  /// A moment between two steps, in which another process may commit.
  enum Moment {
    /// The mark was read, and nothing is pinned yet.
    case markedBeforePin
    /// A version is pinned, and the mark was not read again.
    case pinned
    /// The log is copied, and the replacement connection has not begun its transaction.
    case copiedLog
    /// The replacement connection has begun its transaction, and the mark was not read again.
    case leftLog
  }

  /// What to do about a long log.
  enum LogDuty {
    /// Nothing: the file cannot be written.
    case none
    /// Copy the log into the database file when it is far too long. For databases opened for
    /// reading: writers copy the log too, but cannot start it over while a version is held.
    case rare
    /// Copy the log as soon as it is long, and make other writers wait for a moment if there is no
    /// other way.
    case full
  }

  // The connections are closed in this order, after the database and its last snapshot are
  // released. Only a writable connection removes the log, and only if it is the last: the monitor.
  // A temporary folder is removed after all of them.
  let readers: ReaderPool
  /// Finds the rows written by other connections, with connections of `readers`; nil if there is no
  /// log to read.
  private let pages: WALDiff?
  let state: Locked<State>
  private let housekeeping: Housekeeping
  /// The registry to which the connections to private copies are added.
  private let interrupters: InterrupterRegistry

  /// The files that the snapshots are versions of.
  let files: PinnedFiles
  /// The number of snapshots that are held.
  let liveCount = LiveCount()

  /// The path of `main` as the caller gave it.
  private let path: String
  private let kind: Database.SnapshotKind
  let configuration: Database.Configuration
  let logDuty: LogDuty
  let openThrottle: @Sendable () throws -> Connection
  /// Whether the log is long, and can only be shortened after a snapshot is released.
  let isShorteningDue = Atomic(false)
  let queue = DispatchQueue(label: "FetchedResults.SnapshotKeeper")
  private let schemaVersionQueries: [String]
  private let chain = VersionChain()
  /// Records the rows touched by the writer of this database; nil if there is no writer or no log.
  private let capture: WriteCapture?

  /// - Parameters:
  ///   - path: the path of `main`, for errors.
  ///   - capture: the capture of the writer connection; nil if there is none.
  ///   - openThrottle: opens another connection like `monitor`.
  init(
    path: String, kind: Database.SnapshotKind, monitor: Connection, readers: ReaderPool,
    capture: WriteCapture?, configuration: Database.Configuration, logDuty: LogDuty,
    openThrottle: @escaping @Sendable () throws -> Connection, housekeeping: Housekeeping,
    interrupters: InterrupterRegistry
  ) throws {
    self.path = path
    self.kind = kind
    self.readers = readers
    self.configuration = configuration
    // If the system does not allow writing, the log cannot be copied.
    self.logDuty = kind == .readTransaction && !monitor.isReadOnly ? logDuty : .none
    self.openThrottle = openThrottle
    self.housekeeping = housekeeping
    self.interrupters = interrupters
    files = try PinnedFiles(of: monitor, kind: kind)
    schemaVersionQueries = files.pinnedSchemas.map {
      "PRAGMA \($0.quotedIdentifier).schema_version"
    }
    self.capture = files.isStamped ? capture : nil
    pages =
      files.isStamped && files.obstacle == nil
      ? WALDiff(readers: readers, schemas: files.pinnedSchemas) : nil
    state = Locked(State(monitor: monitor))
  }

  deinit { _ = state.withLock { keepLogs($0) } }

  /// Returns the mark of the newest version; nil if it is not known at present.
  ///
  /// Also moves the newest snapshot off copied logs, which another connection may be waiting to
  /// start over.
  func look() -> VersionMark? {
    state.withLock { state in
      leaveCopiedLogs(&state)
      do {
        var mark = try files.mark(seenBy: state.monitor)
        if mark == nil {
          // The process that was writing the header has crashed. A read recovers the header, and
          // what was committed.
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

  /// Checks the files, and prepares the log to be started over if it is long: the newest snapshot
  /// may still be of the newest version now, but not after the write.
  ///
  /// - Throws: `DatabaseError` of code `.fileReplaced` if the write would be lost.
  func prepareToWrite() throws {
    try state.withLock { state in
      try checkFiles(state)
      shortenLog(&state)
    }
  }

  /// - Throws: `DatabaseError` of code `.fileReplaced` if a file is no longer at its path.
  private func checkFiles(_ state: State) throws {
    guard let lost = files.lostFile(seenBy: state.monitor) else { return }
    throw DatabaseError(
      .fileReplaced, "the file was replaced or removed: \(lost.name(inDatabaseAt: path))",
      nextStep: "Open the database anew; what was read before stays readable")
  }

  /// Returns a snapshot of the newest version.
  ///
  /// - Throws: `DatabaseError`, of code `.fileReplaced` if the file is no longer at its path.
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
      throttleWritersIfNeeded(&state)
      let connection = try readers.take()
      let pin: Pin
      do {
        pin = try whileNoCommitRuns { try self.pin(connection, state) }
      } catch {
        readers.checkIn(connection)
        throw error
      }
      guard kind == .privateCopy else { return adopt(connection, pin, in: &state) }
      // The pinned connection makes writers wait, but only until the copy is made.
      defer { readers.checkIn(connection) }
      let copy = try PrivateCopy.make(of: connection, configuration: configuration)
      interrupters.add(copy.interrupter)
      return adopt(copy, pin, in: &state)
    }
  }

  /// A version that a connection has just pinned.
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
      // Another connection committed between the two reads of the mark, so either version may be
      // pinned.
      mark = nil
    }
    // Without a mark after all attempts the snapshot is valid, but cannot be shared.
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
      // On the queue, since `state` may be locked while the snapshot is released.
      if isShorteningDue.load(ordering: .acquiring) { queue.async { self.shortenLog() } }
    }
    state.newest = snapshot
    state.newestMark = pin.mark
    state.leftLogs = []
    shortenLog(&state)
    return snapshot
  }

  private func whileNoCommitRuns<Result>(_ body: () throws -> Result) rethrows -> Result {
    try capture?.commitLock.withLock(body) ?? body()
  }

  /// Begins a transaction. Rolls back the open one first.
  ///
  /// - Returns: the version of each pinned schema.
  func begin(on connection: Connection) throws -> [Int64] {
    if connection.isInTransaction { try connection.execute("ROLLBACK") }
    try connection.execute("BEGIN")
    // BEGIN alone pins nothing: the first read does. This read is the cheapest.
    return try schemaVersionQueries.map { sql in
      let statement = try connection.keptStatement(sql)
      defer { statement.reset() }
      try statement.step()
      return statement.currentRow.int64(at: 0)
    }
  }

  func release(_ connection: Connection) {
    // A private copy is of one version only. It is removed when its connection is closed.
    if kind != .privateCopy { readers.checkIn(connection) }
  }

  /// How often to try, if another connection commits during each attempt.
  private static var pinAttempts: Int { 16 }
}
