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

  deinit { removeEmptyLog() }

  /// Whether a folder is removed with the database.
  var hasFolder: Bool { folder != nil }

  /// Removes the empty log that the readers of the file have made.
  func removeEmptyLog() {
    // A reader makes the -wal and -shm files of a WAL database but may not remove them. The last
    // writable connection removes them when it closes; the log is empty, so nothing else changes.
    // If the file is not writable they stay, as with any other reader. What another program has
    // written to the log is not copied into its file, nor is the log of a file that was replaced
    // copied into the file that is at the path now.
    guard let path, FileStatus(at: path + "-wal")?.size == 0,
      FileStatus(at: path)?.number == opened?.number,
      let connection = try? Connection(path: path, access: .readWrite, busyTimeout: .zero)
    else { return }
    _ = try? connection.value(Int.self, "SELECT count(*) FROM sqlite_schema")
  }
}
