import Foundation
import SQLiteStorage
import Testing

/// A folder of a test's own that the tool is run in, removed when the test lets go of it.
final class TestFolder: Sendable {
  /// Where the databases are.
  let path: String
  /// Where the tool has its temporary files, and the test what it does not show to the tool.
  let scratch: String
  private let root: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "sectionsTests-\(UUID().uuidString)").resolvingSymlinksInPath()
    root = folder.path
    path = root + "/data"
    scratch = root + "/scratch"
    for path in [path, scratch, scratch + "/tmp"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func file(_ name: String) -> String { path + "/" + name }

  /// The temporary folder that the tool is told to use.
  var temporaryFolder: String { scratch + "/tmp" }

  /// The names of the temporary files that are there.
  func temporaryFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: temporaryFolder).filter {
      // The thread sanitizer has one for a moment when a program starts.
      !$0.hasPrefix("tsan.")
    }
  }

  /// The files with their content.
  ///
  /// - Parameter subfolder: a folder in it to leave out.
  func contents(except subfolder: String? = nil) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { $0 != subfolder }
    return Dictionary(
      uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: URL(filePath: file($0)))) })
  }

  /// Makes a database, with a table `t(id, name)` of three rows where no script is given.
  @discardableResult
  func makeDatabase(
    _ script: String = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three');
    """, named name: String = "a.db", journalMode: String = "DELETE"
  ) throws -> String {
    let connection = try Connection(path: file(name), access: .readWriteCreate)
    try connection.execute(SQL(verbatim: "PRAGMA journal_mode = \(journalMode)"))
    // No test is about power cuts.
    try connection.execute("PRAGMA synchronous = OFF")
    try connection.execute(script: script)
    return file(name)
  }

  /// Writes a file, with the folders it is in.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = URL(filePath: file(name))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }
}
