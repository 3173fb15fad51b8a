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

  /// The child pages of a page that looks like an interior page.
  private func childPages(
    of page: UInt32, in version: Version
  ) throws(PageDiffError) -> [UInt32] {
    // A page that was not changed is the same in both versions.
    let version = pages.isChanged(page) ? version : .older
    if let known = children[version]?[page] { return known }
    let bytes = try pages.bytes(of: page, in: version)
    var result: [UInt32] = []
    if let kind = try BTreePage.kind(of: bytes, page: page), kind.isInterior,
      kind.isTable || trees.holdsIndexes
    {
      result = try BTreePage(bytes, page: page).children()
    }
    children[version]?[page] = result
    return result
  }
}
