internal import SQLiteStorage
internal import SectionedData

/// Matches the sections of the old result with those of the new one.
///
/// Two sections are the same if they share a row that does not differ. In all other sections, all
/// rows differ: an old one was emptied, or a new one was filled. An emptied section and a filled
/// one are the same if they have the same key and are between the same sections.
struct SectionMatch {
  /// Old sections without a counterpart, ascending.
  let deleted: [Int]
  /// New sections without a counterpart, ascending.
  let inserted: [Int]

  private let emptied: PositionSet
  private let filledSections: [Int]
  private let filled: PositionSet
  private let counterpart: [Int: Int]

  /// Complexity: O(k log n) for k rows that differ.
  init(
    _ difference: VisibleDifference, _ comparator: TextComparator,
    from oldLayout: ResultsLayout, to newLayout: ResultsLayout
  ) {
    let isDivided = SectionMatch.isDivided(oldLayout) || SectionMatch.isDivided(newLayout)
    let emptied = isDivided ? SectionMatch.wholeSections(of: difference.old, oldLayout) : []
    filledSections = isDivided ? SectionMatch.wholeSections(of: difference.new, newLayout) : []
    self.emptied = PositionSet(emptied)
    filled = PositionSet(filledSections)
    var candidates: [KeyTuple: Int] = [:]
    for section in emptied {
      candidates[SectionMatch.key(oldLayout.section(at: section), comparator)] = section
    }
    var pairs: [(old: Int, new: Int)] = []
    for section in filledSections {
      let key = SectionMatch.key(newLayout.section(at: section), comparator)
      guard let old = candidates[key],
        old - self.emptied.count(before: old) == section - filled.count(before: section)
      else { continue }
      pairs.append((old, section))
    }
    // Sections with their own order may have moved: as many as possible keep their order.
    let stays = longestIncreasingSubsequence(of: pairs.map(\.old))
    let counterpart = Dictionary(
      zip(pairs, stays).lazy.filter { $1 }.map { ($0.0.old, $0.0.new) },
      uniquingKeysWith: { first, _ in first })
    self.counterpart = counterpart
    let kept = Set(counterpart.values)
    deleted = emptied.filter { counterpart[$0] == nil }
    inserted = filledSections.filter { !kept.contains($0) }
    emptiedSections = Set(emptied)
  }

  private let emptiedSections: Set<Int>

  /// The new number of an old section; nil if it was deleted.
  ///
  /// Complexity: O(log k).
  func newSection(for section: Int) -> Int? {
    if emptiedSections.contains(section) { return counterpart[section] }
    return filled.position(ofRank: section - emptied.count(before: section))
  }

  /// Some new sections with their old numbers, without those that were inserted.
  ///
  /// Complexity: O(k + s log k) for s sections.
  func kept(among sections: some Sequence<Int>) -> [(old: Int, new: Int)] {
    let oldNumbers = Dictionary(
      counterpart.lazy.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return sections.compactMap { section in
      let old =
        filled.contains(section)
        ? oldNumbers[section]
        : emptied.position(ofRank: section - filled.count(before: section))
      return old.map { (old: $0, new: section) }
    }
  }

  private static func isDivided(_ layout: ResultsLayout) -> Bool {
    layout.sectionCount > 0 && layout.section(at: 0).key != nil
  }

  /// The sections whose rows are all in `rows`.
  private static func wholeSections(
    of rows: [VisibleDifference.VisibleRow], _ layout: ResultsLayout
  ) -> [Int] {
    var sections: [Int] = []
    var start = rows.startIndex
    while start < rows.endIndex {
      let section = rows[start].place.section
      let end = rows[start...].firstIndex { $0.place.section != section } ?? rows.endIndex
      if end - start == layout.rows(inSection: section).count { sections.append(section) }
      start = end
    }
    return sections
  }

  private static func key(_ section: SectionEntry, _ comparator: TextComparator) -> KeyTuple {
    comparator.normalized(section.comparedKey)
  }
}
