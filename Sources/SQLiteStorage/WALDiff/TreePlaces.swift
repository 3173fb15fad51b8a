/// Finds the tree of a page in either of two versions.
final class TreePlaces {
  typealias Version = VersionReader.Version

  struct Place {
    let tree: Int
    /// The parent page; 0 for the root.
    let parent: UInt32
  }

  let pages: VersionPages
  let trees: SchemaTrees
  private(set) var parents: TreeParents
  /// The number of times that all interior pages were read, for tests.
  private(set) var mappingCount = 0

  /// The places found so far; nil for a page that is in no known tree.
  private var found: [Version: [UInt32: Place?]] = [.older: [:], .newer: [:]]
  /// The parents of a page among the changed pages.
  private var links: [Version: [UInt32: [UInt32]]] = [.older: [:], .newer: [:]]
  private var children: [Version: [UInt32: [UInt32]]] = [.older: [:], .newer: [:]]

  init(
    in pages: VersionPages, of trees: SchemaTrees, parents: TreeParents
  ) throws(PageDiffError) {
    self.pages = pages
    self.trees = trees
    self.parents = parents
    var linkCount = 0
    for page in pages.changed {
      for version in [Version.older, .newer] where pages.has(page, in: version) {
        // A page that is not in use may look like a page of a tree, so these are only candidates.
        for child in try candidates(below: page, in: version) where pages.has(child, in: version) {
          links[version, default: [:]][child, default: []].append(page)
          linkCount += 1
        }
        guard linkCount <= TreePlaces.linkLimit else { throw .tooManyPages }
      }
    }
  }

  /// The child pages of a page, if it looks like an interior page.
  private func candidates(
    below page: UInt32, in version: Version
  ) throws(PageDiffError) -> [UInt32] {
    do {
      return try childPages(of: page, in: version)
    } catch .malformed {
      return []
    }
    // Other errors are thrown: if a page could not be read, its rows would be missed.
  }

  /// The maximum number of links. Beyond it, comparing all rows costs less time and memory.
  private static var linkLimit: Int { 1 << 20 }

  /// The place of a page in the older version; nil if it is in none of the trees.
  ///
  /// Also nil if the hints do not lead to it: ``readParents()`` corrects them.
  func olderPlace(of page: UInt32) throws(PageDiffError) -> Place? {
    try place(of: page, in: .older, depth: 0)
  }

  /// The place of a page in the newer version; nil if it is in none of the trees.
  ///
  /// A parent that was not changed was also the parent in the older version. So the result is
  /// certain if the place in the older version is.
  func newerPlace(of page: UInt32) throws(PageDiffError) -> Place? {
    try place(of: page, in: .newer, depth: 0)
  }

  /// Reads all interior pages of the older version.
  func readParents() throws(PageDiffError) {
    mappingCount += 1
    parents = try TreeParents(of: trees, in: pages)
    found = [.older: [:], .newer: [:]]
  }

  /// Stores the place of a page, found from a parent whose place is known.
  func note(_ place: Place, of page: UInt32, in version: Version) {
    found[version]?[page] = .some(place)
  }

  /// Stores the child pages of a page in the newer version, for the next comparison.
  func noteChildren(_ children: [UInt32], of page: UInt32) throws(PageDiffError) {
    for child in children {
      guard pages.has(child, in: .newer) else { throw .malformed }
      parents[child] = page
    }
  }

  private func place(
    of page: UInt32, in version: Version, depth: Int
  ) throws(PageDiffError) -> Place? {
    guard pages.has(page, in: version) else { return nil }
    guard depth <= TreeParents.depthLimit else { throw .malformed }
    if let known = found[version]?[page] { return known }
    if let tree = trees.roots[page] { return Place(tree: tree, parent: 0) }
    // Set first, so that a page that is its own descendant does not cause an endless search.
    found[version]?[page] = .some(nil)
    let hint =
      version == .older ? parents[page] : try place(of: page, in: .older, depth: depth)?.parent ?? 0
    for candidate in (links[version]?[page] ?? []) + [hint] where candidate > 0 {
      guard pages.has(candidate, in: version),
        try childPages(of: candidate, in: version).contains(page),
        let above = try place(of: candidate, in: version, depth: depth + 1)
      else { continue }
      let place = Place(tree: above.tree, parent: candidate)
      found[version]?[page] = .some(place)
      return place
    }
    return nil
  }

  /// Checks that each place found is of a known tree, and that its parent lists the page.
  func checkInvariants() throws {
    for (version, places) in found {
      for (page, place) in places {
        guard let place else { continue }
        try BrokenInvariant.check(
          trees.trees.indices.contains(place.tree), "page \(page) in tree \(place.tree)")
        try BrokenInvariant.check(
          try childPages(of: place.parent, in: version).contains(page),
          "page \(page) is no child of \(place.parent) in the \(version) version")
      }
    }
  }

  /// The child pages of a page that looks like an interior page.
  private func childPages(
    of page: UInt32, in version: Version
  ) throws(PageDiffError) -> [UInt32] {
    // A page that was not changed is the same in both versions.
    let version = pages.isChanged(page) ? version : .older
    if let known = children[version]?[page] { return known }
    // A page of a known tree is compared later, so all of it is read.
    if parents[page] > 0 { _ = try pages.bytes(of: page, in: version) }
    var result: [UInt32] = []
    if let kind = try pages.kind(of: page, in: version), kind.isInterior,
      kind.isTable || trees.holdsIndexes
    {
      result = try BTreePage(try pages.bytes(of: page, in: version), page: page).children()
    }
    children[version]?[page] = result
    return result
  }
}

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

  /// Checks that no page is its own parent, and that the roots of `trees` have no parents.
  ///
  /// The parents need not be right: they are hints.
  func checkInvariants(of trees: SchemaTrees) throws {
    for (page, parent) in parents.enumerated() {
      try BrokenInvariant.check(parent == 0 || Int(parent) != page, "page \(page) is its parent")
    }
    for root in trees.roots.keys {
      try BrokenInvariant.check(self[root] == 0, "root \(root) has the parent \(self[root])")
    }
  }

  /// The maximum depth of a tree, even with one row per page.
  ///
  /// Source: `BTCURSOR_MAX_DEPTH` in SQLite's `btreeInt.h`.
  static var depthLimit: Int { 20 }
}
