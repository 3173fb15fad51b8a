internal import CSQLite

/// A text or a blob where a table holds it. It is read in parts, and so is never in memory as a whole.
///
/// ```swift
/// try database.read { connection in
///   guard let table = try connection.table(named: "photo"),
///     let image = try connection.storedValue(ofColumn: "image", rowID: 7, in: table)
///   else { return }
///   for start in stride(from: 0, to: image.count, by: 65_536) {
///     send(try connection.bytes(start..<min(start + 65_536, image.count), of: image))
///   }
/// }
/// ```
///
/// Sendable: immutable.
public struct StoredValue: Hashable, Sendable {
  fileprivate let schema: String
  fileprivate let table: String
  fileprivate let column: String
  fileprivate let rowID: Int64
  /// The number of its bytes.
  public let count: Int
  /// Whether it is a text, whose bytes are UTF-8. If not, it is a blob.
  public let isText: Bool
}

extension Connection {
  /// Finds a value, without reading it.
  ///
  /// - Parameter column: the name of the column, as the schema spells it.
  /// - Returns: nil if the row does not exist, if its value is neither a blob nor a text in UTF-8, or if the table has no
  ///   rowid or computes the column.
  public func storedValue(
    ofColumn column: String, rowID: Int64, in table: TableDescription
  ) throws -> StoredValue? {
    guard let rowIDName = table.rowIDName,
      let known = table.columns.first(where: { $0.name.exact == column.exact }), !known.isGenerated
    else { return nil }
    // SQLite tells the type without reading the value.
    let query: String = """
      SELECT typeof(\(column.quotedIdentifier))
      FROM \(table.schema.quotedIdentifier).\(table.name.quotedIdentifier) WHERE \(rowIDName) = ?
      """
    guard let type = try value(String.self, query, [.integer(rowID)]),
      type == "blob" || type == "text",
      try type == "blob" || value(String.self, "PRAGMA encoding") == "UTF-8"
    else { return nil }
    let count = try withBlob(table.schema, table.name, column, rowID) {
      Int(sqlite3_blob_bytes($0))
    }
    return StoredValue(
      schema: table.schema, table: table.name, column: column, rowID: rowID, count: count,
      isText: type == "text")
  }

  /// Reads a part of a value, in the version in which it was found. The range must be in `0..<count`.
  ///
  /// Complexity: O(pages of the value before the end of the part).
  public func bytes(_ range: Range<Int>, of value: StoredValue) throws -> [UInt8] {
    try withBlob(value.schema, value.table, value.column, value.rowID) { blob in
      var bytes = [UInt8](repeating: 0, count: range.count)
      try bytes.withUnsafeMutableBytes { buffer in
        try check(
          sqlite3_blob_read(blob, buffer.baseAddress, Int32(range.count), Int32(range.lowerBound)))
      }
      return bytes
    }
  }

  private func withBlob<Result>(
    _ schema: String, _ table: String, _ column: String, _ rowID: Int64,
    _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    var opened: OpaquePointer?
    // It is to be closed even if it was not opened; then it is null.
    defer { sqlite3_blob_close(opened) }
    try check(sqlite3_blob_open(handle, schema, table, column, rowID, 0, &opened))
    guard let opened else { throw DatabaseError.sqlite(SQLITE_NOMEM, handle: handle, sql: nil) }
    return try body(opened)
  }
}
