import CLibrary
import FetchedResults
import SQLiteStorage

/// A copy of the followed database with everything that a log has printed.
///
/// Sendable: the task that follows the file uses it alone, and a lock protects it.
final class LogState: Sendable {
  let path: String
  private let connection = Locked<Connection?>(nil)

  init(_ path: String) { self.path = path }

  /// Whether there is one from an earlier run.
  var exists: Bool { access(path, F_OK) == 0 }

  /// Begins anew with what a connection sees.
  func reset(to source: Connection) throws {
    let new = path + "-new"
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(new + suffix) }
    try connection.withLock { connection in
      connection = nil
      try copy(source, to: new)
      try finishTransaction()
      // So that an earlier one is there until the new one is complete.
      guard rename(new, path) == 0 else {
        throw ToolError(
          "cannot write \(path): \(String(cString: strerror(errno)))", .inputOutput)
      }
    }
  }

  /// Undoes the transaction of a killed process: its journal is beside the file, or is left of one that was removed.
  /// SQLite would write its old pages into the new file.
  private func finishTransaction() throws {
    guard ["-journal", "-wal"].contains(where: { access(path + $0, F_OK) == 0 }) else { return }
    let old = try Connection(path: path, access: .readWriteCreate)
    // SQLite opens a file when it is read first.
    _ = try old.value(Int.self, "SELECT count(*) FROM sqlite_schema")
  }

  private func copy(_ source: Connection, to path: String) throws {
    let copy = try Connection(path: path, access: .readWriteCreate)
    try source.copy(to: copy)
    _ = try copy.rows("PRAGMA journal_mode = DELETE")
  }

  /// Notes that a batch was printed.
  func note(_ changes: DatabaseChanges) throws {
    if changes.gap?.isBridged == false { return try changes.withNewVersion(reset) }
    do {
      try connection.withLock { connection in
        let opened = try connection ?? Connection(path: path, access: .readWrite)
        connection = opened
        try opened.apply(changes)
      }
    } catch is FetchError {
      // The schema has changed, or a table has no key.
      try changes.withNewVersion(reset)
    }
  }
}
