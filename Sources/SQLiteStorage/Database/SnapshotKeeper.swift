internal import CSQLite
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
/// If another process waits for the read locks of a database that is only read, the keeper leaves the
/// file: from then on each version is a private copy, and no connection is open between two copies.
///
/// State and locks:
/// - `state`: all properties of `State`, and all use of the connection `monitor` of its source.
/// - `capture.commitLock`: the commits of the writer and what they touched. Held during `pin(_:_:)`.
/// - Atomic: `isReleaseAwaited`, and the count of `versions`.
/// - Own locks: `readFiles`, `versions`, `pages`, `readers`, `interrupters`, and the connection of each
///   `Snapshot`.
/// - `queue` and `copyQueue` protect nothing: the first checks the log later, or after a snapshot was
///   released.
///
/// Lock order: `state`, then `capture.commitLock` or one of the own locks. With `state` locked, the
/// connection of a snapshot is used only if its lock is free. The release of a snapshot does not
/// lock `state`, since a snapshot may be released while `state` is locked.
final class SnapshotKeeper: Sendable {
  struct State {
    var source: VersionSource
    var newest = PinnedVersion()
    var lastVersion = 0
    /// The snapshots that were made and not seen to be released.
    var held: [Weak<Snapshot>] = []
    /// When the log was first seen to be overgrown, and its length then; nil if it is not.
    var overgrown: (since: ContinuousClock.Instant, frameCount: Int)?
    /// When the held versions were last replaced by private copies, and the length of the log then.
    var lastCopying: (time: ContinuousClock.Instant, frameCount: Int)?
    /// Whether commits follow each other so fast that each version becomes a private copy at once.
    var copiesVersions = false
    /// Until when the next version waits for the held ones to be copied, and then for the log to be reset; and the
    /// length of the log. Nil if neither is expected.
    var awaitedReset: (end: ContinuousClock.Instant, frameCount: Int)?
    /// From when on a write may wait for observers again.
    var nextWait = ContinuousClock.now
    /// When another process was first seen to wait for the locks of this one; nil if none waits.
    var waitedSince: ContinuousClock.Instant?
    /// The source whose connections will be closed.
    var left: VersionSource?
    /// Whether the file is no longer read.
    var isClosed = false
  }

  // The connections are closed in this order, after the database and its last snapshot are
  // released. A temporary folder is removed after all of them.

  /// The connections for reading. No idle ones are kept if private copies are made.
  let readers: ReaderPool
  let state: Locked<State>
  /// The files of the source in `state`. They have a lock of their own, so that a read does not wait for a
  /// version that is copied.
  private let readFiles: Locked<PinnedFiles>
  private let housekeeping: Housekeeping
  /// The registry to which the connections to private copies are added.
  private let interrupters: InterrupterRegistry

  /// The versions that snapshots hold.
  let versions = VersionChain()

  /// The path of `main` as the caller gave it.
  private let path: String
  let configuration: Database.Configuration
  /// Whether the log is checked when a snapshot is released.
  let isReleaseAwaited = Atomic(false)
  let queue = DispatchQueue(label: "FetchedResults.SnapshotKeeper")
  /// Where private copies are made. Not `queue`, on which a long log is left in time.
  let copyQueue = DispatchQueue(label: "FetchedResults.PrivateCopies")
  /// The number of reads that run.
  private let readCount = Atomic(0)
  /// Records the rows touched by the writer of this database; nil if there is no writer or no log.
  private let capture: WriteCapture?

  /// - Parameter logDuty: what may be done to a long log.
  init(_ file: OpenedFile, logDuty: LogCheckpointer.Duty) throws {
    path = file.path
    configuration = file.configuration
    housekeeping = file.housekeeping
    interrupters = file.interrupters
    readers = ReaderPool(
      limit: file.snapshotKind == .privateCopy ? 0 : ReaderPool.idleLimit, opening: file.openReader)
    let source = try VersionSource(
      file, readers: readers, versions: versions, logDuty: logDuty)
    capture = source.files.isStamped ? file.capture : nil
    state = Locked(State(source: source))
    readFiles = Locked(source.files)
  }

  deinit { _ = keepLostLogs() }

  /// The files that the snapshots are versions of.
  var files: PinnedFiles { readFiles.withLock { $0 } }

  /// How snapshots are made.
  var kind: Database.SnapshotKind { state.withLock { $0.source.kind } }

