/// Compares the pages of two versions of a file to find the rows that differ.
///
/// A row is touched if its cell is in one version only. A cell that was only moved to another page
/// is in both. The pages to compare are:
/// - the pages written between the versions, and
/// - the pages that were added to a tree or removed from it without being written, as when a whole
///   branch is freed. Their parent was written, or was removed too.
///
/// The overflow pages of a long row may change without its cell. Each changed overflow page must be
/// found in the chain of a cell that was compared. If not, its row is not known.
///
/// Complexity: O(changed pages), each with its parents up to the root; and, if pages are free,
/// O(free pages / 100).
struct PageComparison {
  typealias Version = VersionReader.Version

  let pages: VersionPages
  let trees: SchemaTrees
  let places: TreePlaces

  /// The pages compared so far.
  private(set) var visited: Set<UInt32> = []
  /// The changed pages that look like index pages, if indexes are not among the trees.
  private var indexPages: Set<UInt32> = []
  /// The cells that are in one version only, by tree.
  private var differences: [Int: Difference] = [:]
  /// The pages removed from their parent, and the pages added to a new parent; each with that
  /// parent.
  private var left: [Child: UInt32] = [:]
  private var came: [Child: UInt32] = [:]
  /// The number of pages of the trees that were compared: not those of indexes, if these are not among the trees.
  private var treePageCount = (changed: 0, all: 0)
  /// The number of cells found in only one version of a page.
  private var cellCount = 0

  private struct Difference {
    var older: Set<Cell> = []
    var newer: Set<Cell> = []
    /// The cells of rows with a changed overflow page.
    var longRows: Set<Cell> = []
  }

  private struct Child: Hashable {
    let page: UInt32
    let tree: Int
  }

  init(
    of pages: VersionPages, trees: SchemaTrees, parents: TreeParents
  ) throws(PageDiffError) {
    self.pages = pages
    self.trees = trees
    places = try TreePlaces(in: pages, of: trees, parents: parents)
  }

