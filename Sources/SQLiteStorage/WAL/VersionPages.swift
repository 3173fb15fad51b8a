/// The pages of one database file in two pinned versions, with a cache of pages.
final class VersionPages {
  let header: FileHeader
  private let reader: VersionReader

  private var kept: [VersionReader.Place: PageBytes] = [:]
  private var keptSize = 0

  init(_ reader: VersionReader) throws(PageDiffError) {
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

  /// The maximum number of changed pages.
  var changeLimit: Int { VersionReader.changeLimit(pageSize: header.pageSize) }

  /// The number of pages in a version.
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

  /// The first number in a page. In an overflow page, it is the number of the next page.
  func link(of page: UInt32, in version: VersionReader.Version) throws(PageDiffError) -> UInt32 {
    let place = try reader.place(of: page, in: version)
    if let bytes = kept[place] { return try bytes.uint32(at: 0) }
    return try reader.read(4, at: place, of: page).uint32(at: 0)
  }

  /// The number of reads, for tests.
  var readCount: Int { reader.readCount }

  private static var keptSizeLimit: Int { 1 << 25 }
}