  /// Returns the mark of the newest version; nil if it is not known at present.
  ///
  /// Also moves the newest snapshot off copied logs, which another connection may be waiting to reset.
  func look() -> VersionMark? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      checkLog(.look, &state)
      checkWaitingWriter(&state)
      checkLongLog(&state)
      let (files, monitor) = (state.source.files, state.source.monitor)
      do {
        var mark = try files.mark(seenBy: monitor)
        if mark == nil, let monitor {
          // The process that was writing the header has crashed. A read recovers the header, and
          // what was committed.
          for schema in files.pinnedSchemas { _ = try monitor.schemaVersion(of: schema) }
          mark = try files.mark(seenBy: monitor)
        }
        mark?.hasMoved = files.lostFile(seenBy: monitor) != nil
        return mark
      } catch {
        return nil
      }
    }
  }

  /// Checks the files, and prepares the log to be reset if it is long: the newest snapshot
  /// may still be of the newest version now, but not after the write.
  ///
  /// - Throws: `DatabaseError` with code `.fileReplaced` if the write would be lost.
  func prepareToWrite() throws {
    try state.withLock { state in
      try checkFiles(state)
      checkLog(.step, &state)
    }
  }

  /// Shortens the log if the write has made it long.
  ///
  /// - Returns: whether observers must look for the write.
  func didWrite() -> Bool {
    state.withLock { state in
      checkLog(.step, &state)
      return state.source.files.needsLook
    }
  }

  /// Runs `body` with a connection for one read of the newest version.
  ///
  /// - Throws: what `body` throws; `DatabaseError`, with code `.fileReplaced` if a file is no longer at its path.
  func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    readCount.add(1, ordering: .sequentiallyConsistent)
    defer { readCount.subtract(1, ordering: .sequentiallyConsistent) }
    // If the file is gone, it cannot be opened. If it was replaced, the other one can.
    let taken = Swift.Result { try readers.take() }
    try checkFiles(files, seenBy: try? taken.get())
    let connection = try taken.get()
    defer { readers.checkIn(connection) }
    return try body(connection)
  }

  /// - Throws: `DatabaseError` with code `.fileReplaced` if a file is no longer at its path.
  private func checkFiles(_ state: State) throws {
    guard !state.isClosed else {
      throw DatabaseError.closedMeanwhile
    }
    try checkFiles(state.source.files, seenBy: state.source.monitor)
  }

  private func checkFiles(_ files: PinnedFiles, seenBy connection: Connection?) throws {
    guard let (schema, suffix) = files.lostFile(seenBy: connection) else { return }
    let name = schema == "main" ? path + suffix : suffix.isEmpty ? schema : "\(suffix) of \(schema)"
    throw DatabaseError(
      .fileReplaced, "the file was replaced or removed: \(name)",
      nextStep: suffix.isEmpty
        ? "Open the database anew; what was read before stays readable"
        : "Release the database, its snapshots and lists, and open it anew")
  }

  /// Returns a snapshot of the newest version.
  ///
  /// - Throws: `DatabaseError`, with code `.fileReplaced` if the file is no longer at its path.
  func snapshot() throws -> Snapshot {
    waitForReset()
    return try state.withLock { state in
      try checkFiles(state)
      let source = state.source
      let mark = try source.files.mark(seenBy: source.monitor)
      if let newest = state.newest.snapshot, let newestMark = state.newest.mark, let mark,
        mark.hasSameContent(as: newestMark), !newest.isLost
      {
        checkLog(.step, &state)
        return newest
      }
      guard source.kind == .privateCopy else {
        let connection = try readers.take()
        do {
          let pin = try whileNoCommitRuns { try self.pin(connection, state) }
          state.copiesVersions =
            state.copiesVersions && !isClose(pin.mark, to: state.newest.mark)
          let snapshot = adopt(connection, pin, in: &state)
          // Without space for a copy, the log grows until there is.
          if state.copiesVersions { try? snapshot.releaseFile(copy(of:)) }
          return snapshot
        } catch {
          readers.checkIn(connection)
          throw error
        }
      }
      // The connection makes writers wait, but only until the copy is made.
      defer { housekeeping.removeEmptyLog() }
      let (connection, pin) = try pinCompleteFile(state)
      return adopt(try copy(of: connection), pin, in: &state)
    }
  }

  /// Whether a snapshot is of the newest version. The files are not checked.
  func isNewest(_ snapshot: Snapshot) -> Bool {
    state.withLock { state in
      guard state.newest.snapshot === snapshot, !snapshot.isLost, let known = state.newest.mark,
        let mark = try? state.source.files.mark(seenBy: state.source.monitor)
      else { return false }
      return mark.hasSameContent(as: known)
    }
  }

  private func copy(of connection: Connection) throws -> Connection {
    let copy = try configuration.privateCopy(of: connection)
    interrupters.add(copy.interrupter)
    return copy
  }

  /// A version that a connection has just pinned.
  private struct Pin {
    let mark: VersionMark?
    let schemaVersions: [Int64]
    let touched: Touched
  }

  /// Begins a transaction, on a new connection, that sees the newest version of files that are
  /// copied.
  ///
  /// The connection is new since SQLite keeps pages for as long as the change counter of the file
  /// is the same, and a follower does not count.
  ///
  /// - Throws: `DatabaseError` with `.busy` if a follower has not written the file completely.
  private func pinCompleteFile(_ state: State) throws -> (Connection, Pin) {
    let files = state.source.files
    let end = ContinuousClock.now + configuration.busyTimeout
    // Before the lock is taken: while it is held, writers wait.
    SnapshotKeeper.wait(files.timeUntilSettled)
    while true {
      let connection = try readers.take()
      let pin = try pin(connection, state)
      guard let path = files.unfinished else { return (connection, pin) }
      guard ContinuousClock.now < end else {
        throw DatabaseError(
          .sqlite, "the follower of a replica has not finished writing this file: \(path)",
          resultCode: .busy,
          nextStep: """
            Start the follower again. If the file is no longer a replica, remove \
            \(path)\(OpenedFile.followerSuffix)
            """)
      }
      SnapshotKeeper.wait(.milliseconds(10))
    }
  }

  static func wait(_ duration: Duration) {
    if duration > .zero { sqlite3_sleep(Int32(duration / .milliseconds(1)) + 1) }
  }

  /// Begins a transaction that sees the newest version.
  private func pin(_ connection: Connection, _ state: State) throws -> Pin {
    let files = state.source.files
    var schemaVersions: [Int64] = []
    var mark: VersionMark?
    for _ in 0..<SnapshotKeeper.pinAttempts {
      let before = try files.mark(seenBy: state.source.monitor)
      state.source.log?.momentPassed?(.markedBeforePin)
      schemaVersions = try files.begin(on: connection)
      state.source.log?.momentPassed?(.pinned)
      // With the lock held: no later write must give the file the same mark.
      SnapshotKeeper.wait(files.timeUntilSettled)
      mark = try files.mark(seenBy: state.source.monitor)
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
      stamp: pin.mark?.stamp, pages: state.source.pages, connection: connection
    ) { [self] connection in
      if let connection { readers.checkIn(connection) }
      versions.remove(version)
      if isReleaseAwaited.load(ordering: .sequentiallyConsistent) { checkLogLater() }
    }
    state.newest = PinnedVersion(snapshot: snapshot, mark: pin.mark)
    state.held.removeAll { $0.object == nil }
    state.held.append(Weak(snapshot))
    checkLog(.versionWasPinned, &state)
    return snapshot
  }

  private func whileNoCommitRuns<Result>(_ body: () throws -> Result) throws -> Result {
    try capture?.commitLock.withLock { _ in try body() } ?? body()
  }

  // MARK: - Closing

  /// Keeps a log that was removed or replaced from being copied when the last connection is closed.
  ///
  /// - Returns: whether there is such a log.
  func keepLostLogs() -> Bool { state.withLock { $0.source.log?.keepLostLogs() == true } }

  /// Ends all versions and closes all connections, after the reads that run. The connection that watches the file is the
  /// last: only a writable connection removes the log, and only if it is closed last.
  func close() {
    state.withLock { $0.isClosed = true }
    expireVersions()
    while readCount.load(ordering: .sequentiallyConsistent) > 0 {
      SnapshotKeeper.wait(.milliseconds(1))
    }
    readers.closeIdle(isEnd: true)
    state.withLock { state in
      state.left = nil
      state.source = state.source.closed()
    }
    housekeeping.removeEmptyLog()
  }

  /// Ends all versions, each as soon as nobody uses it.
  func expireVersions() {
    for snapshot in state.withLock({ $0.held }) {
      while snapshot.object.map({ !$0.expire() }) == true { SnapshotKeeper.wait(.milliseconds(1)) }
    }
  }

  // MARK: - Leaving the file

  /// Releases the locks of the process if another process has waited for them for some time.
  ///
  /// A connection to a file in WAL mode holds a read lock for as long as it is open. Who writes the
  /// file in WAL mode does not wait for it. Who writes its pages in place does, as the follower of a
  /// replica, and other readers wait for them.
  private func checkWaitingWriter(_ state: inout State) {
    if state.left != nil { return releaseFileLater() }
    guard state.source.pendingLock?.owner() != nil else {
      state.waitedSince = nil
      return
    }
    let now = ContinuousClock.now
    guard let waitedSince = state.waitedSince, now - waitedSince >= SnapshotKeeper.patience else {
      if state.waitedSince == nil { state.waitedSince = now }
      queue.asyncAfter(deadline: .now() + SnapshotKeeper.patience / .seconds(1)) { [weak self] in
        _ = self?.look()
      }
      return
    }
    guard !state.source.files.holdsAttachedFiles, let next = try? state.source.makingCopies() else {
      return
    }
    state.left = state.source
    state.source = next
    readFiles.withLock { $0 = next.files }
    readers.closeIdle()
    releaseFileLater()
  }

  private func releaseFileLater() { copyQueue.async { [weak self] in self?.releaseFile() } }

  /// Replaces the held versions by private copies, and closes all connections to the file.
  private func releaseFile() {
    guard state.withLock({ $0.left != nil }), copyHeldVersions() else { return }
    state.withLock { $0.left = nil }
  }

  /// Replaces the held versions by private copies, without `state`: a reader of a snapshot may wait
  /// for it.
  ///
  /// - Returns: whether there was space for all copies.
  func copyHeldVersions() -> Bool {
    do {
      for snapshot in state.withLock({ $0.held }) {
        try snapshot.object?.releaseFile(copy(of:))
      }
      return true
    } catch {
      // There may be more space at the next look.
      return false
    }
  }

  /// How long another process waits before the file is left. Also in WAL mode a connection takes the
  /// lock for a moment, to try whether it is the only one.
  private static var patience: Duration { .milliseconds(25) }

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
