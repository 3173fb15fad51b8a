internal import SQLiteStorage
internal import TableData

extension VisibleDifference {
  /// What differs between the results of two requests in one version of the database: which rows are
  /// in it, their order and their sections, but never what a row contains.
  ///
  /// As many rows as possible do not differ: a longest sequence that ascends on both sides, of rows
  /// that stay in their section. All others that are on both sides have moved.
  ///
  /// Complexity: O(n log n) for n rows in both windows.
  ///
  /// - Parameters:
  ///   - oldSide: the rows that the old window shows, in order, and their layout.
  ///   - newSide: those that the new one shows, and theirs.
  ///   - comparator: tells whether two section keys are one section, on both sides.
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

  /// For each old section the new one with its key.
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
