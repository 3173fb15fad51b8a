/// Tells the rows that differ between two versions of a file from the pages that do.
///
/// A row is touched where its entry in a page is in one version and not in the other. An entry that
/// only moved to another page is in both. What must be looked at is
/// - the pages that were written in between, and
/// - those that came to a tree or left it without having been written, as they do when a whole
///   branch is freed: the page above them is one of the former, or has left too.
///
/// A long row goes on in pages of their own, and they may change alone. Each that did must be found
/// at the end of an entry that was looked at; else it is not known whose it is.
///
/// Complexity: O(changed pages), each with the pages above it up to the root; and, where pages are
/// free, O(free pages / 100).
struct PageComparison {
  typealias Version = VersionReader.Version

  let pages: VersionPages
  let trees: SchemaTrees
  let places: TreePlaces

  /// All pages that were looked at.
  private(set) var visited: Set<UInt32> = []
  /// Changed pages that look like those of an index, where indexes are not among the trees.
  private var indexPages: Set<UInt32> = []
  /// The entries that are in one version only, by tree.
  private var differences: [Int: Difference] = [:]
  /// The pages that are not below the page any more that they were below, and those that came to be
  /// below another; each with the page above it.
  private var left: [Child: UInt32] = [:]
  private var came: [Child: UInt32] = [:]
  /// How many entries were found to be in one page of the two only.
  private var cellCount = 0

  private struct Difference {
    var older: Set<Cell> = []
    var newer: Set<Cell> = []
    /// Rows that go on in a changed page.
    var longRows: Set<Cell> = []
  }

  /// A page below another, in a tree.
  private struct Child: Hashable {
    let page: UInt32
    let tree: Int
  }

  init(
    of pages: VersionPages, trees: SchemaTrees, parents: TreeParents
  ) throws(PageObstacle) {
    self.pages = pages
    self.trees = trees
    places = try TreePlaces(in: pages, of: trees, parents: parents)
  }

  /// The rows that differ.
  mutating func run() throws(PageObstacle) -> TouchedRows {
    if places.parents.isEmpty { try places.readParents() }
    let loosePages = try placeChangedPages()
    for page in pages.changed { try compare(page) }
    while !left.isEmpty || !came.isEmpty {
      // What has left comes first: where it was is known here for sure.
      if let (child, parent) = left.popFirst() {
        places.note(TreePlaces.Place(tree: child.tree, parent: parent), of: child.page, in: .older)
        if came[child] == nil { try compare(child.page) }
      } else if let (child, parent) = came.popFirst() {
        places.note(TreePlaces.Place(tree: child.tree, parent: parent), of: child.page, in: .newer)
        try compare(child.page)
      }
    }
    try findOwners(of: loosePages)
    return try touchedRows()
  }

  /// Finds the trees of the changed pages in the older version.
  ///
  /// - Returns: those that hold parts of long rows.
  private mutating func placeChangedPages() throws(PageObstacle) -> Set<UInt32> {
    var unplaced: Set<UInt32> = []
    var others: Set<UInt32> = []
    for page in pages.changed where pages.has(page, in: .older) {
      if try places.olderPlace(of: page) != nil { continue }
      let kind = try BTreePage.kind(of: try pages.bytes(of: page, in: .older), page: page)
      switch kind {
      case nil: others.insert(page)
      case let kind? where kind.isTable || trees.holdsIndexes: unplaced.insert(page)
      default: indexPages.insert(page)
      }
    }
    // Pages that were free, and are in use now.
    var inUse = unplaced.union(others)
    try pages.removeFreePages(from: &inUse)
    unplaced.formIntersection(inUse)
    others.formIntersection(inUse)
    if !unplaced.isEmpty {
      try places.readParents()
      for page in unplaced where try places.olderPlace(of: page) == nil { throw .malformed }
    }
    if !others.isEmpty { try pages.removeFreePages(from: &indexPages) }
    return others
  }

  /// Compares what is in one page.
  private mutating func compare(_ page: UInt32) throws(PageObstacle) {
    guard visited.insert(page).inserted else { return }
    guard visited.count <= 2 * pages.changeLimit else { throw .tooManyPages }
    let oldTree = try places.olderPlace(of: page)?.tree
    let newTree = try places.newerPlace(of: page)?.tree
    guard pages.isChanged(page) || oldTree != newTree else { return }
    let old = try node(page, of: oldTree, in: .older)
    let new = try node(page, of: newTree, in: .newer)
    if let children = try new?.children(), !children.isEmpty {
      try places.noteChildren(children, of: page)
    }
    var children = (try old?.children() ?? [], try new?.children() ?? [])
    var cells = (try cells(of: old, in: oldTree), try cells(of: new, in: newTree))
    if oldTree == newTree {
      children = withoutCommonEnds(children.0, children.1)
      cells = withoutCommonEnds(cells.0, cells.1)
    }
    cellCount += cells.0.count + cells.1.count
    guard cellCount <= PageComparison.cellLimit else { throw .tooManyPages }
    if let oldTree {
      for child in children.0 { left[Child(page: child, tree: oldTree)] = page }
      for cell in cells.0 {
        if differences[oldTree, default: Difference()].newer.remove(cell) == nil {
          differences[oldTree, default: Difference()].older.insert(cell)
        }
      }
    }
    if let newTree {
      for child in children.1 { came[Child(page: child, tree: newTree)] = page }
      for cell in cells.1 {
        if differences[newTree, default: Difference()].older.remove(cell) == nil {
          differences[newTree, default: Difference()].newer.insert(cell)
        }
      }
    }
  }

