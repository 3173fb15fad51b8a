/// A database file with one writer, any number of readers, and snapshots of its versions.
///
/// ```swift
/// let database = try Database(path: "library.sqlite")
/// try database.write { connection in
///   try connection.execute("INSERT INTO artist(name) VALUES (?)", [.text("Arvo Pärt")])
/// }
/// let count = try database.read { try $0.value(Int.self, "SELECT count(*) FROM artist") }
/// ```
///
/// Sendable: all methods may be called from any thread. Writes run one after the other; reads run
/// at the same time as writes and other reads.
public final class Database: Sendable {
  /// The path of the file.
  public let path: String
  /// How the database was opened.
  public let configuration: Configuration
  /// How a ``snapshot()`` of this file is made.
  ///
  /// It changes from ``SnapshotKind/pinned`` to ``SnapshotKind/released`` if the database was opened for reading and another
  /// process waits for its read locks, as `litestream restore -f` does.
  ///
  /// While the database is suspended, it is that of its first opening.
  public var snapshotKind: SnapshotKind {
    access.withLock { $0.opened }?.keeper.files.kind ?? firstKind
  }

  private let firstKind: SnapshotKind
  /// What is open; or why nothing is.
  let access: Locked<Access>
  /// Locked while the file is being closed or opened again, one after the other.
  let transition = Locked(NoContent())
  /// Opens the file again; nil if it is in a temporary folder.
  let reopen: (@Sendable () throws -> OpenedFile)?
  /// Runs as many reads at once as the pool keeps connections.
  let readQueue = ReadQueue(limit: ReaderPool.idleLimit)
  /// Runs the work between two versions. However many lists there are, they need no more threads.
  package let engineThreads = ReadQueue(limit: 2 * ReaderPool.idleLimit)
  private let interrupters: InterrupterRegistry
  let signals: CommitSignals
  private let attachments = Locked<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  /// Opens a file.
  ///
  /// A writable file is switched to WAL mode unless the configuration says otherwise.
  /// ``SnapshotKind`` describes how files in rollback-journal mode and on read-only media are read.
  /// If SQLite cannot make the `-shm` file of a file in WAL mode because the folder is not
  /// writable, the database reads a private copy that is made on opening and does not change.
  ///
  /// - Throws: `DatabaseError` with code `.sqlite`, with `.cannotOpen` if the file does not exist or is a folder,
  ///   `.notADatabase`, `.corrupt`, `.busy` or `.readOnly`; with code `.fileReplaced` if this process still has the log
  ///   of a removed or replaced file open (it waits half a second).
  public convenience init(
    path: String, access: Connection.Access = .readWriteCreate,
    configuration: Configuration = Configuration()
  ) throws {
    let interrupters = InterrupterRegistry()
    let file = try OpenedFile(
      path: path, access: access, configuration: configuration, interrupters: interrupters)
    // The process may change its working directory, and a file that exists is not created.
    let location = file.location
    let next = access == .readWriteCreate ? Connection.Access.readWrite : access
    let reopen = { @Sendable in
      try OpenedFile(
        path: location, access: next, configuration: configuration, interrupters: interrupters)
    }
    try self.init(file, reopen: file.isTemporary ? nil : reopen)
  }

  /// Makes an empty private store, for tests and previews. It is removed with the last reference to
  /// it.
  ///
  /// The store is a WAL file in a temporary folder, at ``path``: a true in-memory database cannot be
  /// read at one version while it is written. So the content is on disk, without waiting for the
  /// disk, and needs space there.
  ///
  /// - Throws: `DatabaseError` if no file can be made in the temporary folder.
  public static func inMemory(configuration: Configuration = Configuration()) throws -> Database {
    try Database(
      try OpenedFile(privateStoreWith: configuration, interrupters: InterrupterRegistry()),
      reopen: nil)
  }

  /// Makes an empty private store that is interrupted together with `other`.
  package static func inMemory(
    configuration: Configuration, interruptedWith other: Database
  ) throws -> Database {
    try Database(
      try OpenedFile(privateStoreWith: configuration, interrupters: other.interrupters),
      reopen: nil)
  }

  private init(_ file: OpenedFile, reopen: (@Sendable () throws -> OpenedFile)?) throws {
    path = file.path
    configuration = file.configuration
    firstKind = file.snapshotKind
    interrupters = file.interrupters
    self.reopen = reopen
    let opened = try OpenDatabase(file)
    let access = Locked(Access.open(opened))
    self.access = access
    signals = CommitSignals(
      watch: CommitWatch(
        paths: opened.keeper.files.watchedPaths, interval: file.configuration.pollInterval,
        mark: { access.withLock { $0.opened }?.keeper.newestMark() }))
    try opened.startCapture(signals)
  }

  deinit {
    signals.finish()
    access.withLock { $0.opened }?.keepLostLogs()
  }
}

// MARK: - Reading

