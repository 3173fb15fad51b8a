import CSQLite
import Foundation

/// An SQLite connection for tests.
final class TestStore {
  struct Failure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
  }

  enum Value: Hashable, CustomStringConvertible {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    var description: String {
      switch self {
      case .null: "NULL"
      case .integer(let value): "\(value)"
      case .real(let value): "\(value)"
      case .text(let value): "'\(value)'"
      case .blob(let value): "x'\(value)'"
      }
    }
  }

  typealias Row = [Value]

  private let handle: OpaquePointer?
  private var statements: [String: OpaquePointer] = [:]
  /// How many millions of SQLite's steps the query has taken.
  private var millionsOfSteps = 0

  init(path: String = ":memory:") throws {
    var handle: OpaquePointer?
    let status = sqlite3_open_v2(
      path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    self.handle = handle
    guard status == SQLITE_OK else { throw Failure(message: "open failed") }
    // A random SELECT may read for hours. It counts as one that fails.
    sqlite3_progress_handler(
      handle, 1_000_000,
      { context in
        guard let context else { return 1 }
        let store = Unmanaged<TestStore>.fromOpaque(context).takeUnretainedValue()
        store.millionsOfSteps += 1
        return store.millionsOfSteps > 100 ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  private var message: String { String(cString: sqlite3_errmsg(handle)) }

  func run(_ script: String) throws {
    millionsOfSteps = 0
    guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else {
      throw Failure(message: "\(message) in \(script)")
    }
  }

  /// Prepares a statement without running it.
  ///
  /// - Returns: the message of the error; nil if SQLite accepts the SQL.
  func failure(preparing sql: String) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    return sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK ? nil : message
  }

  /// The rows of a query, with values of its parameters by name or number.
  func rows(_ sql: String, _ parameters: [String: Value] = [:]) throws -> [Row] {
    let statement = try statement(sql)
    defer { sqlite3_reset(statement) }
    millionsOfSteps = 0
    sqlite3_clear_bindings(statement)
    for index in 1...max(1, sqlite3_bind_parameter_count(statement)) {
      guard let name = sqlite3_bind_parameter_name(statement, index) else { continue }
      bind(parameters[String(cString: name)] ?? .null, statement, index)
    }
    var rows: [Row] = []
    while true {
      let status = sqlite3_step(statement)
      guard status == SQLITE_ROW else {
        guard status == SQLITE_DONE else { throw Failure(message: "\(message) in \(sql)") }
        return rows
      }
      rows.append((0..<sqlite3_column_count(statement)).map { value(statement, $0) })
    }
  }

  func columnNames(_ sql: String) throws -> [String] {
    let statement = try statement(sql)
    return (0..<sqlite3_column_count(statement)).map {
      String(cString: sqlite3_column_name(statement, $0))
    }
  }

  private func statement(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    if statements.count > 500 {
      for statement in statements.values { sqlite3_finalize(statement) }
      statements = [:]
    }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw Failure(message: "\(message) in \(sql)")
    }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: Value, _ statement: OpaquePointer, _ index: Int32) {
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let value): sqlite3_bind_int64(statement, index, value)
    case .real(let value): sqlite3_bind_double(statement, index, value)
    case .text(let value): sqlite3_bind_text(statement, index, value, -1, csqlite_transient())
    case .blob(let value):
      sqlite3_bind_blob(statement, index, value, Int32(value.count), csqlite_transient())
    }
  }

  private func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      guard let text = sqlite3_column_text(statement, column) else { return .null }
      return .text(String(cString: text))
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, column))
      guard let bytes = sqlite3_column_blob(statement, column) else { return .blob([]) }
      return .blob([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
    default: return .null
    }
  }
}

extension TestStore {
  /// SQLite's keywords.
  static var keywords: [String] {
    (0..<sqlite3_keyword_count()).compactMap { index in
      var name: UnsafePointer<CChar>?
      var length: Int32 = 0
      guard sqlite3_keyword_name(index, &name, &length) == SQLITE_OK, let name else { return nil }
      let bytes = UnsafeRawBufferPointer(start: name, count: Int(length))
      return String(decoding: bytes, as: UTF8.self)
    }
  }
}

/// The seed of random cases: FETCHED_RESULTS_TEST_SEED, or 1.
func fuzzSeed() -> UInt64 {
  getenv("FETCHED_RESULTS_TEST_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
}

/// Prints what random cases were made of, if FETCHED_RESULTS_TEST_LOG is set.
func log(_ text: String) {
  if getenv("FETCHED_RESULTS_TEST_LOG") != nil { print(text) }
}
