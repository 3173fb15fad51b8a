internal import CFetchedResultsSQLite

/// A database file and its log, read through the handles by which SQLite has them open.
///
/// Opening them a second time would drop the POSIX locks of the whole process when they are closed.
struct LoggedFile {
  enum Part {
    case database
    case log
  }

  /// Reads so many bytes from an offset.
  let read: (_ part: Part, _ count: Int, _ offset: Int) throws(PageObstacle) -> [UInt8]

  init(
    reading read: @escaping (Part, _ count: Int, _ offset: Int) throws(PageObstacle) -> [UInt8]
  ) {
    self.read = read
  }

  /// The file of a schema, which can be read for as long as the connection is in its transaction.
  ///
  /// - Returns: nil where SQLite does not have both open.
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
    read = { (part, count, offset) throws(PageObstacle) in
      let file = part == .database ? database : log
      guard let read = file.pointee.pMethods?.pointee.xRead, let length = Int32(exactly: count)
      else { throw .unreadable }
      var status = SQLITE_OK
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
        status = read(file, buffer.baseAddress, length, sqlite3_int64(offset))
        initializedCount = status == SQLITE_OK ? count : 0
      }
      // A short read too: nothing is asked for that is not in the file.
      guard status == SQLITE_OK else { throw .unreadable }
      return bytes
    }
  }
}
