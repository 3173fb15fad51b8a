import Testing

@testable import SQLiteStorage

/// A store that somebody else writes to, and what the pages tell of it.
struct ObservedStore {
  let folder: TestFolder
  let database: Database
  /// The connection of somebody else.
  let other: Connection

  init() throws {
    folder = try TestFolder()
    let path = try folder.makeStore(rows: 2_000)
    database = try Database(path: path, configuration: .unsynced)
    other = try Connection(path: path)
    try other.execute("PRAGMA synchronous = OFF")
  }

  /// The rows of a table that a script is told to have touched.
  func rows(of table: String = "item", by script: String) throws -> TouchedRows.Rows? {
    let before = try database.snapshot()
    try other.execute(script: script)
    let after = try database.snapshot()
    let detected = before.detectedChanges(to: after)
    #expect(!detected.isCaptured)
    return try detected.touched.known().rows(of: table)
  }

  /// What is told of a script that is more than rows.
  func reason(_ script: String) throws -> Touched {
    let before = try database.snapshot()
    try other.execute(script: script)
    return before.changes(to: try database.snapshot())
  }
}
