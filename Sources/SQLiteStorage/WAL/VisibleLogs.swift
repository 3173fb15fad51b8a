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
    do {
      return try findsCommit(after: header)
    } catch {
      // The log ends before the end of a commit.
      return false
    }
  }

  /// - Throws: `.unreadable` behind the end of the log.
  private func findsCommit(after header: WALHeader) throws(PageDiffError) -> Bool {
    let log = PageBytes(try read(.log, LoggedFile.logHeaderSize, 0))
    let salts = Array(log[16..<24])
    // An index that was made of an empty log has no salts. With others, what is in the log was reset.
    guard salts == header.salts || header.salts.allSatisfy({ $0 == 0 }) else { return false }
    // Such an index has no size of a page either.
    let pageSize = Int(try log.uint32(at: 8))
    guard pageSize <= LoggedFile.largestPageSize else { return false }
    for frame in (header.frameCount + 1)...(header.frameCount + LoggedFile.frameLimit) {
      let start = LoggedFile.start(ofFrame: frame, pageSize: pageSize)
      let bytes = PageBytes(try read(.log, LoggedFile.frameHeaderSize, start))
      guard bytes[8..<16].elementsEqual(salts) else { return false }
      // The last frame of a commit has the size of the database.
      if try bytes.uint32(at: 4) != 0 { return true }
    }
    return true
  }

  private static var largestPageSize: Int { 65_536 }
  /// How many frames of a transaction are read. With more, one may be a commit.
  private static var frameLimit: Int { 4_096 }
}
