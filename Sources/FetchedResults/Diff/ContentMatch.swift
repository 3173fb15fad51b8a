internal import SectionedData

/// Matches the rows of two versions of a list without a key by their contents.
///
/// In a section that is in both versions, as many rows as possible keep their order. Other rows
/// with the same content in both versions have moved. Rows that then remain between the same two
/// rows of the same section were updated, in their order. The rest was deleted or inserted.
struct ContentMatch {
  /// For each new row the position of its old row; nil if it was inserted.
  private(set) var counterparts: [Int?]
  private let old: ResultsLayout
  private let new: ResultsLayout
  /// Whether a row keeps its content and its order among such rows.
  private var staysInOld: [Bool]
  private var staysInNew: [Bool]
  /// Whether an old row has a new row.
  private var isTaken: [Bool]

  /// - Parameters:
  ///   - old: for each old row that is shown its content, and the layout. Equal numbers mean equal contents.
  ///   - new: the same for the new rows.
  ///   - comparator: compares section keys: equal keys are one section.
  ///
  /// Complexity: that of ``CommonSubsequence``.
  init(
    _ old: (contents: [UInt64], layout: ResultsLayout),
    _ new: (contents: [UInt64], layout: ResultsLayout), _ comparator: TextComparator
  ) {
    (self.old, self.new) = (old.layout, new.layout)
    counterparts = [Int?](repeating: nil, count: new.contents.count)
    staysInOld = [Bool](repeating: false, count: old.contents.count)
    staysInNew = [Bool](repeating: false, count: new.contents.count)
    isTaken = staysInOld
    let sections = sectionsThatStay(old.contents, new.contents, comparator)
    for section in sections {
      for pair in section.common {
        staysInOld[pair.old] = true
        staysInNew[pair.new] = true
        take(pair.old, for: pair.new)
      }
    }
    for section in sections {
      findMoves(from: section.old, old.contents, to: section.new, new.contents)
    }
    findMoves(
      from: sections.lazy.flatMap(\.old), old.contents, to: sections.lazy.flatMap(\.new),
      new.contents)
    for section in sections { findUpdates(from: section.old, to: section.new) }
    // A row of a deleted section, or in an inserted one, only keeps its number.
    findMoves(
      from: old.contents.indices, old.contents, to: new.contents.indices, new.contents)
  }

  private mutating func take(_ row: Int, for newRow: Int) {
    counterparts[newRow] = row
    isTaken[row] = true
  }

  /// A section that is in both versions.
  private struct Section {
    /// Its number in the new version.
    let number: Int
    let old: Range<Int>
    let new: Range<Int>
    /// The rows that can keep their content and order.
    let common: [(old: Int, new: Int)]
  }

  /// The sections that do not move: as many as have the same order in both versions. Among such
  /// choices, the one with most unchanged rows.
  private func sectionsThatStay(
    _ oldContents: [UInt64], _ newContents: [UInt64], _ comparator: TextComparator
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
    from oldRows: some Sequence<Int>, _ oldContents: [UInt64], to newRows: some Sequence<Int>,
    _ newContents: [UInt64]
  ) {
    // In descending order, so that `popLast()` returns the first.
    var left: [UInt64: [Int]] = [:]
    for row in oldRows.filter({ !isTaken[$0] }).reversed() {
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
        // Continues after the old row of this row, and skips the old rows before it.
        oldRow = (counterparts[row] ?? oldRow) + 1
      } else if counterparts[row] == nil {
        while oldRow < oldRows.upperBound, !staysInOld[oldRow], isTaken[oldRow] { oldRow += 1 }
        guard oldRow < oldRows.upperBound, !staysInOld[oldRow] else { continue }
        take(oldRow, for: row)
      }
    }
  }

  var difference: VisibleDifference {
    var difference = VisibleDifference(
      (staysInOld, old), (staysInNew, new), oldPositions: counterparts)
    // A row with other content was only matched where it need not move.
    difference.movesKeepContent = true
    return difference
  }
}
