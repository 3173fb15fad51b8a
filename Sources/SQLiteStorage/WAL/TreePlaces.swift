/// Finds the tree that a page is in, in either of two versions.
final class TreePlaces {
  typealias Version = VersionReader.Version

  struct Place {
    let tree: Int
    /// The page above; 0 for the first page of the tree.
    let parent: UInt32
  }

  let pages: VersionPages
  let trees: SchemaTrees
  private(set) var parents: TreeParents
  /// How many times all pages above leaves were read, for tests.
  private(set) var mappingCount = 0

  /// What was found already; nil for a page that is in no tree, as far as is known.
  private var found: [Version: [UInt32: Place?]] = [.older: [:], .newer: [:]]
  /// The pages above, as the changed pages tell.
  private var links: [Version: [UInt32: [UInt32]]] = [.older: [:], .newer: [:]]
  private var children: [Version: [UInt32: [UInt32]]] = [.older: [:], .newer: [:]]

  init(
    in pages: VersionPages, of trees: SchemaTrees, parents: TreeParents
  ) throws(PageObstacle) {
    self.pages = pages
    self.trees = trees
    self.parents = parents
    var linkCount = 0
    for page in pages.changed {
      for version in [Version.older, .newer] where pages.has(page, in: version) {
        // A page that is not in use may look like one of a tree: these are candidates, no more.
        for child in try candidates(below: page, in: version) where pages.has(child, in: version) {
          links[version, default: [:]][child, default: []].append(page)
          linkCount += 1
        }
        guard linkCount <= TreePlaces.linkLimit else { throw .tooManyPages }
      }
    }
  }

  /// The pages below a page, as far as it looks like one above others.
  private func candidates(
    below page: UInt32, in version: Version
  ) throws(PageObstacle) -> [UInt32] {
    do {
      return try childPages(of: page, in: version)
    } catch .malformed {
      return []
    }
    // One that could not be read is no such page: rows that it leads to would be missed.
  }

  /// Beyond this many links comparing all rows costs less, and less memory.
  private static var linkLimit: Int { 1 << 20 }

  /// The place of a page in the older version; nil where it is in none of the trees.
  ///
  /// It may also be nil where the hints do not lead to it: ``readParents()`` makes them good.
  func olderPlace(of page: UInt32) throws(PageObstacle) -> Place? {
    try place(of: page, in: .older, depth: 0)
  }

  /// The place of a page in the newer version; nil where it is in none of the trees.
  ///
  /// Where the page above is not a changed one, it was above in the older version too. So this is
  /// certain where the place in the older version is.
  func newerPlace(of page: UInt32) throws(PageObstacle) -> Place? {
    try place(of: page, in: .newer, depth: 0)
  }

  /// Reads all pages above leaves of the older version.
  func readParents() throws(PageObstacle) {
    mappingCount += 1
    parents = try TreeParents(of: trees, in: pages)
    found = [.older: [:], .newer: [:]]
  }

  /// Notes the place of a page, from a page above it that is in its place.
  func note(_ place: Place, of page: UInt32, in version: Version) {
    found[version]?[page] = .some(place)
  }

  /// Notes which pages are below one in the newer version, for the next comparison.
  func noteChildren(_ children: [UInt32], of page: UInt32) throws(PageObstacle) {
    for child in children {
      guard pages.has(child, in: .newer) else { throw .malformed }
      parents[child] = page
    }
  }

  private func place(
    of page: UInt32, in version: Version, depth: Int
  ) throws(PageObstacle) -> Place? {
    guard pages.has(page, in: version) else { return nil }
    guard depth <= TreeParents.depthLimit else { throw .malformed }
    if let known = found[version]?[page] { return known }
    if let tree = trees.roots[page] { return Place(tree: tree, parent: 0) }
    // Until it is found, so that a page that is below itself is not looked for for ever.
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

  /// The pages below a page that looks like one above others.
  private func childPages(
    of page: UInt32, in version: Version
  ) throws(PageObstacle) -> [UInt32] {
    // A page that was not changed is the same in both.
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
