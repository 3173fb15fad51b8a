internal import SQLiteStorage
internal import TableData

extension VisibleDifference {
  /// The difference between the results of two requests in one version of the database. Rows can be
  /// in one result only, or differ in their order or section, but never in their content.
  ///
  /// As many rows as possible do not differ: a longest increasing subsequence of the rows that are
  /// in the same section on both sides. All other rows that are on both sides have moved.
  ///
  /// Complexity: O(n log n) for n rows in both windows.
  ///
  /// - Parameters:
  ///   - oldSide: the rows in the old window, in order, and their layout.
  ///   - newSide: the rows in the new window, in order, and their layout.
  ///   - comparator: compares the section keys of both sides: equal keys are one section.
  init<Key: RowKey>(
    windowOf oldSide: (rows: [Key], layout: ResultsLayout),
    and newSide: (rows: [Key], layout: ResultsLayout), _ comparator: TextComparator
  ) {
    let (oldLayout, newLayout) = (oldSide.layout, newSide.layout)
    let counterparts = VisibleDifference.counterparts(of: oldLayout, in: newLayout, comparator)
    let oldSections = VisibleDifference.sectionsOfRows(in: oldLayout)
    let newSections = VisibleDifference.sectionsOfRows(in: newLayout)
    let positionInOld = Dictionary(
      oldSide.rows.enumerated().lazy.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let oldPositions = newSide.rows.map { positionInOld[$0] }
    var mayStay: [(old: Int, new: Int)] = []
    for (new, old) in oldPositions.enumerated() {
      guard let old, counterparts[oldSections[old]] == newSections[new] else { continue }
      mayStay.append((old, new))
    }
    var staysInOld = [Bool](repeating: false, count: oldLayout.count)
    var staysInNew = [Bool](repeating: false, count: newLayout.count)
    let stays = longestIncreasingSubsequence(of: mayStay.map(\.old))
    for (row, stays) in zip(mayStay, stays) where stays {
      staysInOld[row.old] = true
      staysInNew[row.new] = true
    }
    var old: [Row] = []
    var indexInOld: [Int: Int] = [:]
    for position in 0..<oldLayout.count where !staysInOld[position] {
      indexInOld[position] = old.count
      old.append(Row(position: position, place: oldLayout.place(of: position)))
    }
    var new: [Row] = []
    for position in 0..<newLayout.count where !staysInNew[position] {
      let other = oldPositions[position].flatMap { indexInOld[$0] }
      if let other { old[other].other = new.count }
      new.append(Row(position: position, place: newLayout.place(of: position), other: other))
    }
    self.init(old: old, new: new)
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

  /// The section of each row.
  private static func sectionsOfRows(in layout: ResultsLayout) -> [Int] {
    (0..<layout.sectionCount).flatMap { section in
      repeatElement(section, count: layout.rows(inSection: section).count)
    }
  }
}
