/// The header of the WAL-index (the `-shm` file), which describes the write-ahead log.
///
/// Source: [The WAL-Index File Format](https://www.sqlite.org/walformat.html#the_wal_index_file_format).
struct WALIndexHeader: Hashable {
  /// The version of the database that the header describes.
  let version: WALHeader
  /// The number of frames already copied into the database file: `nBackfill`.
  let backfilledFrameCount: Int

  /// The number of valid frames in the log: `mxFrame`.
  var frameCount: Int { version.frameCount }

  /// Reads the header through a connection that has read the database before.
  ///
  /// - Parameter schema: `main`, or the name of an attached database.
  /// - Returns: nil if there is no WAL-index, or writers changed it during each attempt.
  init?(of connection: Connection, schema: String = "main") {
    self.init(handle: connection.handle, schema: schema)
  }

  /// Reads the header, as above.
  init?(handle: OpaquePointer, schema: String) {
    guard let memory = WALIndex(handle: handle, schema: schema)?.region(0) else { return nil }
    for _ in 0..<WALIndexHeader.readAttempts {
      if let version = WALHeader(memory) {
        self.version = version
        backfilledFrameCount = Int(
          memory.load(fromByteOffset: 2 * WALHeader.size, as: UInt32.self))
        return
      }
    }
    return nil
  }

  private static var readAttempts: Int { 100 }
}
