import Testing

@testable import SQLiteStorage

/// SQLite's incremental blob I/O, which the library does not offer but others use.
enum BlobWrite {
  private typealias Open =
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, Int64, Int32,
      UnsafeMutablePointer<OpaquePointer?>
    ) -> Int32
  private typealias Write =
    @convention(c) (OpaquePointer, UnsafeRawPointer, Int32, Int32) -> Int32
  private typealias Close = @convention(c) (OpaquePointer) -> Int32

  /// Writes two bytes at the start of a blob.
  ///
  /// - Returns: whether there was one to write to.
  @discardableResult
  static func write(
    _ bytes: (UInt8, UInt8), to column: String, of table: String, rowID: Int64,
    on connection: Connection
  ) throws -> Bool {
    let open = try #require(OptionalSymbol<Open>("sqlite3_blob_open").value)
    let write = try #require(OptionalSymbol<Write>("sqlite3_blob_write").value)
    let close = try #require(OptionalSymbol<Close>("sqlite3_blob_close").value)
    var blob: OpaquePointer?
    let status = open(connection.handle, "main", table, column, rowID, 1, &blob)
    guard let blob else { return false }
    defer { _ = close(blob) }
    guard status == 0 else { return false }
    return write(blob, [bytes.0, bytes.1], 2, 0) == 0
  }
}
