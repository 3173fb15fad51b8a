internal import CSQLite

/// The pages of `main` in one version, which is a private copy or pinned in the file. A connection is in a transaction that
/// sees the version meanwhile.
///
/// A page of a pinned version is in its last frame up to the end of the version; if it has none, or the log was reset since, in
/// the database file. How much of the log is copied does not matter: a checkpoint that readers limit leaves out the pages that
/// were written again after the limit, and counts their earlier frames as copied.
///
/// Not for versions between which the log tells what was written: see ``VersionReader``.
///
/// Source: [WAL Locks](https://www.sqlite.org/walformat.html#wal_locks), and `walCheckpoint` and `walRestartLog` in SQLite's
/// `wal.c`.
struct PageSource {
  let header: FileHeader
  let pageCount: Int
  private let database: UnsafeMutablePointer<sqlite3_file>
  /// The log, and the version in it; nil if no page is in the log.
  private let log: (file: LoggedFile, index: WALIndex, version: WALHeader)?
  /// The last frame of each page in the log.
  private let frames: [UInt32: Int]
  /// The number of pages in the database file. Those that are missing at its end are in the log.
  private let fileCount: Int

  /// - Parameter copy: a connection to a private copy.
  init(copy: Connection) throws(PageDiffError) {
    guard let database = copy.mainFile else { throw .unreadable }
    let start = PageBytes(try readBytes(of: database, FileHeader.size, 0))
    header = try FileHeader(start)
    pageCount = Int(try FileHeader.pageCount(start))
    fileCount = try PageSource.size(of: database) / header.pageSize
    self.database = database
    log = nil
    frames = [:]
  }

  /// - Parameters:
  ///   - connection: is in a transaction that sees the version.
  ///   - version: the header of the log that the version has.
  /// - Throws: `.malformed` if the pages do not follow the file format, as those that another layer encrypts.
  init(of connection: Connection, at version: WALHeader) throws(PageDiffError) {
    guard let database = connection.mainFile, let index = connection.walIndex,
      let file = LoggedFile(handle: connection.handle, schema: "main"),
      let now = WALIndexHeader(index)
    else { throw .unreadable }
    let isInLog = now.version.isSameLog(as: version) && version.frameCount > 0
    frames =
      isInLog ? try index.pages(ofFrames: 1..<version.frameCount + 1, limit: .max) : [:]
    let start =
      if let frame = frames[1] {
        try file.page(1, atFrame: frame, of: version, FileHeader.size)
      } else {
        PageBytes(try readBytes(of: database, FileHeader.size, 0))
      }
    header = try FileHeader(start)
    guard !isInLog || header.pageSize == version.pageSize else { throw .malformed }
    pageCount = Int(version.pageCount > 0 ? version.pageCount : try FileHeader.pageCount(start))
    fileCount = try PageSource.size(of: database) / header.pageSize
    self.database = database
    log = isInLog ? (file, index, version) : nil
    try checkLog()
  }

  private static func size(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) throws(PageDiffError) -> Int {
    var size: sqlite3_int64 = 0
    guard file.pointee.pMethods?.pointee.xFileSize?(file, &size) == SQLITE_OK else {
      throw .unreadable
    }
    return Int(size)
  }

  /// Checks that the log was not reset since it was read. It may be, if all pages of the version are in the file too.
  ///
  /// - Throws: `.unreadable` if it was. Another source reads the file.
  private func checkLog() throws(PageDiffError) {
    guard let log else { return }
    guard WALIndexHeader(log.index)?.version.isSameLog(as: log.version) == true else {
      throw .unreadable
    }
  }

  /// Reads the first bytes of a page.
  func bytes(_ count: Int, of page: UInt32) throws(PageDiffError) -> PageBytes {
    guard let log, let frame = frames[page] else {
      return PageBytes(try readBytes(of: database, count, (Int(page) - 1) * header.pageSize))
    }
    let bytes = try log.file.page(page, atFrame: frame, of: log.version, count)
    try checkLog()
    return bytes
  }

  /// Reads pages that follow each other, of which the first has the number `first + 1`.
  func block(from first: Int, count: Int) throws(PageDiffError) -> [UInt8] {
    let pageSize = header.pageSize
    let existing = max(0, min(count, fileCount - first))
    var block = try readBytes(of: database, existing * pageSize, first * pageSize)
    block += [UInt8](repeating: 0, count: (count - existing) * pageSize)
    guard let log else { return block }
    for number in 0..<count {
      let page = UInt32(first + number + 1)
      guard let frame = frames[page] else { continue }
      let bytes = try log.file.page(page, atFrame: frame, of: log.version, pageSize)
      block.replaceSubrange(number * pageSize..<(number + 1) * pageSize, with: bytes[0..<pageSize])
    }
    try checkLog()
    return block
  }

  /// The number of pages that are read at once.
  var blockCount: Int { max(1, (1 << 18) / header.pageSize) }
}
