public import SQLiteStorage

/// The records of a request, each read when the caller asks for it, and the sections in which they are.
///
/// Memory does not grow with the number of records.
///
/// Not Sendable: it belongs to the owner of its connection, and must not be used after the closure that
/// received the connection has returned.
public final class RecordCursor<Record: Sendable> {
  /// What the cursor has found.
  private enum Place {
    /// The next row was not looked at yet.
    case unread
    /// A row of the current section, which was not returned yet.
    case row
    /// The first row of the next section.
    case nextSection
    case end
  }

  private let statement: Statement
  private let description: RecordDescription<Record>
  private let sections: Sections
  // Of `sections`: to take a copy of it for each row would count many references.
  private let isDivided: Bool
  private let column: Int?
  private let comparator: TextComparator
  private var place = Place.unread
  /// The number of rows that were read.
  private var count = 0
  /// The key of the section of the row that was read last; nil before the first one, and in a result that is not divided.
  private var key: KeyTuple?
  /// The section to which the caller has moved. Its key is nil where there is none.
  private var section = SectionEntry(key: nil, rowCount: 0)
  /// The keys of the sections so far, if the order does not begin with the key.
  private var seen: SectionKeys
  /// The first rows of a result that is divided in Swift, none of which can be decoded. They were read to find a row with a
  /// key, whose section is theirs.
  private var leading: ArraySlice<Result<Record, any Error>> = []
  /// Whether no row has followed them.
  private var hasOnlyLeading = false
  /// Whether the cursor has moved to the only section of a result that is not divided.
  private var isInOnlySection = false

  /// How the rows are divided.
  struct Sections {
    var sectioning = QueryPlan.Sectioning.none
    /// The column of the key; nil if SQL does not compute it.
    var column: Int?
    var title: (@Sendable (Value) -> String?)?
  }

  init(
    _ statement: Statement, _ description: RecordDescription<Record>, _ sections: Sections
  ) {
    self.statement = statement
    self.description = description
    self.sections = sections
    isDivided = !sections.sectioning.isNone
    column = sections.column
    comparator = sections.sectioning.comparator
    seen = SectionKeys(comparator)
  }

  /// Returns the next record of the section; nil at its end, and after SQLite has failed. Without sections, of all
  /// records. If a record cannot be decoded the call throws, and the next call continues after it.
  ///
  /// - Throws: `DatabaseError`, with code `.typeMismatch` if a record cannot be decoded or its `init(from:)` throws; what
  ///   the closure of its description throws; `FetchError` with code `.tornSection`.
  public func next() throws -> Record? {
    if place == .unread { try step() }
    guard place == .row else { return nil }
    if let first = leading.popFirst() {
      if leading.isEmpty, hasOnlyLeading { place = .end }
      return try first.get()
    }
    place = .unread
    return try statement.record(description, count: count)
  }

  /// Moves to the next section. What is left of the one before is skipped.
  ///
  /// A result that is not divided has one section, with or without records. There the call may be left out.
  ///
  /// - Returns: false if there is no other section.
  /// - Throws: `DatabaseError`; `FetchError` with code `.tornSection` if the order separates records of one section.
  public func nextSection() throws -> Bool {
    if !isDivided, !isInOnlySection {
      isInOnlySection = true
      return true
    }
    while place == .unread || place == .row { try step() }
    let isFound = place == .nextSection
    section = SectionEntry(key: isFound ? key : nil, rowCount: 0)
    if isFound { place = .row }
    return isFound
  }

  /// The value that the records of the section have in common, as the first of them has it; nil in a result that is not
  /// divided, before the first call of ``nextSection()``, and at the end.
  public var sectionKey: Value? { section.value }

  /// The name of the section, as a list shows it; nil where ``sectionKey`` is.
  public var sectionName: String? { section.name(sections.title) }

  private func step() throws {
    // Also if the step throws: stepping again would run the statement from its beginning.
    place = .end
    leading = []
    if hasOnlyLeading { return }
    guard try statement.step() else { return }
    count += 1
    guard isDivided else {
      place = .row
      return
    }
    let row = statement.currentRow
    if let column {
      if let key, row.isEqual(at: column, to: key, comparator) {
        place = .row
      } else {
        try begin(KeyTuple(packing: row, columns: column..<(column + 1), isExact: true))
      }
    } else if case .computed(_, let section) = sections.sectioning {
      // The error of a record that cannot be decoded is thrown where it is read.
      let next = section(row).map { KeyTuple([$0], isExact: true) }
      if let key, next.map({ comparator.isSame(key, $0) }) ?? true {
        place = .row
      } else {
        try begin(next ?? firstKey(section) ?? KeyTuple([.null]))
      }
    }
  }

  /// Reads on from the first row, which has no key, until one has.
  ///
  /// - Returns: its key; nil if there is none.
  private func firstKey(_ section: (borrowing RowView) -> Value?) throws -> KeyTuple? {
    while true {
      leading.append(Result { try statement.record(description, count: count) })
      guard try statement.step() else {
        hasOnlyLeading = true
        return nil
      }
      count += 1
      if let key = section(statement.currentRow) { return KeyTuple([key], isExact: true) }
    }
  }

  private func begin(_ next: KeyTuple) throws {
    if !sections.sectioning.isContiguous, !seen.insert(next) {
      throw FetchError.tornSection(next, "row \(count) belongs to it, but the row before does not")
    }
    key = next
    place = .nextSection
  }
}
