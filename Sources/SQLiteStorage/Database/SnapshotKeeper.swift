internal import CLibrary
internal import CSQLite
internal import Dispatch
internal import Synchronization

/// Makes snapshots of the versions of a database, pins those that can be pinned, and shares the newest.
///
/// Life cycle:
/// 1. *Open.* `init` reads from each file through the monitor of its source. Nothing is pinned.
/// 2. *In use.* `snapshot()` begins a transaction on a reader, and stores the snapshot in `newest`. Later calls return this
///    snapshot until another version is the newest. If versions are pinned, the snapshot keeps the reader until it ends
///    or is released; else the transaction ends at once.
/// 3. *Closed.* By ``close()``, or by `deinit` when the database and its last snapshot are gone: each snapshot holds its
///    keeper. A lost log is kept from being copied.
///
/// With each event ``LogCheckpointer`` may shorten the log. ``LogUpkeep`` lists the events and what they call for. All keepers
/// of a file have one ``SharedLog``.
///
/// State and locks:
/// - `state`: all properties of `State`, and all use of the connection `monitor` of its source.
/// - `capture.commitLock`: the commits of the writer and what they touched. Held during `begin(_:_:)`.
/// - Atomic: `isReleasing`, `isReleaseAwaited`, `readCount`, `isClosedNow`, `lastFileCheck`, and the counts of `versions`.
/// - Own locks: `readFiles`, `versions`, `pages`, `readers`, and the connection of each `Snapshot`.
/// - `queue` and `releaseQueue` protect nothing: the first checks the log later, or after a snapshot ended; the second
///   copies or releases versions.
///
/// Lock order: the connection of a snapshot, then `state`, then `capture.commitLock`, the lock of the ``SharedLog`` or one of
/// the own locks. With `state` locked, the connection of a snapshot is used only if its lock is free. The end of a snapshot
/// does not lock `state`, since a snapshot may end while `state` is locked.
final class SnapshotKeeper: Sendable {
  struct State {
    var source: VersionSource
    var newest = NewestVersion()
    var lastVersion = 0
    /// The snapshots that were made and not seen to end.
    var held: [Weak<Snapshot>] = []
    /// The header of the log when observers last looked for commits.
    var seen: VersionMark?
    /// From when on a write may wait for observers again.
    var nextWait = ContinuousClock.now
    /// The process that waits for the locks of this one, and when it was first seen; nil if none waits.
    var waiting: (process: pid_t, since: ContinuousClock.Instant)?
    /// Whether it is looked for again soon.
    var isLookPlanned = false
    /// The source whose connections will be closed.
    var former: VersionSource?
  }

  /// The connections for reading. No idle ones are kept of a file that is written in place.
  let readers: ReaderPool
  let state: Locked<State>
  /// The files of the source in `state`. They have a lock of their own, so that a read does not wait for a
  /// version that is pinned.
  private let readFiles: Locked<DatabaseFiles>
  /// In nanoseconds.
  private let fileCheckInterval: UInt64
  /// When all files were last at their paths, in nanoseconds of `DispatchTime`; 0 if they must be looked at.
  private let lastFileCheck = Atomic<UInt64>(0)
  /// Released last: a temporary folder is removed after all connections are closed.
  let housekeeping: Housekeeping
  /// The registry to which the connections to private copies are added.
  let interrupters: InterrupterRegistry

  /// The versions that snapshots hold.
  let versions = VersionChain()

  /// The path of `main` as the caller gave it.
  private let path: String
  let configuration: Database.Configuration
  /// Whether the versions of the files are not pinned.
  let isReleasing: Atomic<Bool>
  /// Whether the log is checked when a snapshot ends.
  let isReleaseAwaited = Atomic(false)
  let queue = DispatchQueue(label: "FetchedResults.SnapshotKeeper")
  /// Where versions are copied or released. Not `queue`, on which a long log is left in time.
  let releaseQueue = DispatchQueue(label: "FetchedResults.Release")
  /// The number of reads that run.
  private let readCount = Atomic(0)
  /// Whether the file is no longer read.
  private let isClosedNow = Atomic(false)
  /// Records the rows touched by the writer of this database; nil if there is no writer or no log.
  let capture: WriteCapture?

  /// - Parameter mayCopyLog: whether a long log may be copied into the database file.
  init(_ file: OpenedFile, mayCopyLog: Bool) throws {
    self.path = file.path
    configuration = file.configuration
    housekeeping = file.housekeeping
    interrupters = file.interrupters
    let interval = max(.zero, file.configuration.fileCheckInterval)
    // At most 292 years: the nanoseconds of the longest durations are no `UInt64`.
    fileCheckInterval = UInt64(min(interval, .nanoseconds(Int64.max)) / .nanoseconds(1))
    let monitor = try file.openMonitor()
    let files = try DatabaseFiles(
      of: monitor, kind: file.snapshotKind, origin: file.origin)
    let readFiles = Locked(files)
    self.readFiles = readFiles
    let (path, open) = (file.path, file.openReader)
    readers = ReaderPool(limit: file.isWrittenInPlace ? 0 : ReaderPool.idleLimit) {
      let connection = Result { try open() }
      // If the file is gone, it cannot be opened. If it was replaced, the other one can.
      if let lost = readFiles.withLock({ $0 }).lostFile { throw lost.error(path: path) }
      return try connection.get()
    }
    state = Locked(
      State(
        source: VersionSource(
          file, files, monitor: monitor, readers: readers, versions: versions,
          mayCopyLog: mayCopyLog)))
    capture = files.kind == .pinned ? file.capture : nil
    isReleasing = Atomic(files.kind == .released)
    joinSharedLog()
  }

