internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// Groups rows into sections as they are read in order. A row either continues the section of the
/// previous row or begins a new one, whose key must not have been used before.
struct SectionGrouper {
  private let comparator: TextComparator
  private let isContiguous: Bool
  private var sections = CountedTree<SectionEntry>.Builder()
  /// The number of sections so far.
  private(set) var sectionCount = 0
  private var current: (key: KeyTuple, rowCount: Int)?
  /// The keys of all sections so far in ascending order, if the order of the rows does not
  /// guarantee that the rows of a section are adjacent. Not a set, since collations compare but do
  /// not hash.
  private var seen = CountedTree<KeyTuple>()

  init(_ sectioning: QueryPlan.Sectioning) {
    comparator = sectioning.comparator
    isContiguous = sectioning.isContiguous
  }

  /// Adds a row whose section key is in a column.
  ///
  /// - Returns: the section key, if its section has ended already; else nil.
  mutating func add(_ row: borrowing RowView, column: Int) -> KeyTuple? {
    if let current, row.isEqual(at: column, to: current.key, comparator) {
      self.current?.rowCount += 1
      return nil
    }
    return begin(KeyTuple(packing: row, columns: column..<(column + 1), isExact: true))
  }

  /// Adds a row whose section key is computed.
  ///
  /// - Returns: the section key, if its section has ended already; else nil.
  mutating func add(_ value: Value) -> KeyTuple? {
    let sectionKey = KeyTuple([value], isExact: true)
    if let current, comparator.isSame(current.key, sectionKey) {
      self.current?.rowCount += 1
      return nil
    }
    return begin(sectionKey)
  }

  /// Returns the sections.
  ///
  /// - Parameter rowCount: the number of rows of an undivided result; nil for a divided
  ///   one.
  mutating func finish(undividedRowCount rowCount: Int?) -> CountedTree<SectionEntry> {
    end()
    if let rowCount { sections.append(SectionEntry(key: nil, rowCount: rowCount)) }
    return sections.finish()
  }

  private mutating func begin(_ sectionKey: KeyTuple) -> KeyTuple? {
    end()
    if !isContiguous, !remember(sectionKey) { return sectionKey }
    current = (sectionKey, 1)
    sectionCount += 1
    return nil
  }

  /// Stores the key of a section. Returns false if it was used before.
  private mutating func remember(_ sectionKey: KeyTuple) -> Bool {
    let ascending = SortOrder(terms: [
      SortOrder.Term(comparator: comparator, isDescending: false, areNullsFirst: true)
    ])
    let position = seen.partitionPoint { ascending.compare($0, sectionKey) < 0 }
    if position < seen.count, ascending.compare(seen[position], sectionKey) == 0 { return false }
    seen.insert(sectionKey, at: position)
    return true
  }

  private mutating func end() {
    guard let current else { return }
    sections.append(SectionEntry(key: current.key, rowCount: current.rowCount))
    self.current = nil
  }
}

extension RowView {
  /// Whether a column equals the single value of `tuple`, without copying it.
  fileprivate func isEqual(
    at column: Int, to tuple: KeyTuple, _ comparator: TextComparator
  ) -> Bool {
    tuple.withReader { reader in
      guard let other = reader.next() else { return false }
      // The same bytes are equal under any collation, and nearly all rows have the same bytes.
      if case .text(let bytes) = other, isText(bytes, at: column) { return true }
      return withComponent(at: column) { SortOrder.compare($0, other, comparator) == 0 }
    }
  }
}

extension KeyTuple: CountedElement {
  var weight: Int { 1 }
}
