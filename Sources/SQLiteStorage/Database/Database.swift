/// A database file: one writer, any number of readers, and snapshots that stay.
///
/// ```swift
/// let database = try Database(path: "library.sqlite")
/// try database.write { connection in
///   try connection.execute("INSERT INTO artist(name) VALUES (?)", [.text("Arvo Pärt")])
/// }
/// let count = try database.read { try $0.value(Int.self, "SELECT count(*) FROM artist") }
/// ```
///
/// Sendable: everything may be called from any thread. Writes run one after the other; reads run
/// beside them.
public final class Database: Sendable {
  /// The path of the file.
  public let path: String
  /// How the database was opened.
  public let configuration: Configuration
  /// What a ``snapshot()`` of this file is.
  public let snapshotKind: SnapshotKind

  private let writer: Writer?
  private let readers: ReaderPool
  /// As many at once as the pool keeps connections for.
  private let readQueue = ReadQueue(limit: ReaderPool.idleLimit)
  let keeper: SnapshotKeeper
  private let interrupters: InterrupterRegistry
  private let signals: CommitSignals
  private let attachments = Guarded<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  /// Opens a file.
  ///
  /// A file that can be written is put in WAL mode, unless the configuration says otherwise. See
  /// ``SnapshotKind`` for how files in rollback-journal mode and on read-only media are served. A
  /// file in WAL mode in a folder that cannot be written, where SQLite cannot make its `-shm` file,
  /// is served from a private copy made when it is opened, and does not change.
  ///
  /// - Throws: `DatabaseError` of code `.sqlite`, with `.cannotOpen` where there is no such file or
  ///   it is a folder, `.notADatabase`, `.corrupt`, `.busy` or `.readOnly`.
  public convenience init(
    path: String, access: Connection.Access = .readWriteCreate,
    configuration: Configuration = Configuration()
  ) throws {
    try self.init(try OpenedFile(path: path, access: access, configuration: configuration))
  }

  /// Makes an empty private store, which is gone when the last reference to it goes.
  ///
  /// It is a WAL file in a temporary folder: a database that is really in memory cannot be read at
  /// one version while it is written.
  public static func inMemory(configuration: Configuration = Configuration()) throws -> Database {
    try Database(
      try OpenedFile(privateStoreWith: configuration, interrupters: InterrupterRegistry()))
  }

  /// Makes an empty private store that is interrupted together with `other`.
  package static func inMemory(
    configuration: Configuration, interruptedWith other: Database
  ) throws -> Database {
    try Database(
      try OpenedFile(privateStoreWith: configuration, interrupters: other.interrupters))
  }

  private init(_ file: OpenedFile) throws {
    path = file.path
    configuration = file.configuration
    snapshotKind = file.snapshotKind
    interrupters = file.interrupters
    writer = file.isWritable ? Writer(file.first) : nil
    let readers = ReaderPool(opening: file.openReader)
    if !file.isWritable { readers.giveBack(file.first) }
    self.readers = readers
    let keeper = try SnapshotKeeper(
      path: file.path, kind: file.snapshotKind, monitor: try file.openMonitor(), readers: readers,
      capture: file.capture, configuration: file.configuration,
      logDuty: file.isWritable ? .full : file.configuration.copiesLongLogs ? .rare : .none,
      openBrake: file.openMonitor,
      housekeeping: file.housekeeping, interrupters: file.interrupters)
    self.keeper = keeper
    let signals = CommitSignals(
      watch: CommitWatch(
        paths: keeper.files.watchedPaths, interval: file.configuration.pollInterval,
        mark: { keeper.look() }))
    self.signals = signals
    guard keeper.files.isStamped else { return }
    let task = WriteCapture.Task(
      attached: keeper.files.attached, liveCount: keeper.liveCount,
      onCommit: { [weak signals] stamp in
        signals?.commitEnded(at: VersionMark(stamp: stamp, counters: []))
      })
    file.capture?.start(task, on: file.first)
  }

