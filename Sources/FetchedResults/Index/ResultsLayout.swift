internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// A section as the index holds it.
struct SectionEntry: CountedElement, Hashable {
  /// The section key as the first row has it, packed exactly, so that text that is not valid UTF-8 is
  /// preserved; nil for an undivided result.
  let key: KeyTuple?
  var rowCount: Int

  var weight: Int { rowCount }

  /// The key as keys are compared: an undivided result has the key `NULL`.
  var comparedKey: KeyTuple { key ?? KeyTuple([.null]) }

  var value: Value? { key?.values.first }

  /// The section's name: the key as text. `NULL` has the empty name, as in Core Data.
  var name: String? {
    switch value {
    case nil: nil
    case .null: ""
    case .integer(let value): String(value)
    case .real(let value): value.displayText
    case .text(let value): value
    case .blob(let bytes): bytes.hexadecimal
    }
  }

  /// The name that `title` gives the section, or else its own.
  func name(_ title: ((Value) -> String?)?) -> String? { value.flatMap { title?($0) } ?? name }
}

/// The number of rows in a version of a result, and its sections. Index paths depend on nothing
/// else.
///
/// A counted tree holds the sections. A section begins after the rows of all sections before it.
/// With a limit or offset the tree holds the order up to the last row needed, and the result is a
/// window of it. Index paths are always relative to the window. Outside of the window the order may
/// separate the rows of a section; then the tree has several elements with its key.
///
/// Copying costs O(1), and copies share their storage.
struct ResultsLayout: Sendable {
  /// The sections, in order. One of them can be empty only in an undivided result.
  private(set) var sections: CountedTree<SectionEntry>
  /// The rows of the result, as positions in the whole order.
  let window: Range<Int>
  /// The sections that have rows in the window, as positions in `sections`.
  let visibleSections: Range<Int>
  /// The totals; nil if the request has none. Set by the code that makes the layout.
  var totals: ResultTotals? {
    get { boxedTotals?.totals }
    set { boxedTotals = newValue.map { TotalsBox($0) } }
  }
  private var boxedTotals: TotalsBox?

  /// Keeps a layout without totals small: layouts are copied at each change.
  private final class TotalsBox: Sendable {
    let totals: ResultTotals
    init(_ totals: ResultTotals) { self.totals = totals }
  }

  /// Complexity: O(log n).
  init(sections: CountedTree<SectionEntry>, window: RowWindow = .all) {
    self.sections = sections
    let rowCount = sections.weight
    self.window = window.range(of: rowCount)
    let (lower, upper) = (self.window.lowerBound, self.window.upperBound)
    if lower == 0, upper == rowCount {
      visibleSections = 0..<sections.count
    } else if self.window.isEmpty {
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

  var sectionCount: Int { visibleSections.count }
}

extension ResultsLayout {
  /// Replaces the key of a section, which is a position in the whole order, by an equal one.
  mutating func respell(_ section: Int, as key: KeyTuple) {
    sections.update(at: section) { $0 = SectionEntry(key: key, rowCount: $0.rowCount) }
  }

  /// A section, with the number of rows it has in the window.
  ///
  /// Complexity: O(log n).
  func section(at section: Int) -> SectionEntry {
    var entry = sections[visibleSections.lowerBound + section]
    entry.rowCount = rows(inSection: section).count
    return entry
  }

  /// The totals of a section; empty if the request has none.
  ///
  /// Complexity: O(log n).
  func totals(ofSection section: Int) -> [Value] { totals?.sections[section].values ?? [] }

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
    let hidden =
      window.lowerBound == 0
      ? 0 : max(0, window.lowerBound - sections.weight(before: found.position))
    return (section, found.offsetInElement - hidden)
  }
}

// MARK: - Editing

/// Makes the layout of the next version from that of the last: removes and inserts rows, and with
/// them sections.
///
/// A row that is between two rows of another section divides it, and two parts between which no row is
/// left are joined. Which sections are torn is found at the end, when the window is known.
///
/// Complexity: O(log n) a row. A section that is inserted or emptied also costs O(emptied sections). See also
/// ``tornSection(of:)``.
struct ResultsLayoutEditor {
  private var sections: CountedTree<SectionEntry>
  private let comparator: TextComparator
  private let isDivided: Bool
  /// Whether the order guarantees that the rows of a section are adjacent.
  private let isContiguous: Bool
  /// The sections without rows, ascending. They may still get rows, and are removed at the end if
  /// not.
  private var empty: [Int] = []
  /// The keys of ``empty``, normalized, and of sections that have rows again.
  private var emptyKeys: Set<KeyTuple> = []
  /// Whether the result may be a part of the order.
  private let isWindow: Bool
  /// The keys of the sections that were inserted, divided or got rows again: only these can be there twice, if
  /// all rows are shown.
  private var begun: SectionKeys
  /// The totals; nil if there are none, or if they are those of a window.
  private var totals: ResultTotals?

  /// - Parameter isWindow: whether the result may be a part of the order.
  init(_ layout: ResultsLayout, _ sectioning: QueryPlan.Sectioning, isWindow: Bool = false) {
    sections = layout.sections
    totals = isWindow ? nil : layout.totals
    comparator = sectioning.comparator
    isDivided = !sectioning.isNone
    isContiguous = sectioning.isContiguous
    self.isWindow = isWindow
    begun = SectionKeys(comparator)
  }

