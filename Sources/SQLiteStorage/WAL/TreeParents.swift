/// Which page is above which, in the trees of a file: hints from versions that were compared before.
///
/// A page does not tell the tree that it is in. This leads from it up to the first page of its tree;
/// each step is checked in the version that is asked for, so a wrong hint costs time and no more.
/// Making it reads the pages above the leaves, which are one in a hundred or fewer; after that, what
/// changes is noted with each comparison.
///
/// It takes four bytes for each page of the file.
struct TreeParents {
  private var parents: [UInt32] = []

  /// Whether it knows nothing.
  var isEmpty: Bool { parents.isEmpty }

  /// The page above; 0 where it is not known, or the page is the first of its tree.
  subscript(page: UInt32) -> UInt32 {
    get { Int(page) < parents.count ? parents[Int(page)] : 0 }
    set {
      let missing = Int(page) + 1 - parents.count
      if missing > 0 { parents.append(contentsOf: repeatElement(0, count: missing)) }
      parents[Int(page)] = newValue
    }
  }

  /// Reads it from the older version.
  init(of trees: SchemaTrees, in pages: VersionPages) throws(PageObstacle) {
    self[pages.count(in: .older)] = 0
    for root in trees.roots.keys { try addTree(at: root, of: trees, in: pages) }
  }

  init() {}

  private mutating func addTree(
    at root: UInt32, of trees: SchemaTrees, in pages: VersionPages
  ) throws(PageObstacle) {
    guard pages.has(root, in: .older) else { throw .malformed }
    // The leaves of a tree are all at one depth. They are not read, except the first of each level.
    var level = [root]
    var first = try BTreePage(try pages.bytes(of: root, in: .older), page: root)
    for _ in 0..<TreeParents.depthLimit where first.kind.isInterior {
      var nextLevel: [UInt32] = []
      for page in level {
        let children = try BTreePage(try pages.bytes(of: page, in: .older), page: page).children()
        for child in children {
          // In a file that is not in order a page may be below two others, or below itself.
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

  /// No tree is deeper, even with one row a page.
  ///
  /// Source: `BTCURSOR_MAX_DEPTH` in SQLite's `btreeInt.h`.
  static var depthLimit: Int { 20 }
}
