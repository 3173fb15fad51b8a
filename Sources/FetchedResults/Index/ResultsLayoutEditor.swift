internal import SQLiteStorage
internal import TableData

/// Makes the layout of the next version from that of the last: removes and inserts rows, and with
/// them sections.
///
/// Complexity: O(log n) a row.
struct ResultsLayoutEditor {
  private var sections: CountedTree<SectionEntry>
  private let comparator: TextComparator
  private let isDivided: Bool
  /// Whether the order guarantees that the rows of a section are adjacent.
  private let isContiguous: Bool
  /// The sections without rows, ascending. They may still get rows, and are removed at the end if
  /// not.
  private var empty: [Int] = []

  init(_ layout: ResultsLayout, _ sectioning: QueryPlan.Sectioning) {
    sections = layout.sections
    comparator = sectioning.comparator
    isDivided = !sectioning.isNone
    isContiguous = sectioning.isContiguous
  }

  /// Removes the row at a position of the whole order.
  mutating func remove(at position: Int) {
    let section = isDivided ? sections.position(containingWeight: position).position : 0
    sections.update(at: section) { $0.rowCount -= 1 }
    if sections[section].rowCount == 0, isDivided {
      empty.insert(section, at: empty.partitionPoint { $0 < section })
    }
  }

  /// Inserts a row at a position of the whole order.
  ///
  /// Rows must be inserted by ascending position, after all removals.
  ///
  /// - Returns: false if the section would be torn: the row is in the middle of another section, or
  ///   not adjacent to the rest of its own.
  mutating func insert(at position: Int, sectionKey: KeyTuple?) -> Bool {
    guard isDivided else {
      sections.update(at: 0) { $0.rowCount += 1 }
      return true
    }
    let sectionKey = sectionKey ?? KeyTuple([.null])
    let before = position > 0 ? sections.position(containingWeight: position - 1).position : nil
    let after =
      position < sections.weight ? sections.position(containingWeight: position).position : nil
    // The section before the row, the sections in between that are now empty, and the section after
    // the row.
    let candidates = (before ?? 0)...max(before ?? 0, after ?? sections.count - 1, 0)
    if !sections.isEmpty,
      let section = candidates.first(where: { isKey(sectionKey, ofSectionAt: $0) })
    {
      sections.update(at: section) { $0.rowCount += 1 }
      empty.removeAll { $0 == section }
      return true
    }
    if let before, before == after { return false }
    if !isContiguous, hasRows(ofSection: sectionKey) { return false }
    let section = before.map { $0 + 1 } ?? 0
    sections.insert(SectionEntry(key: sectionKey, rowCount: 1), at: section)
    for index in empty.indices where empty[index] >= section { empty[index] += 1 }
    return true
  }

  /// Returns the layout, without the sections that have no rows.
  mutating func finish(offset: Int, limit: Int?) -> ResultsLayout {
    for section in empty.reversed() { sections.remove(at: section) }
    empty = []
    return ResultsLayout(sections: sections, offset: offset, limit: limit)
  }

  private func isKey(_ key: KeyTuple, ofSectionAt section: Int) -> Bool {
    comparator.isSame(key, sections[section].key ?? KeyTuple([.null]))
  }

  /// Complexity: O(sections).
  private func hasRows(ofSection key: KeyTuple) -> Bool {
    sections.elements().contains {
      $0.rowCount > 0 && comparator.isSame(key, $0.key ?? KeyTuple([.null]))
    }
  }
}

extension TextComparator {
  /// Whether two keys are of the same section.
  func isSame(_ lhs: KeyTuple, _ rhs: KeyTuple) -> Bool {
    lhs.withReader { lhs in
      rhs.withReader { rhs in
        guard let lhs = lhs.next(), let rhs = rhs.next() else { return false }
        return SortOrder.compare(lhs, rhs, self) == 0
      }
    }
  }
}
