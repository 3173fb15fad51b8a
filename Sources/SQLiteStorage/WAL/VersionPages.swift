/// The pages of one database file as two versions see them, which are both pinned.
///
/// It keeps some of what it has read.
final class VersionPages {
  let header: FileHeader
  private let reader: VersionReader

  private var kept: [VersionReader.Place: PageBytes] = [:]
  private var keptSize = 0

  init(_ reader: VersionReader) throws(PageObstacle) {
    self.reader = reader
    header = try reader.header(in: .older)
    guard header.pageSize == reader.pageSize, try reader.header(in: .newer) == header else {
      throw .malformed
    }
    // Beyond this many pages the number of one could be taken for the kind of a page, which is the
    // first byte where a page is of a tree. See `PageComparison`.
    let count = max(reader.pageCount(in: .older), reader.pageCount(in: .newer))
    guard count < 0x0200_0000 else { throw .tooManyPages }
  }

  /// The pages that were written between the two versions. Not all of them are in each.
  var changed: Dictionary<UInt32, Int>.Keys { reader.changed.keys }

  func isChanged(_ page: UInt32) -> Bool { reader.changed[page] != nil }

  /// How many of them there may be.
  var changeLimit: Int { VersionReader.changeLimit(pageSize: header.pageSize) }

  /// How many pages a version has.
  func count(in version: VersionReader.Version) -> UInt32 {
    reader.pageCount(in: version)
  }

  /// Whether a version has a page of rows by that number.
  func has(_ page: UInt32, in version: VersionReader.Version) -> Bool {
    page > 0 && page <= count(in: version) && !header.isSpecial(page)
  }

  /// A page, without what is reserved at its end.
  func bytes(
    of page: UInt32, in version: VersionReader.Version
  ) throws(PageObstacle) -> PageBytes {
    let place = try reader.place(of: page, in: version)
    if let bytes = kept[place] { return bytes }
    let bytes = try reader.read(header.usableSize, at: place, of: page)
    if keptSize < VersionPages.keptSizeLimit {
      kept[place] = bytes
      keptSize += bytes.count
    }
    return bytes
  }

  /// The first number in a page: that of the page after it, where it is one of a chain.
  func link(of page: UInt32, in version: VersionReader.Version) throws(PageObstacle) -> UInt32 {
    let place = try reader.place(of: page, in: version)
    if let bytes = kept[place] { return try bytes.uint32(at: 0) }
    return try reader.read(4, at: place, of: page).uint32(at: 0)
  }

  /// How many times something was read, for tests.
  var readCount: Int { reader.readCount }

  private static var keptSizeLimit: Int { 1 << 25 }
}
