/// A row that a ``RowView`` reads without a statement.
package enum KeptRow {
  case copy(Row)
  case packed(PackedRow)

  var columnNames: ColumnNames {
    switch self {
    case .copy(let row): row.columnNames
    case .packed(let row): row.columnNames
    }
  }

  var count: Int {
    switch self {
    case .copy(let row): row.values.count
    case .packed(let row): row.columnNames.count
    }
  }

  func withContent<Result>(
    at column: Int, _ body: (ColumnContent) throws -> Result
  ) rethrows -> Result {
    switch self {
    case .packed(let row): return try row.withContent(at: column, body)
    case .copy(let row):
      switch row.values[column] {
      case .null: return try body(.null)
      case .integer(let integer): return try body(.integer(integer))
      case .real(let real): return try body(.real(real))
      case .text(var text): return try text.withUTF8 { try body(.text(UnsafeRawBufferPointer($0))) }
      case .blob(let bytes): return try bytes.withUnsafeBytes { try body(.blob($0)) }
      }
    }
  }

  func value(at column: Int) -> Value {
    switch self {
    case .copy(let row): row.values[column]
    case .packed(let row): row.withContent(at: column) { Value($0) }
    }
  }

  func storageClass(at column: Int) -> StorageClass {
    withContent(at: column) { $0.storageClass }
  }

  /// The integer in a column; nil if the value is of another storage class.
  func integer(at column: Int) -> Int64? {
    withContent(at: column) { if case .integer(let integer) = $0 { integer } else { nil } }
  }

  func int64(at column: Int) -> Int64 { integer(at: column) ?? value(at: column).castInteger }

  func double(at column: Int) -> Double {
    withContent(at: column) { content in
      if case .real(let real) = content { real } else { Value(content).castReal }
    }
  }

  /// The text in a column; nil if the value is of another storage class.
  func text(at column: Int) -> String? {
    if case .text(let text) = value(at: column) { text } else { nil }
  }

  /// Whether a column contains text of exactly these bytes.
  func isText(_ bytes: UnsafeRawBufferPointer, at column: Int) -> Bool {
    withContent(at: column) {
      if case .text(let text) = $0 { text.hasBytes(of: bytes) } else { false }
    }
  }

  func withBytes<Result>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try withContent(at: column) { content in
      switch content {
      case .text(let bytes), .blob(let bytes): try body(bytes)
      case .null, .integer, .real: try Value(content).castBytes.withUnsafeBytes(body)
      }
    }
  }
}
