internal import Dispatch
internal import Synchronization

/// Pins versions of a database: makes snapshots, and shares the newest.
///
/// Life cycle:
/// 1. *Open.* `init` reads from each file through `monitor`. Nothing is pinned. Ends with the first
///    call of `snapshot()`.
/// 2. *Pinned.* `snapshot()` takes a reader, begins a read transaction on it and stores the
///    snapshot in `newest`. Later calls return this snapshot until another version is the newest.
///    The pin ends when the snapshot is released: its reader returns to the pool. Older snapshots
///    stay pinned until they are released.
/// 3. *Closed.* Each snapshot holds its keeper. So `deinit` runs when the database and its last
///    snapshot are released. It keeps a lost log from being copied.
///
/// Before and after each step, and when observers look for commits, the keeper lets `log` check the
/// length of the log. ``LogCheckpointer`` lists the states of the log.
///
/// State and locks:
/// - `state`: all properties of `State`, and all use of the connection `monitor`.
/// - `capture.commitLock`: the commits of the writer and what they touched. Held during `pin(_:_:)`.
/// - Atomic: `isReleaseAwaited`, and the count of `versions`.
/// - Own locks: `versions`, `pages`, `readers`, `interrupters`, and the connection of each
///   `Snapshot`.
/// - `queue` protects nothing: it checks the log later, or after a snapshot was released.
///
/// Lock order: `state`, then `capture.commitLock` or one of the own locks. With `state` locked, the
/// connection of a snapshot is used only if its lock is free. The release of a snapshot does not
/// lock `state`, since a snapshot may be released while `state` is locked.
final class SnapshotKeeper: Sendable {
  struct State {
    /// The connection that checks for the newest version. It is never in a transaction.
    let monitor: Connection
    var log: LogCheckpointer
    var newest = PinnedVersion()
    var lastVersion = 0
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
  }

  // The connections are closed in this order, after the database and its last snapshot are
  // released. Only a writable connection removes the log, and only if it is the last: the monitor.
  // A temporary folder is removed after all of them.
  private let readers: ReaderPool
  /// Finds the rows written by other connections, with connections of `readers`; nil if there is no
  /// log to read.
  private let pages: WALDiff?
  let state: Locked<State>
  private let housekeeping: Housekeeping
  /// The registry to which the connections to private copies are added.
  private let interrupters: InterrupterRegistry

  /// The files that the snapshots are versions of.
  let files: PinnedFiles
  /// The versions of which snapshots are held.
  let versions = VersionChain()

  /// The path of `main` as the caller gave it.
  private let path: String
  private let kind: Database.SnapshotKind
  private let configuration: Database.Configuration
  /// Whether the log is to be checked when a snapshot is released.
  private let isReleaseAwaited = Atomic(false)
  private let queue = DispatchQueue(label: "FetchedResults.SnapshotKeeper")
  /// Records the rows touched by the writer of this database; nil if there is no writer or no log.
  private let capture: WriteCapture?

  /// - Parameters:
  ///   - path: the path of `main`, for errors.
  ///   - capture: the capture of the writer connection; nil if there is none.
  ///   - openThrottle: opens another connection like `monitor`.
  init(
    path: String, kind: Database.SnapshotKind, monitor: Connection, readers: ReaderPool,
    capture: WriteCapture?, configuration: Database.Configuration, logDuty: LogCheckpointer.Duty,
    openThrottle: @escaping @Sendable () throws -> Connection, housekeeping: Housekeeping,
    interrupters: InterrupterRegistry
  ) throws {
    self.path = path
    self.kind = kind
    self.readers = readers
    self.configuration = configuration
    self.housekeeping = housekeeping
    self.interrupters = interrupters
    files = try PinnedFiles(of: monitor, kind: kind)
    self.capture = files.isStamped ? capture : nil
    pages =
      files.isStamped && files.obstacle == nil
      ? WALDiff(readers: readers, schemas: files.pinnedSchemas) : nil
    let log = LogCheckpointer(
      // If the system does not allow writing, the log cannot be copied.
      kind == .readTransaction && !monitor.isReadOnly ? logDuty : .none, of: files,
      monitor: monitor, readers: readers, versions: versions, configuration: configuration,
      openThrottle: openThrottle)
    state = Locked(State(monitor: monitor, log: log))
  }

