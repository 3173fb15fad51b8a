import SQLiteStorage

/// A file whose changes are followed through one database, and a connection of another program that writes it.
struct FollowedFile {
  let folder: TestFolder
  let database: Database
  let writer: Connection

  /// - Parameter script: makes the content.
  init(_ script: String) throws {
    folder = try TestFolder()
    database = try Database(path: folder.file("store.db"))
    writer = try Connection(path: folder.file("store.db"), access: .readWrite)
    try writer.execute(script: script)
  }
}

/// A suite of tests, each with a file of its own.
protocol FollowsFile {
  var file: FollowedFile { get }
}

extension FollowsFile {
  var folder: TestFolder { file.folder }
  var database: Database { file.database }
  var writer: Connection { file.writer }
}
