internal import TableData

/// The number of rows in a version of a result, and its sections. Index paths depend on nothing
/// else.
///
/// A counted tree holds the sections. A section begins after the rows of all sections before it.
/// With a limit or offset the tree holds the order up to the last row needed, and the result is a
/// window of it. Index paths are always relative to the window.
///
/// Copying costs O(1), and copies share their storage.
struct ResultsLayout: Sendable {
  /// The sections, in order. One of them can be empty only in an undivided result.
  private(set) var sections: CountedTree<SectionEntry>
  /// The rows of the result, as positions in the whole order.
  let window: Range<Int>
  /// The sections that have rows in the window, as positions in `sections`.
  let visibleSections: Range<Int>

  /// Complexity: O(log n).
  init(sections: CountedTree<SectionEntry>, offset: Int = 0, limit: Int? = nil) {
    self.sections = sections
    let rowCount = sections.weight
    let lower = min(offset, rowCount)
    let upper = limit.map { min(rowCount - lower, $0) + lower } ?? rowCount
    window = lower..<upper
    if lower == 0, upper == rowCount {
      visibleSections = 0..<sections.count
    } else if window.isEmpty {
      // An undivided result keeps its one section, even if that is empty.
      let isDivided = sections.count > 0 && sections[0].key != nil
      visibleSections = 0..<(isDivided ? 0 : sections.count)
    } else {
      let first = sections.position(containingWeight: lower).position
      let last = sections.position(containingWeight: upper - 1).position
      visibleSections = first..<(last + 1)
    }
  }

  /// The number of rows in the whole order.
  var rowCount: Int { sections.weight }

  /// The number of rows in the result.
  var count: Int { window.count }

  /// The number of sections in the result.
  var sectionCount: Int { visibleSections.count }
}

extension ResultsLayout {
  /// Replaces the keys of some sections by equal ones. The sections are positions in the whole
  /// order.
  mutating func respellSections(_ keys: [Int: KeyTuple]) {
    for (section, key) in keys {
      sections.update(at: section) { $0 = SectionEntry(key: key, rowCount: $0.rowCount) }
    }
  }

  /// A section, with the number of rows it has in the window.
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

  /// The index path of a position in the result.
  ///
  /// Complexity: O(log n).
  func place(of position: Int) -> (section: Int, row: Int) {
    let found = sections.position(containingWeight: window.lowerBound + position)
    let section = found.position - visibleSections.lowerBound
    // The rows before the window are counted in the tree's section but not in the result's.
    let hidden = max(0, window.lowerBound - sections.weight(before: found.position))
    return (section, found.offsetInElement - hidden)
  }
}
