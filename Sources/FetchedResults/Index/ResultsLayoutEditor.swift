internal import SQLiteStorage
internal import TableData

/// Makes the layout of the next version out of that of the last: takes rows out, puts rows in, and
/// lets sections be born and die with them.
///
/// Complexity: O(log n) a row.
struct ResultsLayoutEditor {
  private var sections: CountedTree<SectionEntry>
  private let comparator: TextComparator
  private let isDivided: Bool
  /// Whether the order guarantees that rows of one section are together.
  private let isContiguous: Bool
  /// The sections without rows, ascending: they may get some yet, or are dropped at the end.
  private var empty: [Int] = []

  init(_ layout: ResultsLayout, _ sectioning: QueryPlan.Sectioning) {
    sections = layout.sections
    comparator = sectioning.comparator
    isDivided = !sectioning.isNone
    isContiguous = sectioning.isContiguous
  }

  /// Takes out the row at a position of the whole order.
  mutating func remove(at position: Int) {
    let section = isDivided ? sections.position(containingWeight: position).position : 0
    sections.update(at: section) { $0.rowCount -= 1 }
    if sections[section].rowCount == 0, isDivided {
      empty.insert(section, at: empty.partitionPoint { $0 < section })
    }
  }

  /// Puts a row in at a position of the whole order.
  ///
  /// Rows must be put in by ascending position, after all that go have been taken out.
  ///
  /// - Returns: false where the order tears a section apart: the row stands in the middle of
  ///   another section, or away from the rest of its own.
  mutating func insert(at position: Int, sectionKey: KeyTuple?) -> Bool {
    guard isDivided else {
      sections.update(at: 0) { $0.rowCount += 1 }
      return true
    }
    let sectionKey = sectionKey ?? KeyTuple([.null])
    let before = position > 0 ? sections.position(containingWeight: position - 1).position : nil
    let after =
      position < sections.weight ? sections.position(containingWeight: position).position : nil
    // The section before it, those in between that have no rows now, and the section after it.
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

  /// The layout, without the sections that have no rows.
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
  /// Whether two section keys are one section.
  func isSame(_ lhs: KeyTuple, _ rhs: KeyTuple) -> Bool {
    lhs.withReader { lhs in
      rhs.withReader { rhs in
        guard let lhs = lhs.next(), let rhs = rhs.next() else { return false }
        return SortOrder.compare(lhs, rhs, self) == 0
      }
    }
  }
}
