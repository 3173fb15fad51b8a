internal import CountedTrees
internal import SectionedData

/// The difference between two versions inside their windows.
///
/// A limit or an offset shows a window of the order. Rows that differ may be inside or outside of
/// it. Rows that do not differ enter or leave the window if other rows are inserted or deleted.
/// There are at most as many of them as rows that differ.
struct VisibleDifference {
  /// A row that is deleted, inserted, moved or updated.
  struct VisibleRow {
    /// The position in the result of its side.
    let position: Int
    /// The index path in the result of its side.
    let place: (section: Int, row: Int)
    /// The index of the same row in the array of the other side; nil if it is not there.
    var other: Int?
    /// Whether it shows the same on both sides, so that it has no event unless it moves.
    var isAlike = false
  }

  /// The rows of the old result that differ, by old position.
  private(set) var old: [VisibleRow]
  /// The rows of the new result that differ, by new position.
  private(set) var new: [VisibleRow]
  /// Whether all rows that are on both sides have moved.
  private(set) var pairsMove = false
  /// Whether each row that moves is known to keep its content, since rows are matched by it.
  var movesKeepContent = false

  /// Complexity: O(k log n) for k rows that differ.
  init(
    _ difference: RowDifference, from oldLayout: ResultsLayout,
    to newLayout: ResultsLayout
  ) {
    let oldPositions = difference.oldPositions
    let newPositions = difference.newPositions
    let oldTaken = PositionSet(oldPositions)
    let newTaken = PositionSet(newPositions)
    // The ranks of the rows that do not differ, in the old window and in the new one.
    let oldRanks = oldTaken.ranks(in: oldLayout.window)
    let newRanks = newTaken.ranks(in: newLayout.window)
    old = VisibleDifference.rows(
      oldPositions, oldTaken, leaving: oldRanks.outside(newRanks), oldLayout)
    new = VisibleDifference.rows(
      newPositions, newTaken, leaving: newRanks.outside(oldRanks), newLayout)
    pair(difference, oldLayout, newLayout)
  }

  private static func rows(
    _ positions: [Int], _ taken: PositionSet, leaving ranks: [Range<Int>], _ layout: ResultsLayout
  ) -> [VisibleRow] {
    var visible = positions.filter(layout.window.contains)
    let moved = ranks.joined().map(taken.position(ofRank:))
    if !moved.isEmpty { visible = (visible + moved).sorted() }
    return visible.map { position in
      let position = position - layout.window.lowerBound
      return VisibleRow(position: position, place: layout.place(of: position))
    }
  }

  private mutating func pair(
    _ difference: RowDifference, _ oldLayout: ResultsLayout, _ newLayout: ResultsLayout
  ) {
    var newPositions: [RowKey: Int] = [:]
    for row in difference.new where newLayout.window.contains(row.position) {
      newPositions[row.key] = row.position - newLayout.window.lowerBound
    }
    guard !newPositions.isEmpty else { return }
    for row in difference.old where oldLayout.window.contains(row.position) {
      guard let newPosition = newPositions[row.key] else { continue }
      let oldPosition = row.position - oldLayout.window.lowerBound
      let oldRow = old.partitionPoint { $0.position < oldPosition }
      let newRow = new.partitionPoint { $0.position < newPosition }
      old[oldRow].other = newRow
      new[newRow].other = oldRow
      new[newRow].isAlike = difference.alike.contains(row.key)
    }
  }
}

// MARK: - Whole windows

extension VisibleDifference {
  /// The difference between the results of two requests in one version of the database. Rows can be
  /// in one result only, or differ in their order or section, but never in their content.
  ///
  /// As many sections as possible keep their order. Among such choices, as many rows as possible do
  /// not differ: in each of these sections, a longest increasing subsequence of the rows that are in
  /// it on both sides. All other rows that are on both sides have moved.
  ///
  /// Complexity: O(n log n) for n rows in both windows.
  ///
  /// - Parameters:
  ///   - oldSide: the rows in the old window, in order, and their layout.
  ///   - newSide: the rows in the new window, in order, and their layout.
  ///   - comparator: compares the section keys of both sides: equal keys are one section.
  ///   - limit: the greatest number of rows that differ; nil is returned if there are more.
  init?(
    windowOf oldSide: (rows: [RowKey], layout: ResultsLayout),
    and newSide: (rows: [RowKey], layout: ResultsLayout), _ comparator: TextComparator,
    atMost limit: Int = .max
  ) {
    let (oldLayout, newLayout) = (oldSide.layout, newSide.layout)
    let counterparts = VisibleDifference.counterparts(of: oldLayout, in: newLayout, comparator)
    let oldSections = VisibleDifference.sectionsOfRows(in: oldLayout)
    let newSections = VisibleDifference.sectionsOfRows(in: newLayout)
    let oldPositions = RowKey.positions(of: newSide.rows, in: oldSide.rows)
    var mayStay: [(old: Int, new: Int)] = []
    for (new, old) in oldPositions.enumerated() {
      guard let old, counterparts[oldSections[old]] == newSections[new] else { continue }
      mayStay.append((old, new))
    }
    var staysInOld = [Bool](repeating: false, count: oldLayout.count)
    var staysInNew = [Bool](repeating: false, count: newLayout.count)
    var stayingCount = 0
    for row in VisibleDifference.staying(of: mayStay, counterparts, newSections) {
      staysInOld[row.old] = true
      staysInNew[row.new] = true
      stayingCount += 1
    }
    guard newLayout.count - stayingCount <= limit else { return nil }
    self.init(
      (staysInOld, oldLayout), (staysInNew, newLayout), oldPositions: oldPositions)
    pairsMove = true
  }