  /// Removes the row at a position of the whole order.
  ///
  /// - Parameter arguments: what the totals were computed from in this row.
  mutating func remove(at position: Int, _ arguments: [TotalArgument] = []) {
    let section = isDivided ? sections.position(containingWeight: position).position : 0
    sections.update(at: section) { $0.rowCount -= 1 }
    totals?.move(arguments, by: -1, inSection: section)
    if sections[section].rowCount == 0, isDivided {
      empty.insert(section, at: empty.partitionPoint { $0 < section })
      emptyKeys.insert(comparator.normalized(sections[section].comparedKey))
    }
  }

  /// Inserts a row at a position of the whole order.
  ///
  /// Rows must be inserted by ascending position, after all removals.
  ///
  /// - Parameter arguments: what the totals are computed from in this row.
  mutating func insert(
    at position: Int, sectionKey: KeyTuple?, _ arguments: [TotalArgument] = []
  ) {
    guard isDivided else {
      sections.update(at: 0) { $0.rowCount += 1 }
      totals?.move(arguments, by: 1, inSection: 0)
      return
    }
    let sectionKey = sectionKey ?? KeyTuple([.null])
    let before = position > 0 ? sections.position(containingWeight: position - 1).position : nil
    let after =
      position < sections.weight ? sections.position(containingWeight: position).position : nil
    if let section = section(with: sectionKey, from: before, to: after) {
      sections.update(at: section) { $0.rowCount += 1 }
      totals?.move(arguments, by: 1, inSection: section)
      if let index = empty.firstIndex(of: section) {
        empty.remove(at: index)
        if !isContiguous { begun.insert(sectionKey) }
      }
      return
    }
    let section = before.map { $0 + 1 } ?? 0
    if let before, before == after { divide(before, at: position) }
    insertSection(SectionEntry(key: sectionKey, rowCount: 1), at: section)
    totals?.move(arguments, by: 1, inSection: section)
    if !isContiguous { begun.insert(sectionKey) }
  }

  private mutating func insertSection(_ entry: SectionEntry, at section: Int) {
    sections.insert(entry, at: section)
    totals?.insertSection(at: section)
    for index in empty.indices where empty[index] >= section { empty[index] += 1 }
  }

  /// Divides a section at a position inside it. The rows from there on are the next section, with the same key.
  private mutating func divide(_ section: Int, at position: Int) {
    let entry = sections[section]
    let rowCount = position - sections.weight(before: section)
    sections.update(at: section) { $0.rowCount = rowCount }
    insertSection(
      SectionEntry(key: entry.key, rowCount: entry.rowCount - rowCount), at: section + 1)
    begun.insert(entry.comparedKey)
  }

  /// Returns the layout, without the sections that have no rows. Some totals may have to be read from
  /// the database.
  mutating func finish(_ window: RowWindow) -> ResultsLayout {
    while let section = empty.popLast() {
      sections.remove(at: section)
      totals?.sections.remove(at: section)
      if empty.last != section - 1 { joinSections(at: section) }
    }
    var layout = ResultsLayout(sections: sections, window: window)
    layout.totals = totals
    return layout
  }

  /// Joins the sections on both sides of a gap if they have the same key. Only beyond a window there are such.
  private mutating func joinSections(at gap: Int) {
    guard !isContiguous, gap > 0, gap < sections.count,
      isKey(sections[gap].comparedKey, ofSectionAt: gap - 1)
    else { return }
    let rowCount = sections.remove(at: gap).rowCount
    sections.update(at: gap - 1) { $0.rowCount += rowCount }
    totals?.sections.remove(at: gap)
  }

  /// The first section that is shown and whose key another one before it has, as a position in the whole
  /// order; nil if no section is torn.
  ///
  /// Complexity: O(s log s) for s sections in a window. Else O(s) if a section was inserted, divided or
  /// got rows again; if none was, O(1).
  ///
  /// - Parameter layout: the layout that ``finish(_:)`` has returned.
  func tornSection(of layout: ResultsLayout) -> Int? {
    let isLimited = isWindow && !isContiguous
    guard isDivided, isLimited || !begun.isEmpty else { return nil }
    let sections = isLimited ? layout.visibleSections : 0..<layout.sections.count
    var seen = SectionKeys(comparator)
    for (section, entry) in zip(sections, layout.sections.elements(from: sections.lowerBound))
    where isLimited || begun.contains(entry.comparedKey) {
      if !seen.insert(entry.comparedKey) { return section }
    }
    return nil
  }

  /// The section with a key: the one before a row, one in between that is now empty, or the one after
  /// the row.
  private func section(with key: KeyTuple, from before: Int?, to after: Int?) -> Int? {
    guard !sections.isEmpty else { return nil }
    let (first, last) = (before ?? 0, max(before ?? 0, after ?? sections.count - 1))
    // Otherwise each new section would be compared with each that is empty.
    if !empty.isEmpty, comparator.isCustom || emptyKeys.contains(comparator.normalized(key)) {
      return (first...last).first { isKey(key, ofSectionAt: $0) }
    }
    if isKey(key, ofSectionAt: first) { return first }
    return last != first && isKey(key, ofSectionAt: last) ? last : nil
  }

  private func isKey(_ key: KeyTuple, ofSectionAt section: Int) -> Bool {
    comparator.isSame(key, sections[section].comparedKey)
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
