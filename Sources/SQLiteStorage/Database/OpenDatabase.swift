/// The connections of a ``Database``, from its opening or ``Database/resume()`` to its end or ``Database/suspend()``.
///
/// Sendable: the writer has a queue, and the keeper has locks.
final class OpenDatabase: Sendable {
  /// Nil if the database was opened for reading.
  let writer: Writer?
  let keeper: SnapshotKeeper

  init(_ file: OpenedFile) throws {
    writer = file.isWritable ? Writer(file.first, capture: file.capture) : nil
    keeper = try SnapshotKeeper(
      file, mayCopyLog: file.isWritable || file.configuration.copiesLongLogs)
    if !file.isWritable { keeper.readers.checkIn(file.first) }
  }

  /// Begins to report the commits of the writer.
  func startCapture(_ signals: CommitSignals) throws {
    guard let capture = keeper.capture else { return }
    let task = WriteCapture.Task(
      versions: keeper.versions,
      onCommit: { [weak signals] stamp in
        signals?.commitEnded(at: stamp.map { VersionMark(.log($0)) })
      })
    try writer?.sync { capture.start(task, on: $0) }
  }

  /// Runs `body`, which writes, and limits the length of the log before and after it. It may block.
  ///
  /// - Parameter signals: looks for a write that the writer does not report.
  func whileLimitingLog<Result>(
    _ signals: CommitSignals, _ body: () throws -> Result
  ) throws -> Result {
    keeper.waitForObservers()
    try keeper.prepareToWrite()
    // Also after an error: an earlier statement may have been committed.
    defer { if keeper.didWrite() { signals.look() } }
    return try body()
  }

  /// Called at the end of the database. Keeps the last connection from copying a log that was removed or replaced.
  /// Connections that were opened for reading copy no log.
  func keepLostLogs() {
    if let writer, keeper.keepLostLogs() { writer.keepLogWhenClosed() }
  }

  /// Closes all connections, after the reads and writes that run. Not inside a write.
  func close() {
    writer?.close(keepsLog: keeper.keepLostLogs())
    // Last, as it has the connection that removes the log.
    keeper.close()
  }
}
