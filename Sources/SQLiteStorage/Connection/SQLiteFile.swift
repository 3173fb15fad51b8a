internal import CSQLite

/// A file of a schema that SQLite has open; nil if there is none.
///
/// - Parameter operation: `SQLITE_FCNTL_FILE_POINTER` for the database, `SQLITE_FCNTL_JOURNAL_POINTER`
///   for the log.
func openFile(
  _ operation: Int32, of handle: OpaquePointer, schema: String
) -> UnsafeMutablePointer<sqlite3_file>? {
  var file: UnsafeMutablePointer<sqlite3_file>?
  let status = withUnsafeMutablePointer(to: &file) {
    sqlite3_file_control(handle, schema, operation, $0)
  }
  return status == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil
}
