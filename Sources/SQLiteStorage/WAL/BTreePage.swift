/// A B-tree page of a table or index. The rows of a `WITHOUT ROWID` table are in a tree with the
/// format of an index.
///
/// Source: [B-tree Pages](https://www.sqlite.org/fileformat2.html#b_tree_pages).
struct BTreePage {
  enum Kind: UInt8 {
    case interiorIndex = 2
    case interiorTable = 5
    case leafIndex = 10
    case leafTable = 13

    var isInterior: Bool { self == .interiorIndex || self == .interiorTable }
    /// Whether the page is of a tree ordered by rowid.
    var isTable: Bool { self == .interiorTable || self == .leafTable }
  }

  let kind: Kind
  private let bytes: PageBytes
  private let cellOffsets: [Int]
  private let lastChild: UInt32?

  /// Reads the page.
  ///
  /// - Parameter bytes: the bytes that SQLite uses, without the reserved bytes at the end.
  init(_ bytes: PageBytes, page: UInt32) throws(PageDiffError) {
    guard let kind = try BTreePage.kind(of: bytes, page: page) else { throw .malformed }
    self.kind = kind
    self.bytes = bytes
    let header = BTreePage.headerOffset(page)
    lastChild = kind.isInterior ? try bytes.uint32(at: header + 8) : nil
    let count = try bytes.uint16(at: header + 3)
    // If pointers share cells, there would be more cells than fit in the page.
    guard count * BTreePage.leastCellSize <= bytes.count else { throw .malformed }
    let pointers = try bytes.range(at: header + (kind.isInterior ? 12 : 8), count: 2 * count)
    var offsets: [Int] = []
    offsets.reserveCapacity(count)
    for index in 0..<count {
      let offset = try bytes.uint16(at: pointers.lowerBound + 2 * index)
      // The cells are behind their pointers.
      guard offset >= pointers.upperBound else { throw .malformed }
      offsets.append(offset)
    }
    cellOffsets = offsets
  }

  /// The minimum size of a cell with its pointer.
  ///
  /// Source: `MX_CELL` in SQLite's `btreeInt.h`.
  private static var leastCellSize: Int { 6 }

  /// The kind of a page, from its first byte; nil if the byte is not a kind. A page with another
  /// use may look like a B-tree page.
  static func kind(of bytes: PageBytes, page: UInt32) throws(PageDiffError) -> Kind? {
    Kind(rawValue: try bytes.byte(at: headerOffset(page)))
  }

  /// The first page begins with the file header.
  private static func headerOffset(_ page: UInt32) -> Int { page == 1 ? FileHeader.size : 0 }

  /// The child pages, in order; empty for a leaf.
  func children() throws(PageDiffError) -> [UInt32] {
    guard let lastChild else { return [] }
    var children: [UInt32] = []
    children.reserveCapacity(cellOffsets.count + 1)
    for offset in cellOffsets { children.append(try bytes.uint32(at: offset)) }
    children.append(lastChild)
    return children
  }

  /// The cells of rows or entries in the page, in order. An interior page of a table has none. An
  /// interior page of an index has the entries between its child pages.
  func cells() throws(PageDiffError) -> [Cell] {
    guard kind != .interiorTable else { return [] }
    var cells: [Cell] = []
    cells.reserveCapacity(cellOffsets.count)
    for offset in cellOffsets {
      let start = kind == .interiorIndex ? offset + 4 : offset
      cells.append(try Cell(in: bytes, at: start, isTable: kind.isTable))
    }
    return cells
  }
}
