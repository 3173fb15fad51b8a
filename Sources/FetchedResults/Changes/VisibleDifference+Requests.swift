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
  /// - Parameter comparator: tells whether two section keys are one section, on both sides.
  init<Key: RowKey>(
    windowOf oldIndex: ResultsIndex<Key>, and newIndex: ResultsIndex<Key>,
    _ comparator: TextComparator
  ) {
    let counterparts = VisibleDifference.counterparts(of: oldIndex, in: newIndex, comparator)
    let oldSections = VisibleDifference.sectionsOfRows(in: oldIndex)
    let newSections = VisibleDifference.sectionsOfRows(in: newIndex)
    let positionInOld = Dictionary(
      oldIndex.keys(at: 0..<oldIndex.count).enumerated().lazy.map { ($1, $0) },
      uniquingKeysWith: { first, _ in first })
    let oldPositions = newIndex.keys(at: 0..<newIndex.count).map { positionInOld[$0] }
    var mayStay: [(old: Int, new: Int)] = []
    for (new, old) in oldPositions.enumerated() {
      guard let old, counterparts[oldSections[old]] == newSections[new] else { continue }
      mayStay.append((old, new))
    }
    var staysInOld = [Bool](repeating: false, count: oldIndex.count)
    var staysInNew = [Bool](repeating: false, count: newIndex.count)
    let stays = longestIncreasingSubsequence(of: mayStay.map(\.old))
    for (row, stays) in zip(mayStay, stays) where stays {
      staysInOld[row.old] = true
      staysInNew[row.new] = true
    }
    var old: [Row] = []
    var indexInOld: [Int: Int] = [:]
    for position in 0..<oldIndex.count where !staysInOld[position] {
      indexInOld[position] = old.count
      old.append(Row(position: position, place: oldIndex.place(of: position)))
    }
    var new: [Row] = []
    for position in 0..<newIndex.count where !staysInNew[position] {
      let other = oldPositions[position].flatMap { indexInOld[$0] }
      if let other { old[other].other = new.count }
      new.append(Row(position: position, place: newIndex.place(of: position), other: other))
    }
    self.init(old: old, new: new)
  }

  /// For each old section the new one with its key.
  private static func counterparts<Key: RowKey>(
    of oldIndex: ResultsIndex<Key>, in newIndex: ResultsIndex<Key>, _ comparator: TextComparator
  ) -> [Int?] {
    let sectionInNew = Dictionary(
      (0..<newIndex.sectionCount).lazy.map { section in
        (newIndex.section(at: section).key.map(comparator.normalized), section)
      }, uniquingKeysWith: { first, _ in first })
    return (0..<oldIndex.sectionCount).map { section in
      sectionInNew[oldIndex.section(at: section).key.map(comparator.normalized)]
    }
  }

  /// The section of each row.
  private static func sectionsOfRows<Key: RowKey>(in index: ResultsIndex<Key>) -> [Int] {
    (0..<index.sectionCount).flatMap { section in
      repeatElement(section, count: index.rows(inSection: section).count)
    }
  }
}
