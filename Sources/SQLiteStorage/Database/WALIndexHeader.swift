internal import CSQLite

/// What the header of the WAL-index (the `-shm` file) says of the write-ahead log.
///
/// It is read from the shared memory that SQLite has mapped already. Opening the file a second time
/// would drop the POSIX locks of the whole process when it is closed.
///
/// Source: [The WAL-Index File Format](https://www.sqlite.org/walformat.html#the_wal_index_file_format).
struct WALIndexHeader: Hashable {
  /// The version of the database that it describes.
  let version: LogVersion
  /// How many frames have been copied into the database file: `nBackfill`.
  let backfilledFrameCount: Int

  /// The number of valid frames in the log: `mxFrame`.
  var frameCount: Int { version.frameCount }

  /// Reads the header through a connection that has read the database before.
  ///
  /// - Parameter schema: `main`, or the name of an attached database.
  /// - Returns: nil where there is no WAL-index, or writers changed it at every try.
  init?(of connection: Connection, schema: String = "main") {
    self.init(handle: connection.handle, schema: schema)
  }

  /// Reads the header, as above.
  init?(handle: OpaquePointer, schema: String) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let status = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(handle, schema, SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard status == SQLITE_OK, let file, let methods = file.pointee.pMethods,
      methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
    else { return nil }
    var region: UnsafeMutableRawPointer?
    let mapped = withUnsafeMutablePointer(to: &region) {
      $0.withMemoryRebound(to: UnsafeMutableRawPointer?.self, capacity: 1) {
        map(file, 0, WALIndexHeader.regionSize, 0, $0)
      }
    }
    guard mapped == SQLITE_OK, let region else { return nil }
    let memory = UnsafeRawBufferPointer(start: region, count: Int(WALIndexHeader.regionSize))
    for _ in 0..<WALIndexHeader.readAttempts {
      if let version = LogVersion(memory) {
        self.version = version
        backfilledFrameCount = Int(
          memory.load(fromByteOffset: 2 * LogVersion.size, as: UInt32.self))
        return
      }
    }
    return nil
  }

  private static var regionSize: Int32 { 32_768 }
  private static var readAttempts: Int { 100 }
}