  deinit {
    signals.finish()
    // Connections that were not opened for writing copy no log.
    if let writer, keeper.state.withLock({ keeper.keepLogs($0) }) { writer.keepLogWhenClosed() }
  }
}

// MARK: - Reading

extension Database {
  /// Runs `body` with a connection that sees the newest version, and sees it until `body` returns.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try readers.take()
    defer { readers.giveBack(connection) }
    return try connection.transaction(.deferred) { try body(connection) }
  }

  /// Runs `body` off the calling actor, as ``read(_:)-(_)`` does; a cancelled task stops it.
  ///
  /// - Throws: `CancellationError` where the task was cancelled.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await CancellableRun.perform(by: readQueue.async) { run in
      let connection = try self.readers.take()
      defer { self.readers.giveBack(connection) }
      return try run.transaction(.deferred, on: connection) { try body(connection) }
    }
  }

  /// Stops everything that runs on this database now: it fails with `.interrupted`. What is begun
  /// afterwards is not affected.
  public func interrupt() { interrupters.interruptAll() }

  /// An element after each commit, by whomever, that may have changed the content.
  ///
  /// ```swift
  /// let commits = database.commits
  /// var shown = try database.snapshot()
  /// for await _ in commits {
  ///   let newest = try database.snapshot()
  ///   update(shown.changes(to: newest))
  ///   shown = newest
  /// }
  /// ```
  ///
  /// Each call makes a stream of its own, for one observer, which tells what is committed from then
  /// on: so ask for it before the first snapshot. Commits that come while the observer is busy are
  /// one element, and now and then one comes without a new version. It ends when its task is
  /// cancelled or the database goes.
  public var commits: AsyncStream<Void> { signals.stream() }

  /// What a layer above keeps for this database, one of each type: it is made when it is first asked
  /// for, and goes with the database. It must not hold the database.
  package func attachment<Content: AnyObject & Sendable>(_ make: () -> Content) -> Content {
    attachments.withLock { attachments in
      if let content = attachments[ObjectIdentifier(Content.self)] as? Content { return content }
      let content = make()
      attachments[ObjectIdentifier(Content.self)] = content
      return content
    }
  }

  /// Tells the observers of a write, where the writer cannot do so itself.
  private func didWrite() {
    keeper.shortenLog()
    if !keeper.files.counted.isEmpty { signals.look() }
  }

  /// A snapshot of the newest version, shared by all who show that version.
  ///
  /// Complexity: some microseconds, except for ``SnapshotKind/privateCopy``, which copies the file.
  ///
  /// - Throws: `DatabaseError`, of code `.fileReplaced` where the file was removed, or another one took
  ///   its place.
  public func snapshot() throws -> Snapshot { try keeper.snapshot() }
}

// MARK: - Writing

extension Database {
  /// Runs `body` in a transaction, committed when it returns and rolled back when it throws.
  ///
  /// - Throws: what `body` throws; `DatabaseError` of code `.nestedWrite` from inside another
  ///   write, `.fileReplaced` where the write would be lost, and `.sqlite` with `.readOnly` for a database opened to be read.
  public func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try withWriter { connection in try connection.transaction { try body(connection) } }
  }

  /// Runs `body` in a transaction off the calling actor; a cancelled task rolls it back.
  ///
  /// - Throws: as ``write(_:)-(_)``, and `CancellationError` where the task was cancelled.
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let writer = try requireWriter()
    try keeper.prepareToWrite()
    let result = try await writer.transaction(body)
    didWrite()
    return result
  }

  /// Runs `body` with the connection that writes, outside of any transaction: for `VACUUM`,
  /// `PRAGMA` and work that makes its own transactions.
  ///
  /// - Throws: as `write`.
  public func withWriter<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let writer = try requireWriter()
    try keeper.prepareToWrite()
    let result = try writer.sync(body)
    didWrite()
    return result
  }

  private func requireWriter() throws -> Writer {
    guard let writer else {
      throw DatabaseError(
        .sqlite, "the database was opened read-only: \(path)", resultCode: .readOnly,
        nextStep: "Open it with access .readWrite")
    }
    return writer
  }
}
