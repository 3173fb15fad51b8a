#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// An entry of a page that holds rows: a row, or as much of a long one as fits in the page.
///
/// Two are equal where their bytes are. The bytes hold the length of the row, its rowid, if it has
/// one, and the number of the page where a long row goes on; not the page they lie in. So the entry
/// of a row that was only moved to another page equals the one it had.
///
/// Source: the formats of cells in
/// [B-tree Pages](https://www.sqlite.org/fileformat2.html#b_tree_pages).
struct Cell {
  private let page: PageBytes
  private let content: Range<Int>
  /// The part of the record that is in the page.
  private let record: Range<Int>
  /// Zero in the tree of an index.
  let rowID: Int64
  /// The first page that the rest of the record is on; 0 where all of it is here.
  let overflowPage: UInt32
  /// How many such pages there are.
  let overflowPageCount: Int

  /// Reads the entry.
  ///
  /// - Parameter page: the bytes of the page that SQLite uses.
  init(in page: PageBytes, at start: Int, isTable: Bool) throws(PageObstacle) {
    self.page = page
    var offset = start
    let size = try page.varint(at: &offset)
    guard size <= UInt64(Int32.max) else { throw .malformed }
    rowID = isTable ? Int64(bitPattern: try page.varint(at: &offset)) : 0
    let (local, rest) = Cell.parts(of: Int(size), usableSize: page.count, isTable: isTable)
    record = try page.range(at: offset, count: local)
    if rest > 0 {
      overflowPage = try page.uint32(at: record.upperBound)
      // Each begins with the number of the next.
      overflowPageCount = (rest - 1) / (page.count - 4) + 1
      content = start..<record.upperBound + 4
    } else {
      overflowPage = 0
      overflowPageCount = 0
      content = start..<record.upperBound
    }
  }

  /// How much of a record is in the page, and how much on others.
  ///
  /// Source: "the calculation of the amount of payload that spills", in
  /// [B-tree Pages](https://www.sqlite.org/fileformat2.html#b_tree_pages).
  private static func parts(
    of size: Int, usableSize: Int, isTable: Bool
  ) -> (local: Int, rest: Int) {
    let most = isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    guard size > most else { return (size, 0) }
    let least = (usableSize - 12) * 32 / 255 - 23
    let local = least + (size - least) % (usableSize - 4)
    return local <= most ? (local, size - local) : (least, size - least)
  }

  /// What is in the page of the record.
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