  /// Returns the rows that differ.
  ///
  /// - Parameter arePinned: whether both versions can still be read.
  /// - Throws: `.unreadable` if they cannot.
  mutating func run(
    while arePinned: () -> Bool = { true }
  ) throws(PageDiffError) -> TouchedRows {
    if places.parents.isEmpty { try places.readParents() }
    let loosePages = try placeChangedPages()
    for page in pages.changed {
      guard arePinned() else { throw .unreadable }
      try compare(page)
    }
    while !left.isEmpty || !came.isEmpty {
      // Removed pages are first, since their old place is certain here.
      if let (child, parent) = left.popFirst() {
        places.note(TreePlaces.Place(tree: child.tree, parent: parent), of: child.page, in: .older)
        try compare(child.page)
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
  /// - Returns: the overflow pages.
  private mutating func placeChangedPages() throws(PageDiffError) -> Set<UInt32> {
    var unplaced: Set<UInt32> = []
    var others: Set<UInt32> = []
    for page in pages.changed where pages.has(page, in: .older) {
      if try places.olderPlace(of: page) != nil { continue }
      switch try pages.kind(of: page, in: .older) {
      case nil: others.insert(page)
      case let kind? where kind.isTable || trees.holdsIndexes: unplaced.insert(page)
      default: indexPages.insert(page)
      }
    }
    // Remove the pages that were free and are in use now.
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

  /// Compares both versions of one page.
  private mutating func compare(_ page: UInt32) throws(PageDiffError) {
    guard visited.insert(page).inserted else { return }
    let oldTree = try places.olderPlace(of: page)?.tree
    let newTree = try places.newerPlace(of: page)?.tree
    guard oldTree != nil || newTree != nil else { return }
    treePageCount.all += 1
    if pages.isChanged(page) { treePageCount.changed += 1 }
    guard treePageCount.changed <= pages.changeLimit, treePageCount.all <= 2 * pages.changeLimit
    else { throw .tooManyPages }
    guard pages.isChanged(page) || oldTree != newTree else { return }
    let old = try node(page, of: oldTree, in: .older)
    let new = try node(page, of: newTree, in: .newer)
    if let children = try new?.children(), !children.isEmpty {
      try places.noteChildren(children, of: page)
    }
    var children = (try old?.children() ?? [], try new?.children() ?? [])
    let cells: ([Cell], [Cell])
    if oldTree == newTree, let old, let new, old.kind == new.kind {
      children = withoutCommonEnds(children.0, children.1)
      cells = hasRows(oldTree) ? try BTreePage.differingCells(old, new) : ([], [])
    } else {
      cells = (
        hasRows(oldTree) ? try old?.cells() ?? [] : [],
        hasRows(newTree) ? try new?.cells() ?? [] : []
      )
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

  /// A page of a tree, which must have the right format.
  private func node(
    _ page: UInt32, of tree: Int?, in version: Version
  ) throws(PageDiffError) -> BTreePage? {
    guard let tree else { return nil }
    let node = try BTreePage(try pages.bytes(of: page, in: version), page: page)
    guard node.kind.isTable == trees.trees[tree].isTable else { throw .malformed }
    return node
  }

  /// Whether the cells of a tree are compared.
  private func hasRows(_ tree: Int?) -> Bool {
    guard let tree else { return false }
    return trees.trees[tree].table != nil || tree == SchemaTrees.schemaTree
  }

  /// The maximum number of cells. Beyond it, comparing all rows costs less time and memory.
  private static var cellLimit: Int { 1 << 20 }
}

// MARK: - Invariants

extension PageComparison {
  /// Checks what is true after ``run()``: all changed pages and all pages that were removed or added
  /// were compared, and no cell counts as removed and added.
  func checkInvariants() throws {
    try BrokenInvariant.check(
      left.isEmpty && came.isEmpty, "\(left.count + came.count) pages are not compared")
    try BrokenInvariant.check(
      visited.isSuperset(of: pages.changed), "not all changed pages are compared")
    for (tree, difference) in differences {
      try BrokenInvariant.check(
        difference.older.isDisjoint(with: difference.newer), "equal cells in tree \(tree)")
    }
    try places.checkInvariants()
    try pages.checkInvariants()
  }
}

// MARK: - Long rows

extension PageComparison {
  /// Finds the rows whose overflow pages have changed, in the older version.
  ///
  /// The older version is sufficient: if a row has new overflow pages but its cell has not changed,
  /// a page that refers to them was changed too.
  ///
  /// Source: [Cell Payload Overflow Pages](https://www.sqlite.org/fileformat2.html#cell_payload_overflow_pages).
  private mutating func findOwners(of loosePages: Set<UInt32>) throws(PageDiffError) {
    var rest = loosePages
    // No page is in two chains, so there are at most as many steps as pages.
    var steps = min(Int(pages.count(in: .older)), PageComparison.stepLimit)
    for page in visited where !rest.isEmpty && pages.has(page, in: .older) {
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

  /// The maximum number of overflow pages. Beyond it, comparing all rows costs less.
  private static var stepLimit: Int { 1 << 14 }
}

// MARK: - Touched rows

extension PageComparison {
  func touchedRows() throws(PageDiffError) -> TouchedRows {
    var touched = TouchedRows()
    for (index, difference) in differences {
      let tree = trees.trees[index]
      let cells = difference.older.union(difference.newer).union(difference.longRows)
      // The schema was edited directly without changing its version, so the trees may have changed.
      if index == SchemaTrees.schemaTree, !cells.isEmpty { throw .schemaChanged }
      guard let table = tree.table, !cells.isEmpty else { continue }
      touched.insert(try rows(of: cells, in: tree), of: table)
      if let owner = tree.owner { touched.insert(.all, of: owner) }
    }
    return touched
  }

  private func rows(
    of cells: Set<Cell>, in tree: SchemaTrees.Tree
  ) throws(PageDiffError) -> TouchedRows.Rows {
    guard !tree.isTable else { return .rowIDs(Set(cells.map(\.rowID))) }
    var keys: Set<[Value]> = []
    for cell in cells {
      let key = try cell.key(tree.key)
      guard let key else { return .all }
      keys.insert(key)
    }
    return .keys(keys)
  }
}

/// Removes the common prefix and suffix of two lists.
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
