import CSQLite
import SQLiteStorage

/// The peer *raw*: SQLite's own interface with nothing around it, the physical limit. It also makes
/// the stores and gives the answers that others are checked against.
final class RawDatabase {
  let handle: OpaquePointer

  init(path: String, readOnly: Bool = true) throws {
    var handle: OpaquePointer?
    let flags =
      (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw BenchError("cannot open \(path)")
    }
    self.handle = handle
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
  }

  func prepare(_ sql: String) throws -> RawStatement {
    var pointer: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &pointer, nil) == SQLITE_OK, let pointer else {
      throw error(sql)
    }
    return RawStatement(pointer)
  }

  private func error(_ sql: String) -> BenchError {
    BenchError("\(String(cString: sqlite3_errmsg(handle))): \(sql)")
  }
}

/// A statement of ``RawDatabase``: its pointer goes straight to SQLite's functions.
final class RawStatement {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { sqlite3_finalize(pointer) }

  /// Runs a statement that has no rows, with these values.
  func run(_ values: Value...) throws {
    try bind(values)
    try forEachRow { _ in }
  }

  /// Gives the parameters their values.
  func bind(_ values: Value...) throws { try bind(values) }

  private func bind(_ values: [Value]) throws {
    for (index, value) in zip(Int32(1)..., values) {
      switch value {
      case .integer(let number): sqlite3_bind_int64(pointer, index, number)
      case .text(let text):
        sqlite3_bind_text(pointer, index, text, -1, csqlite_transient())
      case .null, .real, .blob: throw BenchError("the benchmarks bind integers and text only")
      }
    }
  }

  /// Gives the parameters the values of another statement's first columns.
  func bind(columnsOf row: OpaquePointer) {
    for index in 1...max(1, sqlite3_bind_parameter_count(pointer)) {
      sqlite3_bind_value(pointer, index, sqlite3_column_value(row, index - 1))
    }
  }

  /// Hands the pointer to `body` at each row.
  @inline(__always)
  func forEachRow(_ body: (OpaquePointer) throws -> Void) throws {
    defer { sqlite3_reset(pointer) }
    while true {
      let status = sqlite3_step(pointer)
      switch status {
      case SQLITE_ROW: try body(pointer)
      case SQLITE_DONE: return
      default:
        let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(pointer)))
        throw BenchError("\(status), \(message): \(String(cString: sqlite3_sql(pointer)))")
      }
    }
  }
}
