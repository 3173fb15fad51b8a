internal import CSQLite

/// What readers see of the write-ahead logs of some files, and whether that is all.
///
/// A writer writes a commit to the log, waits for the disk, and then makes the commit visible in the WAL-index. The
/// last step changes the status of no file. A version that was read in between does not have the commit, and nothing
/// but the WAL-index tells when it is visible.
///
/// Source: `walFrames` and `sqlite3WalFrames` in SQLite's `wal.c`, and [the WAL file
/// format](https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
struct VisibleLogs: Equatable {
  /// For each log its salts, and the number of frames that readers see.
  private let frames: [Frames]
  /// Whether no log has a commit that readers do not see: its writer has not ended it yet, or has died.
  let isComplete: Bool

  private struct Frames: Equatable {
    let salts: [UInt8]
    let count: Int
  }

  /// Whether readers see the same.
  func hasSameFrames(as other: VisibleLogs?) -> Bool { frames == other?.frames }

  /// Looks up the logs of some schemas. The connection must have read each of them in its transaction.
  ///
  /// - Returns: nil if no file has a log.
  /// - Throws: `.unreadable` if a writer changed a WAL-index during each attempt to read it.
  init?(of schemas: [String], seenBy connection: Connection) throws(PageDiffError) {
    var frames: [Frames] = []
    var isComplete = true
    for schema in schemas {
      guard let file = LoggedFile(handle: connection.handle, schema: schema),
        try file.isInWALMode, let index = WALIndex(handle: connection.handle, schema: schema)
      else { continue }
      guard let header = WALIndexHeader(index)?.version else { throw .unreadable }
      frames.append(Frames(salts: header.salts, count: header.frameCount))
      isComplete = isComplete && !file.hasCommit(after: header)
    }
    guard !frames.isEmpty else { return nil }
    self.frames = frames
    self.isComplete = isComplete
  }
}

extension LoggedFile {
  /// Whether the header of the database names WAL mode. In any other mode the second file is a rollback journal.
  var isInWALMode: Bool {
    get throws(PageDiffError) { try read(.database, 2, 18) == [2, 2] }
  }

  /// Whether the log has a commit behind the frames that readers see.
  fileprivate func hasCommit(after header: WALHeader) -> Bool {
    guard let log = bytes(LoggedFile.logHeaderSize, 0) else { return false }
    let salts = Array(log[16..<24])
    // An index that was made of an empty log has no salts. With others, what is in the log was reset.
    guard salts == header.salts || header.salts.allSatisfy({ $0 == 0 }) else { return false }
    let frameSize = LoggedFile.frameHeaderSize + LoggedFile.number(log[8..<12])
    for frame in header.frameCount..<(header.frameCount + LoggedFile.frameLimit) {
      let offset = LoggedFile.logHeaderSize + frame * frameSize
      guard let bytes = bytes(LoggedFile.frameHeaderSize, offset), Array(bytes[8..<16]) == salts
      else { return false }
      // The last frame of a commit has the size of the database.
      if LoggedFile.number(bytes[4..<8]) != 0 { return true }
    }
    return true
  }

  /// Nil behind the end of the log.
  private func bytes(_ count: Int, _ offset: Int) -> [UInt8]? {
    do { return try read(.log, count, offset) } catch { return nil }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private static var logHeaderSize: Int { 32 }
  private static var frameHeaderSize: Int { 24 }
  /// How many frames of a transaction are read. With more, one may be a commit.
  private static var frameLimit: Int { 4_096 }
}