extension Database {
  /// Runs `body` with a connection that sees one version, the newest at its first statement, until
  /// `body` returns.
  ///
  /// - Throws: what `body` throws; `DatabaseError` with code `.fileReplaced` if the file was removed or replaced, and
  ///   `.nestedWrite` inside `write`, where the newest version lacks what `write` has written so far.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try openedForReading(by: "read").keeper.withReader { connection in
      try connection.transaction(.deferred) { try body(connection) }
    }
  }

  /// Runs `body` as ``read(_:)-(_)`` does, off the calling actor. Cancelling the task interrupts
  /// it.
  ///
  /// - Throws: the same as ``read(_:)-(_)``, and `CancellationError` if the task was cancelled.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await CancellableRun.perform(by: readQueue.async) { run in
      try self.opened().keeper.withReader { connection in
        try run.transaction(.deferred, on: connection) { try body(connection) }
      }
    }
  }

  /// Interrupts all statements that run on this database now: they fail with `.interrupted`.
  /// Statements begun later are not affected.
  public func interrupt() { interrupters.interruptAll() }

  /// A stream with one element after each commit of any connection or process that may have changed
  /// the content.
  ///
  /// ```swift
  /// let commits = database.commits
  /// show(try database.snapshot())
  /// for await _ in commits { show(try database.snapshot()) }
  /// ```
  ///
  /// Each call makes a new stream for one observer. The stream reports commits made after the call,
  /// so make the stream before the first snapshot. Commits made while the observer is busy become
  /// one element. An element may also arrive without a new version. The stream ends when its task
  /// is cancelled or the database is released.
  public var commits: AsyncStream<Void> { signals.observe().stream }

  /// A stream as ``commits``, and the continuation by which its observer wakes itself.
  package func observeCommits() -> (
    stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation
  ) { signals.observe() }

  /// An object that a layer above stores with this database, one of each type. It is made on the
  /// first call and released with the database. It must not hold the database.
  package func attachment<Content: AnyObject & Sendable>(_ make: () -> Content) -> Content {
    attachments.withLock { attachments in
      if let content = attachments[ObjectIdentifier(Content.self)] as? Content { return content }
      let content = make()
      attachments[ObjectIdentifier(Content.self)] = content
      return content
    }
  }

  /// A snapshot of the newest version. All callers share one snapshot of a version.
  ///
  /// Complexity: a few microseconds; for ``SnapshotKind/released`` about a millisecond, if the version is new. If other
  /// programs commit without a pause and the log is overgrown, it waits for them to reset the log, for a quarter of a
  /// second at most, and then copies the file, until commits leave pauses again.
  ///
  /// - Throws: `DatabaseError`, with code `.fileReplaced` if the file was removed or replaced, and `.nestedWrite` inside
  ///   `write`, whose changes no version has yet.
  public func snapshot() throws -> Snapshot {
    try openedForReading(by: "snapshot").keeper.snapshot()
  }

  /// Runs `body` with a snapshot of the newest version, which is pinned until `body` returns, also in a file whose
  /// snapshots are otherwise ``SnapshotKind/released``. So several reads see one version.
  ///
  /// ```swift
  /// try database.withSnapshot { version in
  ///   let count = try version.read { try $0.value(Int.self, "SELECT count(*) FROM track") }
  ///   let names = try version.read { try $0.values(String.self, "SELECT name FROM track") }
  /// }
  /// ```
  ///
  /// A file that is not in WAL mode is locked meanwhile: writers wait. Beside an overgrown log it is more patient than
  /// ``snapshot()``, and waits for five seconds at most: use it off the main thread.
  ///
  /// - Throws: what `body` throws; the errors of ``snapshot()``.
  public func withSnapshot<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
    try openedForReading(by: "withSnapshot").keeper.withSnapshot(body)
  }

  private func openedForReading(by call: String) throws -> OpenDatabase {
    let opened = try opened()
    try opened.writer?.refuseRead(by: call)
    return opened
  }

  /// Whether a snapshot is of the newest version. Unlike ``snapshot()``, it makes no system call: a
  /// file that was removed or replaced is not noticed.
  package func isNewest(_ snapshot: Snapshot) -> Bool {
    access.withLock { $0.opened }?.keeper.isNewest(snapshot) == true
  }
}

// MARK: - Writing

extension Database {
  /// Runs `body` in a transaction. The transaction is committed when `body` returns and rolled back
  /// when it throws.
  ///
  /// - Throws: what `body` throws; `DatabaseError` with code `.nestedWrite` inside another write,
  ///   `.fileReplaced` if the write would be lost, and `.sqlite` with `.readOnly` if the database
  ///   was opened for reading.
  @discardableResult
  public func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try withWriter { connection in try connection.transaction { try body(connection) } }
  }

  /// Runs `body` in a transaction off the calling actor. Cancelling the task rolls it back.
  ///
  /// - Throws: the same as ``write(_:)-(_)``, and `CancellationError` if the task was cancelled.
  @discardableResult
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let (opened, writer) = try requireWriter()
    // On the queue of the writer: to wait for observers or copy the log would block one of the few threads of all tasks.
    return try await writer.transaction(
      within: { [signals] in try opened.whileLimitingLog(signals, $0) }, body)
  }

  /// Runs `body` with the writer connection outside of any transaction: for `VACUUM`, `PRAGMA` and
  /// code that makes its own transactions.
  ///
  /// - Throws: the same as `write`.
  @discardableResult
  public func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let (opened, writer) = try requireWriter()
    return try opened.whileLimitingLog(signals) { try writer.sync(body) }
  }

  private func requireWriter() throws -> (OpenDatabase, Writer) {
    let opened = try opened()
    guard let writer = opened.writer else {
      throw DatabaseError(
        .sqlite, "the database was opened read-only: \(path)", resultCode: .readOnly,
        nextStep: "Open it with access .readWrite")
    }
    return (opened, writer)
  }
}
