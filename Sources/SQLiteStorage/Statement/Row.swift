internal import CLibrary
internal import CSQLite

/// The current row of a statement, read in place: only the values that are read are copied.
///
/// A view cannot be kept or copied, so it cannot outlive its step. Use ``Row`` for a copy.
///
/// ```swift
/// try statement.forEachRow { row in
///   total += try row.decode(Int.self, "milliseconds")
/// }
/// ```
public struct RowView: ~Copyable {
  /// The statement; nil if the row is kept elsewhere.
  private let statement: Statement?
  private let pointer: OpaquePointer?
  /// Nil for the row of a statement.
  private let kept: KeptRow?

  init(_ statement: Statement) {
    self.statement = statement
    pointer = statement.pointer
    kept = nil
  }

  package init(_ row: KeptRow) {
    statement = nil
    pointer = nil
    kept = row
  }

  /// Makes another view of the same row.
  package init(sameAs row: borrowing RowView) {
    statement = row.statement
    pointer = row.pointer
    kept = row.kept
  }

  /// The names of the columns.
  public var columnNames: ColumnNames {
    kept?.columnNames ?? statement?.columnNames ?? ColumnNames([])
  }

  /// The number of columns.
  public var count: Int { kept?.count ?? Int(sqlite3_data_count(pointer)) }
}

/// The storage class of a value: the type in which SQLite stores it.
public enum StorageClass: String, Sendable {
  /// SQL `NULL`.
  case null
  /// A signed 64-bit integer.
  case integer
  /// An IEEE 754 double.
  case real
  case text
  /// Bytes.
  case blob
}

extension RowView {
  /// SQLite's value object of a column. Calling several functions on it takes half the time of
  /// calling them on the statement, which finds the column each time.
  ///
  /// SQLite calls such a value unprotected, because the connection is not locked while it is read.
  /// Here a connection has no lock and one user at a time.
  private func columnValue(at column: Int) -> OpaquePointer? {
    sqlite3_column_value(pointer, Int32(column))
  }

