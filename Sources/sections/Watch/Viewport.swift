import TableData

/// The part of a list's lines that is on the screen.
struct Viewport: Equatable {
  /// The position of the first line.
  private(set) var top = 0
  /// The number of lines that the screen has for the list.
  private(set) var height = 1
  /// The number of lines of the list.
  private(set) var lineCount = 0

  /// The positions of the lines.
  var lines: Range<Int> { top..<min(top + height, lineCount) }

  /// The part of the list above the screen, in per cent; nil if all lines are on the screen.
  var percentage: Int? { lastTop > 0 ? top * 100 / lastTop : nil }

  private var lastTop: Int { max(lineCount - height, 0) }

  /// Sets the sizes. The first line stays, as far as there are lines.
  mutating func resize(height: Int, lineCount: Int) {
    self.height = max(height, 1)
    self.lineCount = lineCount
    scroll(to: top)
  }

  /// Shows a line first, or the last lines if there are not enough below it.
  mutating func scroll(to line: Int) { top = min(max(line, 0), lastTop) }

  /// Scrolls by a number of lines.
  mutating func scroll(by distance: Int) { scroll(to: top + distance) }

  /// Scrolls by pages, with one line in common.
  mutating func scroll(byPages count: Int) { scroll(by: count * max(height - 1, 1)) }

  /// Follows the list to its next version: the first row on the screen that is neither deleted nor
  /// moved keeps its line. At the start of the list, the start stays on the screen; after a reset, the
  /// position.
  mutating func follow(_ changes: TableChanges, from old: ResultLines, to new: ResultLines) {
    defer { resize(height: height, lineCount: new.count) }
    guard top > 0, changes.reset == nil else { return }
    var staying = StayingRows(changes)
    for position in lines {
      guard case .row(let row) = old.line(at: position), let place = staying.newPlace(of: row)
      else { continue }
      top = max(new.position(of: place) - (position - top), 0)
      return
    }
  }
}

/// The new index paths of the rows that are neither deleted nor moved.
struct StayingRows {
  private let changes: TableChanges
  private let deletedSections: PositionSet
  private let insertedSections: PositionSet
  /// The old rows of a section that do not stay, and the new ones that come, for the sections that were
  /// looked at.
  private var sections: [Int: (removed: PositionSet, inserted: PositionSet)] = [:]

  /// - Parameter changes: changes that are no reset.
  init(_ changes: TableChanges) {
    self.changes = changes
    deletedSections = PositionSet(changes.deletedSections)
    insertedSections = PositionSet(changes.insertedSections)
  }

  /// The new index path of an old row; nil if it is deleted or moved.
  ///
  /// Complexity: O(changes) for the first row of a section, then O(log changes).
  mutating func newPlace(of old: IndexPath) -> IndexPath? {
    guard !deletedSections.contains(old.section) else { return nil }
    let section = insertedSections.position(ofRank: deletedSections.rank(of: old.section))
    let rows = sections[old.section] ?? rows(ofSection: old.section, new: section)
    sections[old.section] = rows
    guard !rows.removed.contains(old.row) else { return nil }
    return IndexPath(
      row: rows.inserted.position(ofRank: rows.removed.rank(of: old.row)), section: section)
  }

  private func rows(
    ofSection old: Int, new: Int
  ) -> (removed: PositionSet, inserted: PositionSet) {
    func rows(_ paths: some Sequence<IndexPath>, in section: Int) -> [Int] {
      paths.filter { $0.section == section }.map(\.row)
    }
    return (
      PositionSet(
        rows(changes.deletedRows, in: old) + rows(changes.movedRows.lazy.map(\.from), in: old)),
      PositionSet(
        rows(changes.insertedRows, in: new) + rows(changes.movedRows.lazy.map(\.to), in: new))
    )
  }
}
