/// The bytes of a page. They are not trusted: each read is checked.
///
/// All numbers are big-endian. Source: [Database File
/// Format](https://www.sqlite.org/fileformat2.html).
struct PageBytes {
  /// What was read: other bytes, and from `start` on those of the page.
  private let storage: [UInt8]
  private let start: Int

  /// - Parameter start: the number of bytes that come before those of the page.
  init(_ bytes: [UInt8], from start: Int = 0) {
    storage = bytes
    self.start = start
  }

  var count: Int { storage.count - start }

  /// The bytes in a range, which must exist: see ``range(at:count:)``.
  subscript(range: Range<Int>) -> ArraySlice<UInt8> {
    storage[start + range.lowerBound..<start + range.upperBound]
  }

  func withUnsafeBytes<Result>(
    in range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    storage.withUnsafeBytes {
      body(
        UnsafeRawBufferPointer(
          rebasing: $0[start + range.lowerBound..<start + range.upperBound]))
    }
  }

  /// Whether two ranges, which must exist, have the same bytes.
  func hasSameBytes(in range: Range<Int>, as other: PageBytes, in otherRange: Range<Int>) -> Bool {
    withUnsafeBytes(in: range) { bytes in
      other.withUnsafeBytes(in: otherRange) { bytes.hasBytes(of: $0) }
    }
  }

  func byte(at offset: Int) throws(PageDiffError) -> UInt8 {
    guard offset >= 0, offset < count else { throw .malformed }
    return storage[start + offset]
  }

  func uint16(at offset: Int) throws(PageDiffError) -> Int {
    guard offset >= 0, offset < count - 1 else { throw .malformed }
    return Int(storage[start + offset]) << 8 | Int(storage[start + offset + 1])
  }

  func uint32(at offset: Int) throws(PageDiffError) -> UInt32 {
    guard offset >= 0, offset < count - 3 else { throw .malformed }
    return (0..<4).reduce(0) { $0 << 8 | UInt32(storage[start + offset + $1]) }
  }

  /// Reads a varint of one to nine bytes and moves `offset` past it. Each byte adds its lower seven bits, from the
  /// highest on, while its eighth bit is set. A ninth byte adds all eight bits.
  func varint(at offset: inout Int) throws(PageDiffError) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<8 {
      let byte = try byte(at: offset)
      offset += 1
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return value }
    }
    let last = try byte(at: offset)
    offset += 1
    return value << 8 | UInt64(last)
  }

  /// The range of `count` bytes, which must all exist.
  func range(at offset: Int, count: Int) throws(PageDiffError) -> Range<Int> {
    guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
      throw .malformed
    }
    return offset..<offset + count
  }
}

/// A reason why the rows that differ cannot be found from the pages.
enum PageDiffError: Error {
  /// The system or SQLite could not read the bytes.
  case unreadable
  /// The bytes do not follow the file format.
  case malformed
  /// An overflow page of a long row was changed, and no other changed page identifies the row.
  case longRow
  /// The schema has changed since the two versions.
  case schemaChanged
  /// There are so many pages to compare that comparing all rows costs less.
  case tooManyPages
}

/// The first 100 bytes of a database, which describe its pages.
///
/// Source: [The Database Header](https://www.sqlite.org/fileformat2.html#the_database_header).
struct FileHeader: Equatable {
  let pageSize: Int
  /// The number of bytes of each page that SQLite uses. Extensions may reserve bytes at the end.
  let usableSize: Int
  /// Whether the file has pointer map pages, with the parent of every other page.
  let hasPointerMaps: Bool

  static var size: Int { 100 }
  private static var utf8: UInt32 { 1 }

  init(_ bytes: PageBytes) throws(PageDiffError) {
    let magic = Array("SQLite format 3\0".utf8)
    // If pages are encrypted or compressed, this text is missing and they cannot be read here.
    guard bytes.count >= FileHeader.size, bytes[0..<magic.count].elementsEqual(magic) else {
      throw .malformed
    }
    let size = try bytes.uint16(at: 16)
    pageSize = size == 1 ? 65_536 : size
    usableSize = pageSize - Int(try bytes.byte(at: 20))
    // The pages of a file with text in UTF-16 are not compared.
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0, usableSize >= 480,
      try bytes.uint32(at: 56) == FileHeader.utf8
    else { throw .malformed }
    hasPointerMaps = try bytes.uint32(at: 52) != 0
  }

  /// The number of pages, for a log that was empty when it was opened and so does not contain it.
  static func pageCount(_ bytes: PageBytes) throws(PageDiffError) -> UInt32 {
    // Very old versions of SQLite change the file without updating this number.
    guard try bytes.uint32(at: 24) == bytes.uint32(at: 92) else { throw .malformed }
    return try bytes.uint32(at: 28)
  }

  /// Whether a page never contains rows or free space: the lock page, whose bytes are used for
  /// locks, and the pointer map pages.
  ///
  /// Source: [Pointer Map Pages](https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages).
  func isSpecial(_ page: UInt32) -> Bool {
    let lockPage = UInt32(0x4000_0000 / pageSize + 1)
    if page == lockPage { return true }
    guard hasPointerMaps, page >= 2 else { return false }
    let distance = UInt32(usableSize / 5 + 1)
    let map = (page - 2) / distance * distance + 2
    return page == (map == lockPage ? map + 1 : map)
  }
}
