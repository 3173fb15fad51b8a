internal import CSQLite

/// The pages of one database file in two pinned versions, with a cache of pages.
final class VersionPages {
  let header: FileHeader
  private let reader: any VersionPageReader

  private var kept: [VersionReader.Place: PageBytes] = [:]
  /// The kinds of pages that are not in `kept`.
  private var kinds: [VersionReader.Place: BTreePage.Kind?] = [:]
  private var keptSize = 0

  init(_ reader: any VersionPageReader) throws(PageDiffError) {
    self.reader = reader
    header = try reader.header(in: .older)
    guard header.pageSize == reader.pageSize, try reader.header(in: .newer) == header else {
      throw .malformed
    }
    // With more pages, the first byte of a page number could equal the kind of a B-tree page, which
    // is its first byte. See `PageComparison`.
    let count = max(reader.pageCount(in: .older), reader.pageCount(in: .newer))
    guard count < 0x0200_0000 else { throw .tooManyPages }
  }

  /// The pages written between the two versions. A page need not exist in both.
  var changed: Dictionary<UInt32, Int>.Keys { reader.changed.keys }

  func isChanged(_ page: UInt32) -> Bool { reader.changed[page] != nil }

  /// The maximum number of changed pages of tables.
  var changeLimit: Int { VersionReader.changeLimit(pageSize: header.pageSize) }

  func count(in version: VersionReader.Version) -> UInt32 {
    reader.pageCount(in: version)
  }

  /// Whether a version has a page with this number that may contain rows.
  func has(_ page: UInt32, in version: VersionReader.Version) -> Bool {
    page > 0 && page <= count(in: version) && !header.isSpecial(page)
  }

  /// The bytes of a page, without the reserved bytes at the end.
  func bytes(
    of page: UInt32, in version: VersionReader.Version
  ) throws(PageDiffError) -> PageBytes {
    let place = try reader.place(of: page, in: version)
    if let bytes = kept[place] { return bytes }
    let bytes = try reader.read(header.usableSize, at: place, of: page)
    if keptSize < VersionPages.keptSizeLimit {
      kept[place] = bytes
      keptSize += bytes.count
    }
    return bytes
  }

  /// The kind of a page, from its first byte; nil if it is not a B-tree page.
  ///
  /// Reads no more of it, for pages whose rows are not compared, such as those of indexes.
  func kind(
    of page: UInt32, in version: VersionReader.Version
  ) throws(PageDiffError) -> BTreePage.Kind? {
    let place = try reader.place(of: page, in: version)
    if let bytes = kept[place] { return try BTreePage.kind(of: bytes, page: page) }
    if let known = kinds[place] { return known }
    let bytes = try reader.read(BTreePage.headerOffset(page) + 1, at: place, of: page)
    let kind = try BTreePage.kind(of: bytes, page: page)
    kinds[place] = .some(kind)
    return kind
  }

  /// The first number in a page. In an overflow page, it is the number of the next page.
  func link(of page: UInt32, in version: VersionReader.Version) throws(PageDiffError) -> UInt32 {
    let place = try reader.place(of: page, in: version)
    if let bytes = kept[place] { return try bytes.uint32(at: 0) }
    return try reader.read(4, at: place, of: page).uint32(at: 0)
  }

  /// Checks the size of the cached pages.
  func checkInvariants() throws {
    let size = kept.values.reduce(0) { $0 + $1.count }
    try BrokenInvariant.check(keptSize == size, "\(keptSize) bytes counted of \(size)")
    try BrokenInvariant.check(
      size < VersionPages.keptSizeLimit + header.usableSize, "\(size) bytes are cached")
  }

  private static var keptSizeLimit: Int { 1 << 25 }
}

extension VersionPages {
  /// Removes from `pages` those that are on the freelist of the older version.
  ///
  /// Source: [The Freelist](https://www.sqlite.org/fileformat2.html#the_freelist).
  ///
  /// - Complexity: O(free pages / 100), or less if all of them are found early: the pages that are
  ///   reused first are first in the list.
  func removeFreePages(from pages: inout Set<UInt32>) throws(PageDiffError) {
    var trunk = try bytes(of: 1, in: .older).uint32(at: 32)
    var remaining = Int(count(in: .older))
    while trunk != 0, !pages.isEmpty {
      guard has(trunk, in: .older) else { throw .malformed }
      pages.remove(trunk)
      let bytes = try bytes(of: trunk, in: .older)
      let leafCount = Int(try bytes.uint32(at: 4))
      // A list with a cycle is longer than the file.
      remaining -= 1 + leafCount
      guard remaining >= 0 else { throw .malformed }
      let leaves = try bytes.range(at: 8, count: 4 * leafCount)
      for offset in stride(from: leaves.lowerBound, to: leaves.upperBound, by: 4) {
        pages.remove(try bytes.uint32(at: offset))
      }
      trunk = try bytes.uint32(at: 0)
    }
  }
}

/// Reads the pages of two versions of a database.
protocol VersionPageReader: AnyObject {
  var pageSize: Int { get }
  /// The pages that differ, each with its place in the newer version.
  var changed: [UInt32: Int] { get }
  func pageCount(in version: VersionReader.Version) -> UInt32
  func place(
    of page: UInt32, in version: VersionReader.Version
  ) throws(PageDiffError) -> VersionReader.Place
  func read(
    _ count: Int, at place: VersionReader.Place, of page: UInt32
  ) throws(PageDiffError) -> PageBytes
}

extension VersionPageReader {
  func header(in version: VersionReader.Version) throws(PageDiffError) -> FileHeader {
    try FileHeader(read(FileHeader.size, at: place(of: 1, in: version), of: 1))
  }
}