  /// The storage class of a column's value. The column must be in `0..<count`.
  public func storageClass(at column: Int) -> StorageClass {
    if let kept { return kept.storageClass(at: column) }
    return switch sqlite3_value_type(columnValue(at: column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// Whether a column is `NULL`.
  public func isNull(at column: Int) -> Bool {
    if let kept { return kept.storageClass(at: column) == .null }
    return sqlite3_value_type(columnValue(at: column)) == SQLITE_NULL
  }

  /// The value of a column as an integer, converted as by SQLite's `CAST`.
  public func int64(at column: Int) -> Int64 {
    if let kept { return kept.int64(at: column) }
    return sqlite3_column_int64(pointer, Int32(column))
  }

  /// The integer in a column; nil if the value is of another storage class.
  package func integer(at column: Int) -> Int64? {
    if let kept { return kept.integer(at: column) }
    let value = columnValue(at: column)
    return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
  }

  /// The value of a column as a real, converted as by SQLite's `CAST`.
  public func double(at column: Int) -> Double {
    if let kept { return kept.double(at: column) }
    return sqlite3_column_double(pointer, Int32(column))
  }

  /// The value of a column as text. `NULL` is the empty string; invalid UTF-8 is replaced by
  /// U+FFFD.
  public func string(at column: Int) -> String {
    if let kept {
      return kept.withBytes(at: column) { String(decoding: $0, as: UTF8.self) }
    }
    return String(decoding: RowView.textBytes(of: columnValue(at: column)), as: UTF8.self)
  }

  /// The text in a column; nil if the value is of another storage class.
  package func text(at column: Int) -> String? {
    if let kept { return kept.text(at: column) }
    let value = columnValue(at: column)
    guard sqlite3_value_type(value) == SQLITE_TEXT else { return nil }
    return String(decoding: RowView.textBytes(of: value), as: UTF8.self)
  }

  /// Whether a column contains text of exactly these bytes (in UTF-8).
  ///
  /// This takes a fraction of the time to read the text, and does not depend on the collation.
  package func isText(_ bytes: UnsafeRawBufferPointer, at column: Int) -> Bool {
    if let kept { return kept.isText(bytes, at: column) }
    let value = columnValue(at: column)
    guard sqlite3_value_type(value) == SQLITE_TEXT else { return false }
    return UnsafeRawBufferPointer(RowView.textBytes(of: value)).hasBytes(of: bytes)
  }

  /// The number of bytes of a column's text or blob.
  public func byteCount(at column: Int) -> Int {
    if let kept { return kept.withBytes(at: column, \.count) }
    return Int(sqlite3_column_bytes(pointer, Int32(column)))
  }

  /// The bytes of a column's text (in UTF-8) or blob, valid only inside `body`.
  public func withBytes<Result>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    if let kept { return try kept.withBytes(at: column, body) }
    let value = columnValue(at: column)
    guard sqlite3_value_type(value) == SQLITE_BLOB else {
      return try body(UnsafeRawBufferPointer(RowView.textBytes(of: value)))
    }
    let start = sqlite3_value_blob(value)
    return try body(
      UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
  }

  /// A copy of the value of a column. The column must be in `0..<count`.
  public func value(at column: Int) -> Value {
    kept?.value(at: column) ?? Value(argument: columnValue(at: column))
  }

  /// Runs `body` with the value of a column, as it is stored.
  @inline(__always)
  func withContent<Result>(
    at column: Int, _ body: (ColumnContent) throws -> Result
  ) rethrows -> Result {
    if let kept { return try kept.withContent(at: column, body) }
    let value = columnValue(at: column)
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return try body(.integer(sqlite3_value_int64(value)))
    case SQLITE_FLOAT: return try body(.real(sqlite3_value_double(value)))
    case SQLITE_TEXT:
      return try body(.text(UnsafeRawBufferPointer(RowView.textBytes(of: value))))
    case SQLITE_BLOB:
      // Get the pointer before the length: getting the pointer may convert the value.
      let start = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      return try body(.blob(UnsafeRawBufferPointer(start: start, count: count)))
    default: return try body(.null)
    }
  }

  private static func textBytes(of value: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
    // Get the pointer before the length: getting the pointer may convert the value.
    let start = sqlite3_value_text(value)
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }
}

extension RowView {
  /// Whether both rows hold the same values, byte for byte.
  package func isIdentical(to other: borrowing RowView) -> Bool {
    count == other.count && isIdentical(to: other, in: 0..<count)
  }

  /// Whether both rows hold the same values in some columns, byte for byte.
  package func isIdentical(to other: borrowing RowView, in columns: Range<Int>) -> Bool {
    // A row without a statement has no values of SQLite.
    guard kept == nil, other.kept == nil else {
      for column in columns where value(at: column) != other.value(at: column) { return false }
      return true
    }
    for column in columns {
      let (value, otherValue) = (columnValue(at: column), other.columnValue(at: column))
      let type = sqlite3_value_type(value)
      guard type == sqlite3_value_type(otherValue) else { return false }
      switch type {
      case SQLITE_INTEGER:
        guard sqlite3_value_int64(value) == sqlite3_value_int64(otherValue) else { return false }
      case SQLITE_FLOAT:
        guard
          sqlite3_value_double(value).bitPattern == sqlite3_value_double(otherValue).bitPattern
        else { return false }
      case SQLITE_TEXT, SQLITE_BLOB:
        // Get the pointers before the lengths: getting a pointer may convert the value.
        let isText = type == SQLITE_TEXT
        let bytes: UnsafeRawPointer? =
          isText ? sqlite3_value_text(value).map(UnsafeRawPointer.init) : sqlite3_value_blob(value)
        let otherBytes: UnsafeRawPointer? =
          isText
          ? sqlite3_value_text(otherValue).map(UnsafeRawPointer.init)
          : sqlite3_value_blob(otherValue)
        let length = sqlite3_value_bytes(value)
        guard length == sqlite3_value_bytes(otherValue) else { return false }
        if length > 0, let bytes, let otherBytes, memcmp(bytes, otherBytes, Int(length)) != 0 {
          return false
        }
      default: continue
      }
    }
    return true
  }

  /// The value of a column, decoded as `type`.
  ///
  /// - Throws: `DatabaseError` with code `.missingColumn` if the column does not exist, and
  ///   `.typeMismatch` if the value is of another type.
  public func decode<T: ColumnValue>(_ type: T.Type = T.self, at column: Int) throws -> T {
    guard column >= 0, column < count else {
      throw DatabaseError(
        .missingColumn, "there is no column \(column): the row has \(count) columns")
    }
    return try T.decode(self, at: column)
  }

  /// The value of the column with this name, decoded as `type`. Names are compared as SQLite does.
  ///
  /// - Throws: the same as ``decode(_:at:)``.
  public func decode<T: ColumnValue>(_ type: T.Type, _ name: String) throws -> T {
    guard let column = columnNames.position(of: name) else {
      throw DatabaseError(
        .missingColumn, "there is no column \(name)",
        nextStep: "The row's columns are: \(columnNames.names.joined(separator: ", "))")
    }
    return try T.decode(self, at: column)
  }

  /// The error for a column whose value is not `expected`.
  package func typeMismatch(at column: Int, expected: String) -> DatabaseError {
    DatabaseError(
      .typeMismatch,
      "column \(columnNames.names[column]) holds \(storageClass(at: column)), not \(expected)",
      nextStep: isNull(at: column)
        ? "Read it as an optional type" : "Give the property a type that fits what is stored")
  }

  package func noCase(of type: Any.Type, for raw: some ColumnValue, at column: Int) -> DatabaseError
  {
    DatabaseError(
      .typeMismatch,
      "column \(columnNames.names[column]) holds \(raw), which is not a raw value of \(type)",
      nextStep: "Add a case for it, or correct what is stored")
  }
}

/// A copy of a row: its values and the names of its columns.
///
/// ```swift
/// let rows = try database.read { try $0.rows("SELECT name, genre FROM track") }
/// print(rows[0]["name"])
/// ```
public struct Row: Sendable {
  /// The names of the columns.
  public let columnNames: ColumnNames
  /// The values, in the order of the columns.
  public let values: [Value]

  /// Copies the current row of a statement.
  public init(_ row: borrowing RowView) {
    columnNames = row.columnNames
    var values: [Value] = []
    values.reserveCapacity(row.count)
    for column in 0..<row.count { values.append(row.value(at: column)) }
    self.values = values
  }

  /// Makes a row of `values`. There must be one value for each column.
  package init(columnNames: ColumnNames, values: [Value]) {
    self.columnNames = columnNames
    self.values = values
  }

  /// The value of the column with this name, compared as SQLite does. It traps if there is none, with the names of the
  /// columns. For a column that another program may drop, or a name from outside, use ``decode(_:_:)``, which throws.
  ///
  /// It does not throw itself, so that `\Row["name"]` is a key path. A request whose key path names no column throws.
  public subscript(name: String) -> Value {
    if let position = columnNames.position(of: name) { return values[position] }
    guard columnNames.isProbe else {
      fatalError(
        "there is no column \(name): the row has \(columnNames.names.joined(separator: ", "))")
    }
    return .null
  }

  /// The value of the column with this name, decoded as `type`. Names are compared as SQLite does.
  ///
  /// ```swift
  /// let count = try row.decode(Int.self, "n")
  /// ```
  ///
  /// - Throws: `DatabaseError` with code `.missingColumn` if the column does not exist, and
  ///   `.typeMismatch` if the value is of another type.
  public func decode<T: ColumnValue>(_ type: T.Type, _ name: String) throws -> T {
    try view.decode(type, name)
  }

  /// A view of the copy. Not inlined: the optimiser of Swift 6.3 fails to initialise a noncopyable value
  /// in the generic methods above and below.
  @inline(never)
  private var view: RowView { RowView(.copy(self)) }

  /// The value of a column, decoded as `type`.
  ///
  /// - Throws: the same as ``decode(_:_:)``.
  public func decode<T: ColumnValue>(_ type: T.Type = T.self, at column: Int) throws -> T {
    try view.decode(type, at: column)
  }
}

extension Row: Hashable {
  /// Whether both rows have the same columns with the same values.
  public static func == (lhs: Row, rhs: Row) -> Bool {
    lhs.values == rhs.values && lhs.columnNames.names.exact == rhs.columnNames.names.exact
  }

  /// Feeds the values to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

/// The names of the columns of a result, shared by all of its rows.
public final class ColumnNames: Sendable {
  /// The names, in order.
  public let names: [String]
  /// The first position of each folded name.
  private let positions: [ExactText: Int]
  private let onLookUp: (@Sendable (String) -> Void)?
  /// Whether they only hear which names are looked up.
  fileprivate var isProbe: Bool { onLookUp != nil }

  /// Makes a list. If a name occurs twice, ``position(of:)`` returns the first column.
  ///
  /// - Parameter onLookUp: called with each name that is looked up.
  package init(_ names: [String], onLookUp: (@Sendable (String) -> Void)? = nil) {
    self.names = names
    self.onLookUp = onLookUp
    positions = Dictionary(
      names.enumerated().map { ($1.sqliteFolded, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The number of columns.
  public var count: Int { names.count }

  /// The position of the column with this name; nil if there is none. The case of ASCII letters is ignored, as in
  /// SQLite.
  public func position(of name: String) -> Int? {
    onLookUp?(name)
    return positions[name.sqliteFolded]
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both have the same bytes.
  func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let lhs = baseAddress, let rhs = other.baseAddress else { return true }
    return memcmp(lhs, rhs, count) == 0
  }
}
