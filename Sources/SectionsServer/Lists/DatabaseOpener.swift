import RowQueries
package import SQLiteStorage

/// Opens the file that is at the path now, for lists and for what is asked about them.
///
/// Sendable: a value.
package struct DatabaseOpener: Sendable {
  /// Opens the file. The argument is called with each new connection.
  package typealias Opening =
    @Sendable (_ prepare: (@Sendable (Connection) throws -> Void)?) throws -> Database

  let limits: ServerLimits
  let open: Opening

  /// Opens the file for the SQL of the server and of its command line.
  func callAsFunction() throws -> Database { try open(nil) }

  /// Opens the file for a list. SQL that a client has typed can neither make values of any length, each of which would
  /// be in memory, nor use any amount of memory itself: common tables that each name the one before twice are as
  /// much SQL as two to the power of their number, and SQLite has no time limit for preparing that.
  func callAsFunction(for list: ListParameters) throws -> Database {
    guard list.sql != nil else { return try open(nil) }
    return try open { [limits] connection in
      connection.limitLengths(
        ofValue: limits.typedValue, pattern: ListParameters.Condition.longestPattern)
      // Of all connections of the process.
      try connection.execute(SQL(verbatim: "PRAGMA hard_heap_limit = \(limits.heap)"))
    }
  }
}