/// Reads the pages of one database file in two pinned versions.
///
/// While the older version is pinned, the log is reset at most once, and nothing newer than
/// that version is copied into the database file. So the pages are found as follows:
/// - In the older version, a page is in its last frame up to the end of the version, if the log was
///   not reset since. Else it is in the database file.
/// - The frames after that end, or all frames of the new log, were written since.
/// - The newer version has frames in its log that are not copied, so its log is not reset.
///
/// Source: [WAL Locks](https://www.sqlite.org/walformat.html#wal_locks), and `walTryBeginRead`,
/// `walCheckpoint` and `walRestartLog` in SQLite's `wal.c`.
final class VersionReader: VersionPageReader {
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
  private let olderPageCount: UInt32
  /// The pages written between the versions, each with its last frame.
  let changed: [UInt32: Int]
  /// The number of reads, for tests.
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
    let frames = try VersionReader.frames(from: older, to: newer)
    guard newer.pageSize >= 512 else { throw .malformed }
    changed = try index.pages(
      ofFrames: frames, limit: VersionReader.pageLimit(pageSize: newer.pageSize))
    olderPageCount =
      older.pageCount > 0
      ? older.pageCount
      : try FileHeader.pageCount(PageBytes(try file.read(.database, FileHeader.size, 0)))
  }

  /// The frames written between two versions.
  private static func frames(
    from older: WALHeader, to newer: WALHeader
  ) throws(PageDiffError) -> Range<Int> {
    let first = newer.isSameLog(as: older) ? older.frameCount + 1 : 1
    guard first <= newer.frameCount + 1 else { throw .unreadable }
    return first..<newer.frameCount + 1
  }

  /// The number of transactions committed between two versions: the last frame of each has the number of pages.
  ///
  /// Complexity: a read for each frame.
  ///
  /// Source: [The WAL File Format](https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
  static func commitCount(
    in file: LoggedFile, from older: WALHeader, to newer: WALHeader
  ) throws(PageDiffError) -> Int {
    var count = 0
    for frame in try frames(from: older, to: newer) {
      let header = try file.read(
        .log, 16, LoggedFile.start(ofFrame: frame, pageSize: newer.pageSize))
      guard header[8..<16].elementsEqual(newer.salts) else { throw .unreadable }
      if try PageBytes(header).uint32(at: 4) > 0 { count += 1 }
    }
    return count
  }

  var pageSize: Int { newer.pageSize }

  func pageCount(in version: Version) -> UInt32 {
    version == .older ? olderPageCount : newer.pageCount
  }

  func place(of page: UInt32, in version: Version) throws(PageDiffError) -> Place {
    guard page > 0, page <= pageCount(in: version) else { throw .malformed }
    if version == .newer, let frame = changed[page] { return .frame(frame) }
    if isSameLog, let frame = try index.frame(of: page, upTo: older.frameCount) {
      return .frame(frame)
    }
    return .database(page: page)
  }

  func read(_ count: Int, at place: Place, of page: UInt32) throws(PageDiffError) -> PageBytes {
    readCount += 1
    switch place {
    case .database(let page):
      return PageBytes(try file.read(.database, count, (Int(page) - 1) * pageSize))
    case .frame(let frame):
      return try file.page(page, atFrame: frame, of: newer, count)
    }
  }

  /// The maximum number of changed pages of tables. Beyond it, comparing all rows costs less than reading
  /// each touched row, and needs less memory: the changed pages of both versions are held in
  /// memory.
  static func changeLimit(pageSize: Int) -> Int { min(1 << 13, (1 << 26) / pageSize) }

  /// The maximum number of changed pages with those of indexes, of which no more than the kind is read. Rows all over a
  /// table may change some pages of each index for each row.
  static func pageLimit(pageSize: Int) -> Int { 8 * changeLimit(pageSize: pageSize) }
}

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

  /// The files of a schema, which can be read while the connection is in a transaction, or a version of them is pinned.
  ///
  /// - Returns: nil if SQLite does not have both files open.
  init?(handle: OpaquePointer, schema: String) {
    guard let database = openFile(SQLITE_FCNTL_FILE_POINTER, of: handle, schema: schema),
      let log = openFile(SQLITE_FCNTL_JOURNAL_POINTER, of: handle, schema: schema)
    else { return nil }
    read = { (part, count, offset) throws(PageDiffError) in
      try readBytes(of: part == .database ? database : log, count, offset)
    }
  }
}

extension LoggedFile {
  /// Reads the first bytes of a page in a frame of a log.
  ///
  /// - Parameter version: a version of which the frame is.
  /// - Throws: `.unreadable` if the frame is of another log or another page: then the version is not pinned.
  func page(
    _ page: UInt32, atFrame frame: Int, of version: WALHeader, _ count: Int
  ) throws(PageDiffError) -> PageBytes {
    let start = LoggedFile.start(ofFrame: frame, pageSize: version.pageSize)
    let bytes = try read(.log, LoggedFile.frameHeaderSize + count, start)
    guard try PageBytes(bytes).uint32(at: 0) == page, bytes[8..<16].elementsEqual(version.salts)
    else { throw .unreadable }
    return PageBytes(bytes, from: LoggedFile.frameHeaderSize)
  }

  /// The offset of a frame in the log.
  static func start(ofFrame frame: Int, pageSize: Int) -> Int {
    logHeaderSize + (frame - 1) * (frameHeaderSize + pageSize)
  }

  static var logHeaderSize: Int { 32 }
  static var frameHeaderSize: Int { 24 }
}

func readBytes(
  of file: UnsafeMutablePointer<sqlite3_file>, _ count: Int, _ offset: Int
) throws(PageDiffError) -> [UInt8] {
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
