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
  static func headerOffset(_ page: UInt32) -> Int { page == 1 ? FileHeader.size : 0 }

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
  func cells() throws(PageDiffError) -> [Cell] { try cells(0..<cellCount) }

  private var cellCount: Int { kind == .interiorTable ? 0 : cellOffsets.count }

  private func cells(_ range: Range<Int>) throws(PageDiffError) -> [Cell] {
    var cells: [Cell] = []
    cells.reserveCapacity(range.count)
    for index in range {
      cells.append(try Cell(in: bytes, at: start(ofCell: index), isTable: kind.isTable))
    }
    return cells
  }

  private func start(ofCell index: Int) -> Int {
    kind == .interiorIndex ? cellOffsets[index] + 4 : cellOffsets[index]
  }

  /// The cells of two versions of a page, without those that are in both. If they have no rowids, some of these may
  /// be left.
  static func differingCells(
    _ old: BTreePage, _ new: BTreePage
  ) throws(PageDiffError) -> ([Cell], [Cell]) {
    let (oldCount, newCount) = (old.cellCount, new.cellCount)
    let limit = min(oldCount, newCount)
    var start = 0
    while start < limit, try old.hasCell(start, as: new, start) { start += 1 }
    var end = 0
    while end < limit - start, try old.hasCell(oldCount - 1 - end, as: new, newCount - 1 - end) {
      end += 1
    }
    let cells = (
      try old.cells(start..<oldCount - end), try new.cells(start..<newCount - end)
    )
    return old.kind == .leafTable ? withoutCommon(cells.0, cells.1) : cells
  }

  /// Removes the cells that are in both of two lists in the order of their rowids. If a page is damaged and its cells
  /// are in another order, some are left.
  private static func withoutCommon(_ old: [Cell], _ new: [Cell]) -> ([Cell], [Cell]) {
    var rest: (old: [Cell], new: [Cell]) = ([], [])
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < old.count, newIndex < new.count {
      let (oldCell, newCell) = (old[oldIndex], new[newIndex])
      let (isInOld, isInNew) = (
        oldCell.rowID <= newCell.rowID, newCell.rowID <= oldCell.rowID
      )
      if !isInOld || !isInNew || oldCell != newCell {
        if isInOld { rest.old.append(oldCell) }
        if isInNew { rest.new.append(newCell) }
      }
      oldIndex += isInOld ? 1 : 0
      newIndex += isInNew ? 1 : 0
    }
    return (rest.old + old[oldIndex...], rest.new + new[newIndex...])
  }

  private func hasCell(
    _ index: Int, as other: BTreePage, _ otherIndex: Int
  ) throws(PageDiffError) -> Bool {
    let parts = try CellParts(in: bytes, at: start(ofCell: index), isTable: kind.isTable)
    let otherParts = try CellParts(
      in: other.bytes, at: other.start(ofCell: otherIndex), isTable: other.kind.isTable)
    return bytes.hasSameBytes(in: parts.content, as: other.bytes, in: otherParts.content)
  }
}
