/// A page of a b-tree: of a table, or of an index. The rows of a `WITHOUT ROWID` table are in a tree
/// of the form of an index.
///
/// Source: [B-tree Pages](https://www.sqlite.org/fileformat2.html#b_tree_pages).
struct BTreePage {
  enum Kind: UInt8 {
    case interiorIndex = 2
    case interiorTable = 5
    case leafIndex = 10
    case leafTable = 13

    var isInterior: Bool { self == .interiorIndex || self == .interiorTable }
    /// Whether it is of a tree that is ordered by rowid.
    var isTable: Bool { self == .interiorTable || self == .leafTable }
  }

  let kind: Kind
  private let bytes: PageBytes
  private let cellOffsets: [Int]
  private let lastChild: UInt32?

  /// Reads the page.
  ///
  /// - Parameter bytes: those that SQLite uses, without what is reserved at the end.
  init(_ bytes: PageBytes, page: UInt32) throws(PageObstacle) {
    guard let kind = try BTreePage.kind(of: bytes, page: page) else { throw .malformed }
    self.kind = kind
    self.bytes = bytes
    let header = BTreePage.headerOffset(page)
    lastChild = kind.isInterior ? try bytes.uint32(at: header + 8) : nil
    let count = try bytes.uint16(at: header + 3)
    // Pointers that share cells would make more of them than there is room for.
    guard count * BTreePage.leastCellSize <= bytes.count else { throw .malformed }
    let pointers = try bytes.range(at: header + (kind.isInterior ? 12 : 8), count: 2 * count)
    var offsets: [Int] = []
    offsets.reserveCapacity(count)
    for index in 0..<count {
      let offset = try bytes.uint16(at: pointers.lowerBound + 2 * index)
      // The cells come after their pointers.
      guard offset >= pointers.upperBound else { throw .malformed }
      offsets.append(offset)
    }
    cellOffsets = offsets
  }

  /// What an entry takes with its pointer, at least.
  ///
  /// Source: `MX_CELL` in SQLite's `btreeInt.h`.
  private static var leastCellSize: Int { 6 }

  /// The kind of a page, as its first byte says; nil where it says none. A page of another use can
  /// look like one of a tree.
  static func kind(of bytes: PageBytes, page: UInt32) throws(PageObstacle) -> Kind? {
    Kind(rawValue: try bytes.byte(at: headerOffset(page)))
  }

  /// The first page begins with the header of the file.
  private static func headerOffset(_ page: UInt32) -> Int { page == 1 ? FileHeader.size : 0 }

  /// The pages below this one, in order; none below a leaf.
  func children() throws(PageObstacle) -> [UInt32] {
    guard let lastChild else { return [] }
    var children: [UInt32] = []
    children.reserveCapacity(cellOffsets.count + 1)
    for offset in cellOffsets { children.append(try bytes.uint32(at: offset)) }
    children.append(lastChild)
    return children
  }

  /// The entries in it, in order. An interior page of a table has none; one of an index has those
  /// that part the pages below it.
  func cells() throws(PageObstacle) -> [Cell] {
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