  deinit { state.withLock { _ = $0.log.keepLostLogs() } }

  /// Returns the mark of the newest version; nil if it is not known at present.
  ///
  /// Also moves the newest snapshot off copied logs, which another connection may be waiting to
  /// start over.
  func look() -> VersionMark? {
    state.withLock { state in
      checkLog(.look, &state)
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
      checkLog(.step, &state)
    }
  }

  /// Shortens the log if the write has made it long.
  func didWrite() { state.withLock { checkLog(.step, &$0) } }

  /// - Throws: `DatabaseError` of code `.fileReplaced` if a file is no longer at its path.
  private func checkFiles(_ state: State) throws {
    guard let (schema, suffix) = files.lostFile(seenBy: state.monitor) else { return }
    let name = schema == "main" ? path + suffix : suffix.isEmpty ? schema : "\(suffix) of \(schema)"
    throw DatabaseError(
      .fileReplaced, "the file was replaced or removed: \(name)",
      nextStep: "Open the database anew; what was read before stays readable")
  }

  /// Returns a snapshot of the newest version.
  ///
  /// - Throws: `DatabaseError`, of code `.fileReplaced` if the file is no longer at its path.
  func snapshot() throws -> Snapshot {
    try state.withLock { state in
      try checkFiles(state)
      let mark = try files.mark(seenBy: state.monitor)
      if let newest = state.newest.snapshot, let newestMark = state.newest.mark, let mark,
        mark.hasSameContent(as: newestMark), !newest.isLost
      {
        checkLog(.step, &state)
        return newest
      }
      checkLog(.versionIsNeeded, &state)
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
      let copy = try configuration.privateCopy(of: connection)
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
      schemaVersions = try files.begin(on: connection)
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
    let version = state.lastVersion
    versions.append(version, touched: pin.touched)
    let snapshot = Snapshot(
      version: version, schemaVersions: pin.schemaVersions, chain: versions,
      stamp: pin.mark?.stamp, pages: pages, connection: connection
    ) { [self] connection in
      // A private copy is of one version only. It is removed when its connection is closed.
      if kind != .privateCopy { readers.checkIn(connection) }
      versions.remove(version)
      if isReleaseAwaited.load(ordering: .sequentiallyConsistent) { checkLogLater(.step) }
    }
    state.newest = PinnedVersion(snapshot: snapshot, mark: pin.mark)
    checkLog(.versionWasPinned, &state)
    return snapshot
  }

  private func whileNoCommitRuns<Result>(_ body: () throws -> Result) rethrows -> Result {
    try capture?.commitLock.withLock(body) ?? body()
  }

  // MARK: - The log

  private func checkLog(_ occasion: LogCheckpointer.Occasion, _ state: inout State) {
    let recheck = state.log.check(occasion, newest: state.newest)
    isReleaseAwaited.store(state.log.awaitsRelease, ordering: .sequentiallyConsistent)
    if let recheck { checkLogLater(recheck.occasion, after: recheck.delay) }
    // A snapshot may have been released between the check and the store.
    if state.log.awaitsRelease, versions.count < 2 { checkLogLater(.step) }
  }

  /// Checks the log on the queue, since `state` may be locked now.
  private func checkLogLater(
    _ occasion: LogCheckpointer.Occasion, after delay: Duration = .zero
  ) {
    queue.asyncAfter(deadline: .now() + delay / .seconds(1)) { [weak self] in
      guard let self else { return }
      state.withLock { self.checkLog(occasion, &$0) }
    }
  }

  /// How often to try, if another connection commits during each attempt.
  private static var pinAttempts: Int { 16 }
}

/// The version that was pinned last.
struct PinnedVersion {
  /// Nil if it was released.
  weak var snapshot: Snapshot?
  /// Nil if the version is not known exactly.
  var mark: VersionMark?
}
