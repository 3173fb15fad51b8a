import Foundation
import SQLiteStorage

/// A folder of a test's own, removed when the test lets go of it.
final class TestFolder: Sendable {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "SQLiteStorageTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Without symbolic links, so that open descriptors can be told by their path.
    path = folder.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String = "store.sqlite") -> String { path + "/" + name }

  /// The names of the files in it, sorted.
  func contents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  func bytes(of name: String = "store.sqlite") throws -> Data {
    try Data(contentsOf: URL(filePath: file(name)))
  }

  func size(of name: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
    return attributes?[.size] as? Int ?? 0
  }

  /// How many descriptors this process holds on files in the folder; nil where `/proc` is missing.
  func openDescriptorCount() -> Int? {
    let folder = "/proc/self/fd"
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return nil
    }
    return names.count { name in
      // The descriptor that lists the folder is closed by now.
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
      return target?.hasPrefix(path + "/") == true
    }
  }

  /// A file in rollback-journal mode or WAL mode with one table `item(id, name)` and some rows.
  @discardableResult
  func makeStore(
    _ name: String = "store.sqlite", journalMode: String = "WAL", rows: Int = 3
  ) throws -> String {
    let connection = try Connection(path: file(name), access: .readWriteCreate)
    try connection.execute(SQL(verbatim: "PRAGMA journal_mode = \(journalMode)"))
    // No test is about power cuts, and syncing takes most of the time.
    try connection.execute("PRAGMA synchronous = OFF")
    try connection.transaction {
      try connection.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT)")
      for id in 0..<rows {
        try connection.execute(
          "INSERT INTO item VALUES (?, ?)", [.integer(Int64(id + 1)), .text("item \(id + 1)")])
      }
    }
    return file(name)
  }
}

/// A connection to a database in a file of its own, and the folder that goes with it.
struct TestConnection {
  let folder: TestFolder
  let connection: Connection

  init(_ script: String = "") throws {
    folder = try TestFolder()
    connection = try Connection(path: folder.file(), access: .readWriteCreate)
    try connection.execute(script: script)
  }

  /// Another connection to the file of a ``TestConnection``, which has not read the schema yet.
  init(opening folder: TestFolder) throws {
    self.folder = folder
    connection = try Connection(path: folder.file())
  }
}

/// The error that `body` throws; nil where it throws none of that type.
func databaseError(_ body: () throws -> Void) -> DatabaseError? {
  do {
    try body()
    return nil
  } catch {
    return error as? DatabaseError
  }
}

/// The number of rows of the store that `TestFolder` makes, in a version.
func count(_ snapshot: Snapshot) throws -> Int? {
  try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") }
}
