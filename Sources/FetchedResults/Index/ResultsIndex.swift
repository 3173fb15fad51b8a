internal import SQLiteStorage

/// A version of a result: the identities of its rows in order, and the sections they form.
///
/// Two counted trees hold it, of rows and of sections; a section begins where the rows of all
/// sections before it end. With a limit or offset the trees hold the order up to where it is
/// needed, and the result is a window of it; places are always places in the window.
///
/// Copying costs O(1), and copies share what they have in common.
struct ResultsIndex<Key: RowKey>: Sendable {
  /// The identities, in order.
  let rows: CountedTree<Key>
  /// The sections, in order. Only a result that is not divided may have an empty one.
  private(set) var sections: CountedTree<SectionEntry>
  /// The rows that belong to the result, as positions in `rows`.
  let window: Range<Int>
  /// The sections that have rows in the window, as positions in `sections`.
  let visibleSections: Range<Int>

  /// Whether the trees hold the whole order, so that the index can be carried to another version.
  let isWhole: Bool

  /// Complexity: O(log n).
  init(
    rows: CountedTree<Key>, sections: CountedTree<SectionEntry>, offset: Int = 0, limit: Int? = nil,
    isWhole: Bool = true
  ) {
    self.isWhole = isWhole
    self.rows = rows
    self.sections = sections
    let lower = min(offset, rows.count)
    let upper = limit.map { min(rows.count - lower, $0) + lower } ?? rows.count
    window = lower..<upper
    if lower == 0, upper == rows.count {
      visibleSections = 0..<sections.count
    } else if window.isEmpty {
      // A list that is not divided keeps its one section, also when it is empty.
      let isDivided = sections.count > 0 && sections[0].key != nil
      visibleSections = 0..<(isDivided ? 0 : sections.count)
    } else {
      let first = sections.position(containingWeight: lower).position
      let last = sections.position(containingWeight: upper - 1).position
      visibleSections = first..<(last + 1)
    }
  }

  /// The number of rows in the result.
  var count: Int { window.count }

  /// The number of sections in the result.
  var sectionCount: Int { visibleSections.count }
}

extension ResultsIndex {
  /// Replaces the keys of some sections, by position in the whole order, by others that are equal.
  mutating func respellSections(_ keys: [Int: KeyTuple]) {
    for (section, key) in keys {
      sections.update(at: section) { $0 = SectionEntry(key: key, rowCount: $0.rowCount) }
    }
  }

  /// A section, with the rows it has in the window.
  ///
  /// Complexity: O(log n).
  func section(at section: Int) -> SectionEntry {
    var entry = sections[visibleSections.lowerBound + section]
    entry.rowCount = rows(inSection: section).count
    return entry
  }

  /// The rows of a section, as positions in the result: 0 is the first row of the window.
  ///
  /// Complexity: O(log n).
  func rows(inSection section: Int) -> Range<Int> {
    let position = visibleSections.lowerBound + section
    let start = sections.weight(before: position)
    let end = start + sections[position].rowCount
    let clamped = (start..<end).clamped(to: window)
    return (clamped.lowerBound - window.lowerBound)..<(clamped.upperBound - window.lowerBound)
  }

  /// The place of a position in the result.
  ///
  /// Complexity: O(log n).
  func place(of position: Int) -> (section: Int, row: Int) {
    let found = sections.position(containingWeight: window.lowerBound + position)
    let section = found.position - visibleSections.lowerBound
    // Rows before the window count in the tree's section but not in the result's.
    let hidden = max(0, window.lowerBound - sections.weight(before: found.position))
    return (section, found.offsetInElement - hidden)
  }

  /// The identity at a position in the result.
  ///
  /// Complexity: O(log n).
  subscript(position: Int) -> Key { rows[window.lowerBound + position] }

  /// The identities of some positions in the result.
  ///
  /// Complexity: O(log n + positions).
  @specialized(where Key == Int64)
  func keys(at positions: Range<Int>) -> [Key] {
    Array(rows.elements(from: window.lowerBound + positions.lowerBound).prefix(positions.count))
  }
}
