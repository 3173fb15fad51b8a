/// Reads the pages of one database file in two pinned versions.
///
/// While the older version is pinned, the log is started over at most once, and nothing newer than
/// that version is copied into the database file. So the pages are found as follows:
/// - In the older version, a page is in its last frame up to the end of the version, if the log was
///   not started over since. Else it is in the database file.
/// - The frames after that end, or all frames of the new log, were written since.
/// - The newer version has frames in its log that are not copied, so its log is not started over.
///
/// Source: [WAL Locks](https://www.sqlite.org/walformat.html#wal_locks), and `walTryBeginRead`,
/// `walCheckpoint` and `walRestartLog` in SQLite's `wal.c`.
final class VersionReader {
  enum Version {
    case older
    case newer
  }

  /// The location of the bytes of a page.
  enum Place: Hashable {
    case database(page: UInt32)
    case frame(Int)
  }

  private let older: WALHeader
  private let newer: WALHeader
  /// The number of pages in the older version.
  private let olderPageCount: UInt32
  /// The pages written between the versions, each with its last frame.
  let changed: [UInt32: Int]
  private(set) var readCount = 0

  private let file: LoggedFile
  private let index: WALIndex
  private let isSameLog: Bool

  init(
    _ file: LoggedFile, _ index: WALIndex, from older: WALHeader, to newer: WALHeader
  ) throws(PageDiffError) {
    self.file = file
    self.index = index
    self.older = older
    self.newer = newer
    isSameLog = newer.isSameLog(as: older)
    let first = isSameLog ? older.frameCount + 1 : 1
    guard first <= newer.frameCount + 1 else { throw .unreadable }
    guard newer.pageSize >= 512 else { throw .malformed }
    changed = try index.pages(
      ofFrames: first..<newer.frameCount + 1,
      limit: VersionReader.changeLimit(pageSize: newer.pageSize))
    olderPageCount =
      older.pageCount > 0
      ? older.pageCount
      : try FileHeader.pageCount(PageBytes(try file.read(.database, FileHeader.size, 0)))
  }

  var pageSize: Int { newer.pageSize }

  /// The number of pages in a version.
  func pageCount(in version: Version) -> UInt32 {
    version == .older ? olderPageCount : newer.pageCount
  }

  /// The file header in the first page.
  func header(in version: Version) throws(PageDiffError) -> FileHeader {
    try FileHeader(read(FileHeader.size, at: place(of: 1, in: version), of: 1))
  }

  func place(of page: UInt32, in version: Version) throws(PageDiffError) -> Place {
    guard page > 0, page <= pageCount(in: version) else { throw .malformed }
    if version == .newer, let frame = changed[page] { return .frame(frame) }
    if isSameLog, let frame = try index.frame(of: page, upTo: older.frameCount) {
      return .frame(frame)
    }
    return .database(page: page)
  }

  /// Reads the first bytes of a page.
  func read(_ count: Int, at place: Place, of page: UInt32) throws(PageDiffError) -> PageBytes {
    readCount += 1
    switch place {
    case .database(let page):
      return PageBytes(try file.read(.database, count, (Int(page) - 1) * pageSize))
    case .frame(let frame):
      let headerSize = VersionReader.frameHeaderSize
      let start = VersionReader.logHeaderSize + (frame - 1) * (headerSize + pageSize)
      let bytes = try file.read(.log, headerSize + count, start)
      // If the frame is of another log or another page, the version is not pinned.
      guard try PageBytes(bytes).uint32(at: 0) == page,
        bytes[8..<16].elementsEqual(newer.salts)
      else { throw .unreadable }
      return PageBytes(Array(bytes[headerSize...]))
    }
  }

  /// The maximum number of changed pages. Beyond it, comparing all rows costs less than reading
  /// each touched row, and needs less memory: the changed pages of both versions are held in
  /// memory.
  static func changeLimit(pageSize: Int) -> Int { min(1 << 13, (1 << 26) / pageSize) }
  private static var logHeaderSize: Int { 32 }
  private static var frameHeaderSize: Int { 24 }
}