  /// A page of a tree, which must look like one.
  private func node(
    _ page: UInt32, of tree: Int?, in version: Version
  ) throws(PageObstacle) -> BTreePage? {
    guard let tree else { return nil }
    let node = try BTreePage(try pages.bytes(of: page, in: version), page: page)
    guard node.kind.isTable == trees.trees[tree].isTable else { throw .malformed }
    return node
  }

  private func cells(of node: BTreePage?, in tree: Int?) throws(PageObstacle) -> [Cell] {
    guard let node, let tree,
      trees.trees[tree].table != nil || tree == SchemaTrees.schemaTree
    else { return [] }
    return try node.cells()
  }

  /// Beyond this many entries comparing all rows costs less, and less memory.
  private static var cellLimit: Int { 1 << 20 }
}

// MARK: - Long rows

extension PageComparison {
  /// Finds the rows that go on in some changed pages, in the older version.
  ///
  /// That will do: where a row goes on in other pages than before, and its entry is as it was, there
  /// is a page that leads to them, and it was changed.
  ///
  /// Source: [Cell Payload Overflow Pages](https://www.sqlite.org/fileformat2.html#cell_payload_overflow_pages).
  private mutating func findOwners(of loosePages: Set<UInt32>) throws(PageObstacle) {
    var rest = loosePages
    // No page is in two chains, so there are never more steps than pages.
    var steps = min(Int(pages.count(in: .older)), PageComparison.stepLimit)
    for page in visited.union(indexPages) where !rest.isEmpty && pages.has(page, in: .older) {
      let tree = try places.olderPlace(of: page)?.tree
      guard tree != nil || indexPages.contains(page) else { continue }
      let node = try BTreePage(try pages.bytes(of: page, in: .older), page: page)
      for cell in try node.cells() where cell.overflowPage != 0 {
        var next = cell.overflowPage
        var count = cell.overflowPageCount
        while next != 0, count > 0, !rest.isEmpty {
          (count, steps) = (count - 1, steps - 1)
          guard steps > 0 else { throw .longRow }
          guard pages.has(next, in: .older) else { throw .malformed }
          if rest.remove(next) != nil, let tree {
            differences[tree, default: Difference()].longRows.insert(cell)
          }
          next = try pages.link(of: next, in: .older)
        }
      }
    }
    guard rest.isEmpty else { throw .longRow }
  }

  /// Beyond this many pages of long rows, comparing all rows costs less.
  private static var stepLimit: Int { 1 << 14 }
}

// MARK: - What was touched

extension PageComparison {
  private func touchedRows() throws(PageObstacle) -> TouchedRows {
    var touched = TouchedRows()
    for (index, difference) in differences {
      let tree = trees.trees[index]
      let cells = difference.older.union(difference.newer).union(difference.longRows)
      // Edited by hand, without the number that tells: the trees are others than those known.
      if index == SchemaTrees.schemaTree, !cells.isEmpty { throw .schemaChanged }
      guard let table = tree.table, !cells.isEmpty else { continue }
      touched.insert(try rows(of: cells, in: tree), of: table)
      if let owner = tree.owner { touched.insert(.all, of: owner) }
    }
    return touched
  }

  private func rows(
    of cells: Set<Cell>, in tree: SchemaTrees.Tree
  ) throws(PageObstacle) -> TouchedRows.Rows {
    guard !tree.isTable else { return .rowIDs(Set(cells.map(\.rowID))) }
    var keys: Set<[Value]> = []
    for cell in cells {
      let key = try cell.localRecord.key(tree.key, encoding: pages.header.encoding)
      guard let key else { return .all }
      keys.insert(key)
    }
    return .keys(keys)
  }
}

/// Leaves out what two lists begin and end with alike.
private func withoutCommonEnds<Element: Equatable>(
  _ lhs: [Element], _ rhs: [Element]
) -> ([Element], [Element]) {
  let limit = min(lhs.count, rhs.count)
  var start = 0
  while start < limit, lhs[start] == rhs[start] { start += 1 }
  var end = 0
  while end < limit - start, lhs[lhs.count - 1 - end] == rhs[rhs.count - 1 - end] { end += 1 }
  return (Array(lhs[start..<lhs.count - end]), Array(rhs[start..<rhs.count - end]))
}
