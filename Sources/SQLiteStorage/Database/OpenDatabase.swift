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

  /// Keeps the last connection from copying a log that was removed or replaced. Connections that were opened for reading
  /// copy no log.
  func keepLostLogs() {
    if let writer, keeper.keepLostLogs() { writer.keepLogWhenClosed() }
  }

  /// Closes all connections, after the reads and writes that run. Not inside a write.
  func close() {
    keepLostLogs()
    writer?.close()
    // Last, as it has the connection that removes the log.
    keeper.close()
  }
}
