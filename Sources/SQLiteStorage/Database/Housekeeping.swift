/// The work to do after a ``Database`` has closed its connections.
final class Housekeeping: Sendable {
  private let folder: TemporaryFolder?
  private let path: String?
  /// The status of the file at the path when it was opened.
  private let opened: FileStatus?

  /// - Parameters:
  ///   - folder: a folder that is removed with the database.
  ///   - path: a file in WAL mode that had no log and is only read. It is left without one.
  init(folder: TemporaryFolder?, leftoversOf path: String?) {
    self.folder = folder
    self.path = path
    opened = path.flatMap(FileStatus.init(at:))
  }

  deinit { removeLog() }

  /// Whether a folder is removed with the database.
  var hasFolder: Bool { folder != nil }

  /// Removes the empty log that a copy of the file has left.
  func removeEmptyLog() {
    guard let path, FileStatus(at: path + "-wal")?.size == 0 else { return }
    removeLog()
  }

  private func removeLog() {
    // A reader makes the -wal and -shm files of a WAL database but may not remove them. The last
    // writable connection removes them when it closes; the log is empty, so nothing else changes.
    // If the file is not writable they stay, as with any other reader. The log of a file that was
    // replaced must not be copied into the file that is at the path now.
    guard let path, FileStatus(at: path)?.number == opened?.number,
      let connection = try? Connection(path: path, access: .readWrite, busyTimeout: .zero)
    else { return }
    _ = try? connection.value(Int.self, "SELECT count(*) FROM sqlite_schema")
  }
}
