extension VersionPages {
  /// Removes from `pages` those that are on the freelist of the older version.
  ///
  /// Source: [The Freelist](https://www.sqlite.org/fileformat2.html#the_freelist).
  ///
  /// - Complexity: O(free pages / 100), or less if all of them are found early: the pages that are
  ///   reused first are first in the list.
  func removeFreePages(from pages: inout Set<UInt32>) throws(PageDiffError) {
    var trunk = try bytes(of: 1, in: .older).uint32(at: 32)
    var remaining = Int(count(in: .older))
    while trunk != 0, !pages.isEmpty {
      guard has(trunk, in: .older) else { throw .malformed }
      pages.remove(trunk)
      let bytes = try bytes(of: trunk, in: .older)
      let leafCount = Int(try bytes.uint32(at: 4))
      // A list with a cycle is longer than the file.
      remaining -= 1 + leafCount
      guard remaining >= 0 else { throw .malformed }
      let leaves = try bytes.range(at: 8, count: 4 * leafCount)
      for offset in stride(from: leaves.lowerBound, to: leaves.upperBound, by: 4) {
        pages.remove(try bytes.uint32(at: offset))
      }
      trunk = try bytes.uint32(at: 0)
    }
  }
}