  deinit { closeConnections() }

  /// The files that the snapshots are versions of.
  var files: DatabaseFiles { readFiles.withLock { $0 } }

  /// Returns the mark of the newest version; nil if it is not known at present.
  func newestMark() -> VersionMark? {
    state.withLock { state in
      guard !isClosed else { return nil }
      let (files, monitor) = (state.source.files, state.source.monitor)
      var log = monitor.flatMap { WALIndexHeader(of: $0) }
      if let monitor, log == nil {
        // The process that was writing the header has crashed. A read recovers the header, and
        // what was committed.
        _ = try? monitor.schemaVersion(of: "main")
        log = WALIndexHeader(of: monitor)
      }
      var mark = files.mark(log)
      mark?.hasMoved = lostFile(of: files, for: .writing) != nil
      lookIntoLogs(&mark, state)
      state.seen = mark
      handle(.look, &state, log)
      checkWaitingWriter(&state)
      return mark
    }
  }

  /// Checks the files, and prepares the log to be reset if it is long: the newest snapshot
  /// may still be of the newest version now, but not after the write.
  ///
  /// - Throws: `DatabaseError` with code `.fileReplaced` if the write would be lost.
  func prepareToWrite() throws {
    try state.withLock { state in
      try checkFiles(state, for: .writing)
      handle(.step, &state)
    }
  }

  /// Shortens the log if the write has made it long.
  ///
  /// - Returns: whether observers must look for the write.
  func didWrite() -> Bool {
    state.withLock { state in
      handle(.step, &state)
      return state.source.files.kind != .pinned
    }
  }

  /// Runs `body` with a connection for one read of the newest version.
  ///
  /// - Throws: what `body` throws; `DatabaseError`, with code `.fileReplaced` if a file is no longer at its path.
  func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try whileOpen {
      try checkFiles(files, for: .reading)
      let connection = try readers.take()
      defer { readers.checkIn(connection) }
      return try body(connection)
    }
  }

  /// Runs `body`, which reads the file or pins a version. Closing waits for its end.
  ///
  /// - Throws: what `body` throws; `error` if the file is being closed.
  func whileOpen<Result>(
    else error: @autoclosure () -> DatabaseError = .closedMeanwhile, _ body: () throws -> Result
  ) throws -> Result {
    // In this order: whoever closes sees the number, or is seen.
    readCount.add(1, ordering: .sequentiallyConsistent)
    defer { readCount.subtract(1, ordering: .sequentiallyConsistent) }
    guard !isClosed else { throw error() }
    return try body()
  }

  /// Whether the file is no longer read.
  var isClosed: Bool { isClosedNow.load(ordering: .sequentiallyConsistent) }

  /// What is about to be done with the files.
  enum FileUse {
    /// The last check is enough if it was in ``Database/Configuration/fileCheckInterval``.
    case reading
    /// Or looking for what other processes have done.
    case writing
  }

  /// - Throws: `DatabaseError` with code `.fileReplaced` if a file is no longer at its path.
  func checkFiles(_ state: State, for use: FileUse) throws {
    guard !isClosed else { throw DatabaseError.closedMeanwhile }
    try checkFiles(state.source.files, for: use)
  }

  private func checkFiles(_ files: DatabaseFiles, for use: FileUse) throws {
    if let lost = lostFile(of: files, for: use) { throw lost.error(path: path) }
  }

  private func lostFile(of files: DatabaseFiles, for use: FileUse) -> LostFile? {
    let now = DispatchTime.now().uptimeNanoseconds
    let last = lastFileCheck.load(ordering: .relaxed)
    if use == .reading, last > 0, now &- last < fileCheckInterval { return nil }
    let lost = files.lostFile
    // What was lost is reported by each check.
    lastFileCheck.store(lost == nil ? now : 0, ordering: .relaxed)
    return lost
  }

  static func wait(_ duration: Duration) {
    if duration > .zero { sqlite3_sleep(Int32(duration / .milliseconds(1)) + 1) }
  }

  // MARK: - Closing

  /// Keeps a log that was removed or replaced from being copied when the last connection is closed.
  ///
  /// - Returns: whether there is such a log.
  func keepLostLogs() -> Bool { state.withLock { $0.source.log?.keepLostLogs() == true } }

  /// Ends all versions and closes all connections, after the reads that run.
  func close() {
    isClosedNow.store(true, ordering: .sequentiallyConsistent)
    while readCount.load(ordering: .sequentiallyConsistent) > 0 {
      SnapshotKeeper.wait(.milliseconds(1))
    }
    // No other version is pinned from now on.
    releaseVersions()
    closeConnections()
  }

  /// Closes the connections in their order. The monitor is the last one: only a writable connection removes the log, and
  /// only if it is closed last.
  private func closeConnections() {
    _ = keepLostLogs()
    readers.closeIdle(isEnd: true)
    state.withLock { state in
      state.former?.close()
      state.source.close()
    }
    housekeeping.removeEmptyLog()
  }

  /// Makes readers stop keeping connections, and continues with files whose versions are not pinned.
  func release(_ next: VersionSource, _ state: inout State) {
    (state.former, state.source) = (state.source, next)
    readFiles.withLock { $0 = next.files }
    isReleasing.store(true, ordering: .releasing)
    readers.closeIdle()
  }
}