  /// The rows that do not differ.
  ///
  /// - Parameters:
  ///   - rows: the rows that are in the same section on both sides, by new position.
  ///   - counterparts: for each old section the same section of the new result.
  ///   - newSections: the section of each new row.
  private static func staying(
    of rows: [(old: Int, new: Int)], _ counterparts: [Int?], _ newSections: [Int]
  ) -> [(old: Int, new: Int)] {
    var stayingInSection: [Int: [(old: Int, new: Int)]] = [:]
    var start = rows.startIndex
    while start < rows.endIndex {
      let section = newSections[rows[start].new]
      let end = rows[start...].firstIndex { newSections[$0.new] != section } ?? rows.endIndex
      let stays = longestIncreasingSubsequence(of: rows[start..<end].map(\.old))
      stayingInSection[section] = zip(rows[start..<end], stays).filter(\.1).map(\.0)
      start = end
    }
    let sections = counterparts.compactMap(\.self)
    let stays = longestIncreasingSubsequence(
      of: sections,
      weights: sections.map { rows.count + 1 + (stayingInSection[$0]?.count ?? 0) })
    return zip(sections, stays).filter(\.1).flatMap { stayingInSection[$0.0] ?? [] }
  }

  /// For each old section the new section with the same key; nil if there is none.
  static func counterparts(
    of oldLayout: ResultsLayout, in newLayout: ResultsLayout, _ comparator: TextComparator
  ) -> [Int?] {
    let sectionInNew = Dictionary(
      (0..<newLayout.sectionCount).lazy.map { section in
        (newLayout.section(at: section).key.map(comparator.normalized), section)
      }, uniquingKeysWith: { first, _ in first })
    return (0..<oldLayout.sectionCount).map { section in
      sectionInNew[oldLayout.section(at: section).key.map(comparator.normalized)]
    }
  }

  private static func sectionsOfRows(in layout: ResultsLayout) -> [Int] {
    var sections: [Int] = []
    sections.reserveCapacity(layout.count)
    for section in 0..<layout.sectionCount {
      sections += repeatElement(section, count: layout.rows(inSection: section).count)
    }
    return sections
  }

  /// Makes the difference from the rows that do not differ.
  ///
  /// - Parameters:
  ///   - oldSide: for each old row whether it keeps its content and its order among such rows, and
  ///     the layout.
  ///   - newSide: the same for the new rows.
  ///   - oldPositions: for each new row the position of the same row in the old result; nil if it
  ///     was not there.
  init(
    _ oldSide: (stays: [Bool], layout: ResultsLayout),
    _ newSide: (stays: [Bool], layout: ResultsLayout), oldPositions: [Int?]
  ) {
    old = []
    new = []
    old.reserveCapacity(oldSide.stays.lazy.filter { !$0 }.count)
    new.reserveCapacity(newSide.stays.lazy.filter { !$0 }.count)
    // Not elements of a tuple: reading one copies the layout beside it, for each row.
    let (staysInOld, staysInNew) = (oldSide.stays, newSide.stays)
    var indexInOld = [Int](repeating: -1, count: staysInOld.count)
    var places = PlaceReader(oldSide.layout)
    for position in staysInOld.indices where !staysInOld[position] {
      indexInOld[position] = old.count
      old.append(VisibleRow(position: position, place: places.place(of: position)))
    }
    places = PlaceReader(newSide.layout)
    for position in staysInNew.indices where !staysInNew[position] {
      var row = VisibleRow(position: position, place: places.place(of: position))
      if let oldPosition = oldPositions[position], indexInOld[oldPosition] >= 0 {
        row.other = indexInOld[oldPosition]
        old[indexInOld[oldPosition]].other = new.count
      }
      new.append(row)
    }
  }
}

/// The index paths of positions one after the other, which are usually in the same section.
private struct PlaceReader {
  private let layout: ResultsLayout
  private var section = 0
  private var rows = 0..<0

  init(_ layout: ResultsLayout) { self.layout = layout }

  mutating func place(of position: Int) -> (section: Int, row: Int) {
    if !rows.contains(position) {
      section = layout.place(of: position).section
      rows = layout.rows(inSection: section)
    }
    return (section, position - rows.lowerBound)
  }
}

// MARK: - Ranks

extension PositionSet {
  /// The ranks of the remaining rows in a range of positions.
  fileprivate func ranks(in window: Range<Int>) -> Range<Int> {
    let lower = window.lowerBound - count(before: window.lowerBound)
    return lower..<(window.upperBound - count(before: window.upperBound))
  }
}

extension Range<Int> {
  /// The parts that are not in `other`.
  fileprivate func outside(_ other: Range<Int>) -> [Range<Int>] {
    guard overlaps(other) else { return [self] }
    return [
      lowerBound..<Swift.max(lowerBound, other.lowerBound),
      Swift.min(upperBound, other.upperBound)..<upperBound,
    ]
  }
}
