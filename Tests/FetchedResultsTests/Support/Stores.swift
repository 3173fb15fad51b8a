import Foundation
import SQLiteStorage

extension Database {
  /// A private store made by a script.
  static func store(
    _ script: String, _ configure: (inout Configuration) throws -> Void = { _ in }
  ) throws -> Database {
    var configuration = Configuration()
    try configure(&configuration)
    let database = try Database.inMemory(configuration: configuration)
    try database.write { try $0.execute(script: script) }
    return database
  }

  /// Runs a script in one transaction.
  func run(_ script: String) throws {
    try write { try $0.execute(script: script) }
  }
}

/// A folder of one test, removed with everything in it at the end.
final class TestFolder {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "FetchedResultsTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
}
