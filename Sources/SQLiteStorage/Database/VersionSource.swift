/// How versions of a file are identified and kept: pinned in the file, or not at all.
struct VersionSource {
  let files: DatabaseFiles
  /// Finds the rows written by other connections; nil if there is no log to read.
  let pages: WALDiff?
  /// Limits the length of the log; nil if versions are not pinned.
  private(set) var log: LogCheckpointer?
  /// Whether another process waits for the locks of this one; nil if they are not released for
  /// it, since this process writes the file.
  var pendingLock: PendingLock?
  /// The connection that checks for the newest version. It is never in a transaction. Nil if versions are not pinned.
  private(set) var monitor: Connection?

  /// - Parameter monitor: the connection whose files they are.
  init(
    _ file: OpenedFile, _ files: DatabaseFiles, monitor: Connection, readers: ReaderPool,
    versions: VersionChain, mayCopyLog: Bool
  ) {
    self.files = files
    guard files.kind == .pinned else {
      (pages, log) = (nil, nil)
      return
    }
    pages = files.obstacle == nil ? WALDiff(readers: readers) : nil
    log = LogCheckpointer(
      // If the system does not allow writing, the log cannot be copied.
      mayCopy: mayCopyLog && !monitor.isReadOnly, writes: file.isWritable,
      threshold: file.configuration.checkpointThreshold, of: files, monitor: monitor,
      readers: readers, versions: versions)
    pendingLock = file.isWritable ? nil : PendingLock(of: monitor.path)
    self.monitor = monitor
  }

  /// A source of the same files whose versions are not pinned.
  private init(releasing files: DatabaseFiles) {
    self.files = files
    (pages, log) = (nil, nil)
  }

  /// The same files, without a version that is pinned; nil if there is none.
  func releasing() throws -> VersionSource? {
    try monitor.map { VersionSource(releasing: try DatabaseFiles(of: $0, kind: .released)) }
  }

  /// Closes the monitor, which must be the last connection: only a writable one removes the log, and only if it is closed
  /// last.
  mutating func close() { (log, monitor) = (nil, nil) }
}
