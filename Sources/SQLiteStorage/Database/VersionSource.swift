/// How versions of a file are identified and kept: in the file, or in private copies.
struct VersionSource {
  let kind: Database.SnapshotKind
  let files: PinnedFiles
  /// Finds the rows written by other connections; nil if there is no log to read.
  let pages: WALDiff?
  /// Limits the length of the log; nil if private copies are made.
  var log: LogCheckpointer?
  /// Whether another process waits for the locks of this one; nil if they are not released for
  /// it, since this process writes the file.
  var pendingLock: PendingLock?
  /// The connection that checks for the newest version. It is never in a transaction. Nil if private
  /// copies are made: no connection is open between two copies.
  ///
  /// The last property: only a writable connection removes the log, and only if it is closed last.
  let monitor: Connection?

  init(
    _ file: OpenedFile, readers: ReaderPool, versions: VersionChain, logDuty: LogCheckpointer.Duty
  ) throws {
    let monitor = try file.openMonitor()
    kind = file.snapshotKind
    files = try PinnedFiles(of: monitor, kind: kind)
    pages =
      files.isStamped && files.obstacle == nil
      ? WALDiff(readers: readers, schemas: files.pinnedSchemas) : nil
    guard kind != .privateCopy else {
      (log, pendingLock, self.monitor) = (nil, nil, nil)
      return
    }
    log = LogCheckpointer(
      // If the system does not allow writing, the log cannot be copied.
      kind == .readTransaction && !monitor.isReadOnly ? logDuty : .none, of: files,
      monitor: monitor, readers: readers, versions: versions, configuration: file.configuration)
    pendingLock =
      kind == .readTransaction && !file.isWritable ? PendingLock(of: monitor.path) : nil
    self.monitor = monitor
  }

  /// The source of private copies of the same files.
  private init(copying files: PinnedFiles) {
    kind = .privateCopy
    self.files = files
    pages = nil
    log = nil
    pendingLock = nil
    monitor = nil
  }

  /// The same files without a connection to them.
  func closed() -> VersionSource { VersionSource(copying: files) }

  /// A source of private copies of the same files; nil if this is one.
  func makingCopies() throws -> VersionSource? {
    try monitor.map { VersionSource(copying: try PinnedFiles(of: $0, kind: .privateCopy)) }
  }
}
