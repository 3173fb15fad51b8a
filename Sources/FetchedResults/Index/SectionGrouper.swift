internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// Groups rows into sections as they are read in order. A row either continues the section of the
/// previous row or begins a new one. In the window, its key must not have been used before.
///
/// A row whose key cannot be computed continues the section of the row before it. If there is no row before it,
/// it is in the section of the first row that has a key; if none up to the end of the window has, in that of `NULL`.
struct SectionGrouper {
  private let comparator: TextComparator
  private let isContiguous: Bool
  /// The positions of the rows that are shown: only they can tear a section.
  private let window: Range<Int>
  private var sections = CountedTree<SectionEntry>.Builder()
  /// The number of sections so far.
  private(set) var sectionCount = 0
  /// The current section. Its key is nil as long as none of its rows has one.
  private var current: (key: KeyTuple?, rowCount: Int)?
  /// The position of the first row of the current section.
  private var start = 0
  /// The keys of all sections so far that are shown, if the order of the rows does not guarantee that the
  /// rows of a section are adjacent.
  private var seen: SectionKeys

  /// - Parameter window: the positions of the rows that are shown.
  init(_ sectioning: QueryPlan.Sectioning, window: Range<Int>) {
    comparator = sectioning.comparator
    isContiguous = sectioning.isContiguous
    self.window = window
    seen = SectionKeys(comparator)
  }

  /// Adds a row whose section key is in a column.
  ///
  /// - Returns: the section key, if its section has ended already; else nil.
  mutating func add(_ row: borrowing RowView, column: Int) -> KeyTuple? {
    if let key = current?.key, row.isEqual(at: column, to: key, comparator) {
      self.current?.rowCount += 1
      return nil
    }
    return begin(KeyTuple(packing: row, columns: column..<(column + 1), isExact: true))
  }

  /// Adds a row whose section key is computed.
  ///
  /// - Parameter value: nil if it cannot be computed.
  /// - Returns: the section key, if its section has ended already; else nil.
  mutating func add(_ value: Value?) -> KeyTuple? {
    guard let value else {
      if current == nil {
        current = (nil, 0)
        sectionCount += 1
      }
      current?.rowCount += 1
      return nil
    }
    let sectionKey = KeyTuple([value], isExact: true)
    if let current, current.key == nil {
      self.current?.key =
        start + current.rowCount < window.upperBound ? sectionKey : SectionGrouper.null
      if !isContiguous, window.contains(start), let key = self.current?.key { seen.insert(key) }
    }
    if let key = current?.key, comparator.isSame(key, sectionKey) {
      current?.rowCount += 1
      return nil
    }
    return begin(sectionKey)
  }

  private static var null: KeyTuple { KeyTuple([.null]) }

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
    if !isContiguous, window.contains(start), !seen.insert(sectionKey) { return sectionKey }
    current = (sectionKey, 1)
    sectionCount += 1
    return nil
  }

  private mutating func end() {
    guard let current else { return }
    let key = current.key ?? SectionGrouper.null
    sections.append(SectionEntry(key: key, rowCount: current.rowCount))
    // The first section that is shown may begin before the window.
    let end = start + current.rowCount
    if !isContiguous, start < window.lowerBound, end > window.lowerBound {
      seen.insert(key)
    }
    start = end
    self.current = nil
  }
}

/// Keys of sections, in ascending order. Not a set, since collations compare but do not hash.
struct SectionKeys {
  private let order: SortOrder
  private var keys = CountedTree<KeyTuple>()

  init(_ comparator: TextComparator) {
    order = SortOrder(terms: [
      SortOrder.Term(comparator: comparator, isDescending: false, areNullsFirst: true)
    ])
  }

  var isEmpty: Bool { keys.isEmpty }

  /// Whether a key is among them. O(log n).
  func contains(_ key: KeyTuple) -> Bool { place(of: key).isFound }

  /// Adds a key. O(log n).
  ///
  /// - Returns: false if it is among them already.
  @discardableResult
  mutating func insert(_ key: KeyTuple) -> Bool {
    let (position, isFound) = place(of: key)
    guard !isFound else { return false }
    keys.insert(key, at: position)
    return true
  }

  private func place(of key: KeyTuple) -> (position: Int, isFound: Bool) {
    let position = keys.partitionPoint { order.compare($0, key) < 0 }
    return (position, position < keys.count && order.compare(keys[position], key) == 0)
  }
}

extension RowView {
  /// Whether a column equals the single value of `tuple`, without copying it.
  func isEqual(
    at column: Int, to tuple: KeyTuple, _ comparator: TextComparator
  ) -> Bool {
    tuple.withReader { reader in
      guard let other = reader.next() else { return false }
      // The same bytes are equal under any collation, and nearly all rows have the same bytes.
      if case .text(let bytes) = other, isText(bytes, at: column) { return true }
      return withContent(at: column) { SortOrder.compare($0, other, comparator) == 0 }
    }
  }
}

extension KeyTuple: CountedElement {
  var weight: Int { 1 }
}
