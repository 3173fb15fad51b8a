import Testing

@testable import SQLiteStorage

/// What the library forbids on its connections, and others may do.
enum HandEditing {
  private typealias FileControl =
    @convention(c) (OpaquePointer, Int32, Int32, UnsafeMutablePointer<Int32>?) -> Int32

  /// Whether a function with a variable number of arguments can be called by its address.
  static var isPossible: Bool {
    #if canImport(Darwin)
      false
    #else
      true
    #endif
  }

  /// Lets a connection edit the schema's table.
  static func allow(on connection: Connection) throws {
    let configure = try #require(OptionalSymbol<FileControl>("sqlite3_db_config").value)
    let isDefensive: Int32 = 1_010
    #expect(configure(connection.handle, isDefensive, 0, nil) == 0)
  }
}
