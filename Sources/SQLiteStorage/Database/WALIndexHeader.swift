internal import CSQLite

/// What the header of the WAL-index (the `-shm` file) says of the write-ahead log.
///
/// It is read from the shared memory that SQLite has mapped already. Opening the file a second time
/// would drop the POSIX locks of the whole process when it is closed.
///
/// Source: [The WAL-Index File Format](https://www.sqlite.org/walformat.html#the_wal_index_file_format).
struct WALIndexHeader: Hashable {
  /// The number of valid frames in the log: `mxFrame`.
  let frameCount: Int
  /// How many of them have been copied into the database file: `nBackfill`.
  let backfilledFrameCount: Int

  /// Reads the header through a connection that has read the database before.
  ///
  /// - Returns: nil where there is no WAL-index, or writers changed it at every try.
  init?(of connection: Connection) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let status = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, $0)
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
      if let header = WALIndexHeader(memory) {
        self = header
        return
      }
    }
    return nil
  }

  /// Reads the header, which is stored twice: a writer changes the second copy first, so a reader
  /// that finds both alike has not met a half-written one.
  private init?(_ memory: UnsafeRawBufferPointer) {
    let size = WALIndexHeader.copySize
    let first = Array(memory[0..<size])
    guard first.elementsEqual(memory[size..<(2 * size)]) else { return nil }
    frameCount = Int(
      first.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) })
    backfilledFrameCount = Int(
      memory.loadUnaligned(fromByteOffset: 2 * size, as: UInt32.self))
  }

  private static var regionSize: Int32 { 32_768 }
  private static var copySize: Int { 48 }
  private static var readAttempts: Int { 100 }
}
