internal import TableData

/// Which rows of a list without a key are the same in another version of it: those that contain the
/// same.
///
/// In a section that stays, as many rows as possible stay as they are, in their order. A row that is
/// left over on both sides has moved. What then is left over between the same rows of the same section
/// was updated, in the order it stands there; the rest was deleted or inserted.
struct ContentMatch {
  /// For each new row the position of the old one that it is; nil for one that is new.
  private(set) var counterparts: [Int?]
  private let old: ResultsLayout
  private let new: ResultsLayout
  /// Whether a row stays as it is.
  private var staysInOld: [Bool]
  private var staysInNew: [Bool]
  /// Whether an old row is the same as a new one.
  private var isTaken: [Bool]

  /// - Parameters:
  ///   - old: for each old row that is shown what it contains, where equal numbers mean equal
  ///     contents; and their layout.
  ///   - new: the same of the new rows.
  ///   - comparator: tells whether two section keys are one section.
  ///
  /// Complexity: that of ``CommonSubsequence``.
  init(
    _ old: (contents: [Int], layout: ResultsLayout),
    _ new: (contents: [Int], layout: ResultsLayout), _ comparator: TextComparator
  ) {
    (self.old, self.new) = (old.layout, new.layout)
    counterparts = [Int?](repeating: nil, count: new.contents.count)
    staysInOld = [Bool](repeating: false, count: old.contents.count)
    staysInNew = [Bool](repeating: false, count: new.contents.count)
    isTaken = staysInOld
    let sections = sectionsThatStay(old.contents, new.contents, comparator)
    for pair in sections.flatMap(\.common) {
      staysInOld[pair.old] = true
      staysInNew[pair.new] = true
      take(pair.old, for: pair.new)
    }
    for section in sections {
      findMoves(from: section.old, old.contents, to: section.new, new.contents)
    }
    findMoves(
      from: sections.flatMap(\.old), old.contents, to: sections.flatMap(\.new), new.contents)
    for section in sections { findUpdates(from: section.old, to: section.new) }
    // Out of a section that goes, or into one that comes, a row keeps no more than its number.
    findMoves(
      from: old.contents.indices, old.contents, to: new.contents.indices, new.contents)
  }

  private mutating func take(_ row: Int, for newRow: Int) {
    counterparts[newRow] = row
    isTaken[row] = true
  }

  /// A section that is on both sides.
  private struct Section {
    /// Its number in the new version.
    let number: Int
    let old: Range<Int>
    let new: Range<Int>
    /// The rows that can stay as they are.
    let common: [(old: Int, new: Int)]
  }

  /// The sections that stay: as many as stand in the same order on both sides, and of those choices
  /// the one with most rows that stay.
  private func sectionsThatStay(
    _ oldContents: [Int], _ newContents: [Int], _ comparator: TextComparator
  ) -> [Section] {
    var budget = CommonSubsequence.Budget()
    var sections: [Section] = []
    let counterparts = VisibleDifference.counterparts(of: old, in: new, comparator)
    for (section, counterpart) in counterparts.enumerated() {
      guard let counterpart else { continue }
      let (oldRows, newRows) = (old.rows(inSection: section), new.rows(inSection: counterpart))
      let common = CommonSubsequence(of: oldContents[oldRows], and: newContents[newRows], &budget)
      sections.append(
        Section(number: counterpart, old: oldRows, new: newRows, common: common.pairs))
    }
    let stays = longestIncreasingSubsequence(
      of: sections.map(\.number), weights: sections.map { old.count + 1 + $0.common.count })
    return zip(sections, stays).filter(\.1).map(\.0)
  }

  private mutating func findMoves(
    from oldRows: some Sequence<Int>, _ oldContents: [Int], to newRows: some Sequence<Int>,
    _ newContents: [Int]
  ) {
    // Their positions backwards, so that the first is taken first.
    var left: [Int: [Int]] = [:]
    for row in oldRows.reversed() where !isTaken[row] {
      left[oldContents[row], default: []].append(row)
    }
    guard !left.isEmpty else { return }
    for row in newRows where counterparts[row] == nil {
      if let oldRow = left[newContents[row]]?.popLast() { take(oldRow, for: row) }
    }
  }

  private mutating func findUpdates(from oldRows: Range<Int>, to newRows: Range<Int>) {
    var oldRow = oldRows.lowerBound
    for row in newRows {
      if staysInNew[row] {
        // On behind the same row, whatever is left before it.
        oldRow = (counterparts[row] ?? oldRow) + 1
      } else if counterparts[row] == nil {
        while oldRow < oldRows.upperBound, !staysInOld[oldRow], isTaken[oldRow] { oldRow += 1 }
        guard oldRow < oldRows.upperBound, !staysInOld[oldRow] else { continue }
        take(oldRow, for: row)
      }
    }
  }

  /// What differs.
  var difference: VisibleDifference {
    var difference: (old: [VisibleDifference.Row], new: [VisibleDifference.Row]) = ([], [])
    var indexInOld: [Int: Int] = [:]
    for row in staysInOld.indices where !staysInOld[row] {
      indexInOld[row] = difference.old.count
      difference.old.append(VisibleDifference.Row(position: row, place: old.place(of: row)))
    }
    for row in staysInNew.indices where !staysInNew[row] {
      let other = counterparts[row].flatMap { indexInOld[$0] }
      if let other { difference.old[other].other = difference.new.count }
      difference.new.append(
        VisibleDifference.Row(position: row, place: new.place(of: row), other: other))
    }
    return VisibleDifference(old: difference.old, new: difference.new)
  }
}
