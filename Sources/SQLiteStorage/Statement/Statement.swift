internal import CSQLite

/// A prepared statement: SQL that is parsed once and run any number of times.
///
/// ```swift
/// let statement = try connection.prepare("SELECT name FROM track WHERE rating > ?")
/// try statement.bind([.integer(3)])
/// try statement.forEachRow { row in
///   print(try row.decode(String.self, at: 0))
/// }
/// ```
///
/// Not Sendable: it belongs to whoever owns its ``Connection``.
public final class Statement {
  /// The one owner of the C statement; finalised in `deinit`.
  let pointer: OpaquePointer

  /// The names of the result columns, in order; empty for a statement that returns no rows.
  ///
  /// A schema change can change them (`SELECT *`); they are read when the statement is prepared.
  public let columnNames: ColumnNames

  /// Takes over `pointer`.
  init(owning pointer: OpaquePointer) {
    self.pointer = pointer
    let count = sqlite3_column_count(pointer)
    columnNames = ColumnNames(
      (0..<count).map { column in
        sqlite3_column_name(pointer, column).map { String(cString: $0) } ?? ""
      })
  }

  deinit { sqlite3_finalize(pointer) }

  /// The SQL as it was prepared, with its parameters and without their values.
  public var sql: String { String(cString: sqlite3_sql(pointer)) }

  /// Whether the statement makes no direct change to the database file.
  public var isReadOnly: Bool { sqlite3_stmt_readonly(pointer) != 0 }

  /// Whether a run has begun and is neither at its end nor reset.
  package var isBusy: Bool { sqlite3_stmt_busy(pointer) != 0 }

  /// Moves to the next row; false at the end, where the statement is reset.
  @discardableResult
  public func step() throws -> Bool {
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(pointer)
      return false
    case let status:
      let error = DatabaseError.sqlite(status, handle: sqlite3_db_handle(pointer), sql: sql)
      sqlite3_reset(pointer)
      throw error
    }
  }

  /// Ends the current run, so that the statement can be bound and run again.
  public func reset() {
    // The result repeats the error of the last `step`, which has thrown it already.
    _ = sqlite3_reset(pointer)
  }

  /// The row that the last `step()` arrived at.
  package var currentRow: RowView { RowView(pointer: pointer, columnNames: columnNames) }

  /// Runs to the end with the values bound now, handing each row to `body`.
  public func forEachRow(_ body: (borrowing RowView) throws -> Void) throws {
    defer { reset() }
    while try step() { try body(currentRow) }
  }

  /// Runs to the end, ignoring rows.
  public func run() throws {
    defer { reset() }
    while try step() {}
  }
}

extension Statement {
  /// A counter that SQLite keeps of a statement's work, for tests that must not depend on time.
  ///
  /// Source: [sqlite3_stmt_status](https://www.sqlite.org/c3ref/stmt_status.html).
  package enum Counter: Int32 {
    case fullScanSteps = 1
    case sorts = 2
    case automaticIndexes = 3
    case virtualMachineSteps = 4
    case runs = 6
  }

  /// The value of a counter since the statement was prepared, or since the last resetting read.
  package func counter(_ counter: Counter, reset: Bool = false) -> Int {
    Int(sqlite3_stmt_status(pointer, counter.rawValue, reset ? 1 : 0))
  }
}
