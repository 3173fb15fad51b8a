internal import CFetchedResultsSQLite

/// A database file and its log, read through the file handles that SQLite has open.
///
/// Opening and closing them a second time would release the POSIX locks of the whole process.
struct LoggedFile {
  enum Part {
    case database
    case log
  }

  /// Reads `count` bytes from an offset.
  let read: (_ part: Part, _ count: Int, _ offset: Int) throws(PageDiffError) -> [UInt8]

  init(
    reading read: @escaping (Part, _ count: Int, _ offset: Int) throws(PageDiffError) -> [UInt8]
  ) {
    self.read = read
  }

  /// The files of a schema, which can be read while the connection is in its transaction.
  ///
  /// - Returns: nil if SQLite does not have both files open.
  init?(handle: OpaquePointer, schema: String) {
    func file(_ operation: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
      var file: UnsafeMutablePointer<sqlite3_file>?
      let status = withUnsafeMutablePointer(to: &file) {
        sqlite3_file_control(handle, schema, operation, $0)
      }
      return status == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil
    }
    guard let database = file(SQLITE_FCNTL_FILE_POINTER),
      let log = file(SQLITE_FCNTL_JOURNAL_POINTER)
    else { return nil }
    read = { (part, count, offset) throws(PageDiffError) in
      let file = part == .database ? database : log
      guard let read = file.pointee.pMethods?.pointee.xRead, let length = Int32(exactly: count)
      else { throw .unreadable }
      var status = SQLITE_OK
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
        status = read(file, buffer.baseAddress, length, sqlite3_int64(offset))
        initializedCount = status == SQLITE_OK ? count : 0
      }
      // A short read is an error too: only bytes in the file are read.
      guard status == SQLITE_OK else { throw .unreadable }
      return bytes
    }
  }
}
