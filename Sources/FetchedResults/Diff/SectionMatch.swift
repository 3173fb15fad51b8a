internal import SQLiteStorage
internal import SectionedData

/// Matches the sections of the old result with those of the new one.
///
/// Two sections are the same if they share a row that does not differ. Such sections are
/// *untouched*, and have the same order in both results. In all other sections, all rows differ: an
/// old one was emptied, or a new one was filled. An emptied section and a filled one are the same if
/// they have the same key.
///
/// Sections with their own order may have moved. As many as possible keep their order; if several
/// choices are equally good, the untouched ones do. The others are deleted and inserted.
struct SectionMatch {
  /// Old sections without a counterpart, ascending.
  private(set) var deleted: [Int]
  /// New sections without a counterpart, ascending.
  private(set) var inserted: [Int]
  /// The old and new numbers of the untouched sections that have moved. They are also in
  /// ``deleted`` and ``inserted``.
  private(set) var moved: [(old: Int, new: Int)] = []

  private let emptied: PositionSet
  private let filled: PositionSet
  /// The new numbers of the emptied sections that stay.
  private var counterpart: [Int: Int] = [:]
  /// The ranks of the untouched sections that have moved.
  private var movedRanks: Set<Int> = []

  /// Complexity: O(k log n) for k rows that differ, and O(1) for each untouched section that has
  /// moved.
  init(
    _ difference: VisibleDifference, _ comparator: TextComparator,
    from oldLayout: ResultsLayout, to newLayout: ResultsLayout
  ) {
    let isDivided = SectionMatch.isDivided(oldLayout) || SectionMatch.isDivided(newLayout)
    deleted = isDivided ? SectionMatch.wholeSections(of: difference.old, oldLayout) : []
    inserted = isDivided ? SectionMatch.wholeSections(of: difference.new, newLayout) : []
    emptied = PositionSet(deleted)
    filled = PositionSet(inserted)
    guard !deleted.isEmpty, !inserted.isEmpty else { return }
    var candidates: [KeyTuple: Int] = [:]
    for section in deleted {
      candidates[SectionMatch.key(oldLayout.section(at: section), comparator)] = section
    }
    let pairs = inserted.compactMap { section in
      candidates[SectionMatch.key(newLayout.section(at: section), comparator)]
        .map { (old: $0, new: section) }
    }
    match(pairs)
    let kept = Set(counterpart.values)
    deleted = deleted.filter { counterpart[$0] == nil }
    inserted = inserted.filter { !kept.contains($0) }
    if !moved.isEmpty {
      deleted = (deleted + moved.map(\.old)).sorted()
      inserted = (inserted + moved.map(\.new)).sorted()
    }
  }

  /// Chooses the sections that keep their order.
  ///
  /// The untouched sections between two neighbouring places of pairs, old or new, stay or move
  /// together, so their number does not matter.
  ///
  /// - Parameter pairs: the emptied and the filled sections with equal keys, by new number.
  private mutating func match(_ pairs: [(old: Int, new: Int)]) {
    let borders = Set(
      pairs.flatMap { [emptied.rank(of: $0.old), filled.rank(of: $0.new)] }
    ).sorted()
    let runs = zip(borders, borders.dropFirst()).map { $0..<$1 }
    let untouchedCount = runs.reduce(0) { $0 + $1.count }
    // The number of sections counts first, then that of untouched ones.
    let weight = untouchedCount + 1
    let items =
      (pairs.map { (old: $0.old, new: $0.new, weight: weight, run: Range<Int>?.none) }
      + runs.map { run in
        (
          old: emptied.position(ofRank: run.lowerBound),
          new: filled.position(ofRank: run.lowerBound), weight: run.count * (weight + 1), run: run
        )
      }).sorted { $0.new < $1.new }
    let stays = longestIncreasingSubsequence(of: items.map(\.old), weights: items.map(\.weight))
    for (item, stays) in zip(items, stays) {
      switch item.run {
      case nil: if stays { counterpart[item.old] = item.new }
      case let ranks? where !stays:
        movedRanks.formUnion(ranks)
        moved += ranks.map { (emptied.position(ofRank: $0), filled.position(ofRank: $0)) }
      default: break
      }
    }
  }

  /// The new number of an old section; nil if it was deleted.
  ///
  /// Complexity: O(log k).
  func newSection(for section: Int) -> Int? {
    if emptied.contains(section) { return counterpart[section] }
    let rank = emptied.rank(of: section)
    return movedRanks.contains(rank) ? nil : filled.position(ofRank: rank)
  }

  /// Some new sections with their old numbers, without those that were inserted.
  ///
  /// Complexity: O(k + s log k) for s sections.
  func kept(among sections: some Sequence<Int>) -> [(old: Int, new: Int)] {
    let oldNumbers = Dictionary(
      counterpart.lazy.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return sections.compactMap { section in
      if filled.contains(section) { return oldNumbers[section].map { (old: $0, new: section) } }
      let rank = filled.rank(of: section)
      return movedRanks.contains(rank)
        ? nil : (old: emptied.position(ofRank: rank), new: section)
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
