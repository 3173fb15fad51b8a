/// The parent of each page in the trees of a file: hints from the versions compared before.
///
/// A page does not contain the number of its tree. These hints lead from a page up to the root of
/// its tree. Each step is checked in the version being read, so a wrong hint only costs time.
/// Making the hints reads the interior pages, which are at most one in a hundred. After that, each
/// comparison updates the hints.
///
/// Memory: four bytes for each page of the file.
struct TreeParents {
  private var parents: [UInt32] = []

  /// Whether there are no hints.
  var isEmpty: Bool { parents.isEmpty }

  /// The parent of a page; 0 if it is not known, or the page is a root.
  subscript(page: UInt32) -> UInt32 {
    get { Int(page) < parents.count ? parents[Int(page)] : 0 }
    set {
      let missing = Int(page) + 1 - parents.count
      if missing > 0 { parents.append(contentsOf: repeatElement(0, count: missing)) }
      parents[Int(page)] = newValue
    }
  }

  /// Reads the parents from the older version.
  init(of trees: SchemaTrees, in pages: VersionPages) throws(PageDiffError) {
    self[pages.count(in: .older)] = 0
    for root in trees.roots.keys { try addTree(at: root, of: trees, in: pages) }
  }

  init() {}

  private mutating func addTree(
    at root: UInt32, of trees: SchemaTrees, in pages: VersionPages
  ) throws(PageDiffError) {
    guard pages.has(root, in: .older) else { throw .malformed }
    // All leaves of a tree have the same depth. Only the first page of each level is read to find
    // out whether the level is the leaves.
    var level = [root]
    var first = try BTreePage(try pages.bytes(of: root, in: .older), page: root)
    for _ in 0..<TreeParents.depthLimit where first.kind.isInterior {
      var nextLevel: [UInt32] = []
      for page in level {
        let children = try BTreePage(try pages.bytes(of: page, in: .older), page: page).children()
        for child in children {
          // In a corrupt file a page may have two parents, or be its own descendant.
          guard pages.has(child, in: .older), self[child] == 0, trees.roots[child] == nil else {
            throw .malformed
          }
          self[child] = page
        }
        nextLevel += children
      }
      guard let child = nextLevel.first else { throw .malformed }
      level = nextLevel
      first = try BTreePage(try pages.bytes(of: child, in: .older), page: child)
    }
    guard !first.kind.isInterior else { throw .malformed }
  }

  /// The maximum depth of a tree, even with one row per page.
  ///
  /// Source: `BTCURSOR_MAX_DEPTH` in SQLite's `btreeInt.h`.
  static var depthLimit: Int { 20 }
}
