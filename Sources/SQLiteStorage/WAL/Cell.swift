#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A cell with a row, or with the part of a long row that fits in the page.
///
/// Two cells are equal if their bytes are equal. The bytes contain the length of the row, its
/// rowid, if it has one, and the number of the first overflow page. They do not contain the number
/// of their own page. So the cell of a row that was only moved to another page is equal to the old
/// cell.
///
/// Source: the formats of cells in [B-tree
/// Pages](https://www.sqlite.org/fileformat2.html#b_tree_pages).
struct Cell {
  private let page: PageBytes
  private let content: Range<Int>
  /// The part of the record that is in the page.
  private let record: Range<Int>
  /// The rowid; 0 in the tree of an index.
  let rowID: Int64
  /// The first overflow page; 0 if the whole record is in this page.
  let overflowPage: UInt32
  /// The number of overflow pages.
  let overflowPageCount: Int

  /// Reads the cell.
  ///
  /// - Parameter page: the bytes of the page that SQLite uses.
  init(in page: PageBytes, at start: Int, isTable: Bool) throws(PageDiffError) {
    self.page = page
    var offset = start
    let size = try page.varint(at: &offset)
    guard size <= UInt64(Int32.max) else { throw .malformed }
    rowID = isTable ? Int64(bitPattern: try page.varint(at: &offset)) : 0
    let (local, rest) = Cell.parts(of: Int(size), usableSize: page.count, isTable: isTable)
    record = try page.range(at: offset, count: local)
    if rest > 0 {
      overflowPage = try page.uint32(at: record.upperBound)
      // Each overflow page begins with the number of the next.
      overflowPageCount = (rest - 1) / (page.count - 4) + 1
      content = start..<record.upperBound + 4
    } else {
      overflowPage = 0
      overflowPageCount = 0
      content = start..<record.upperBound
    }
  }

  /// The number of bytes of a record that are in the page, and on overflow pages.
  ///
  /// Source: "the calculation of the amount of payload that spills", in [B-tree
  /// Pages](https://www.sqlite.org/fileformat2.html#b_tree_pages).
  private static func parts(
    of size: Int, usableSize: Int, isTable: Bool
  ) -> (local: Int, rest: Int) {
    let most = isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    guard size > most else { return (size, 0) }
    let least = (usableSize - 12) * 32 / 255 - 23
    let local = least + (size - least) % (usableSize - 4)
    return local <= most ? (local, size - local) : (least, size - least)
  }

  /// The part of the record that is in the page.
  var localRecord: LocalRecord { LocalRecord(page: page, range: record) }
}

extension Cell: Hashable {
  static func == (lhs: Cell, rhs: Cell) -> Bool {
    guard lhs.content.count == rhs.content.count else { return false }
    return lhs.withBytes { left in
      rhs.withBytes { right in
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return memcmp(left, right, lhs.content.count) == 0
      }
    }
  }

  func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }

  private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    page.bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[content])) }
  }
}
