internal import LiveQueries
public import SQLiteStorage
public import SectionedData

// A request read once, in sections, in the version that the connection sees.
extension Connection {
  /// Returns the records of a request in sections, each read when the caller asks for it. SQLite reads them in one ordered
  /// query.
  ///
  /// ```swift
  /// try database.read { connection in
  ///   let tracks = try connection.fetchCursor(Track.all.sorted(by: \.name), sectionedBy: \.genre)
  ///   while try tracks.nextSection() {
  ///     print(tracks.sectionName ?? "")
  ///     while let track = try tracks.next() { print("  \(track.name)") }
  ///   }
  /// }
  /// ```
  ///
  /// Use `fetchSections(_:sectionedBy:)` to know the number of records in a section before they are read.
  ///
  /// Do not write to the table of the records while a cursor reads it: SQLite does not define which
  /// rows it then returns.
  ///
  /// Complexity: O(1) memory. SQLite sorts, if no index has the order.
  ///
  /// - Parameter sectionKey: the key that divides the records; nil for one section.
  /// - Throws: `FetchError` if the request does not fit the schema, and `DatabaseError`.
  public func fetchCursor<Record>(
    _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?
  ) throws -> RecordCursor<Record> {
    let parts = try parts(of: request, sectionedBy: sectionKey)
    let (sql, key) = parts.sectionedRecords
    let (statement, _) = try statement(for: sql, parameters: request.parameters, isShared: false)
    return RecordCursor(
      statement, request.description.reading(parts.columns.count, of: statement),
      .init(sectioning: parts.sectioning, column: key, title: parts.sectionTitle))
  }

  /// Returns the sections of a request in order, with the number of their records and their totals. No record is read.
  ///
  /// ```swift
  /// let request = Track.all.totals(.sum(\.milliseconds))
  /// let genres = try database.read { try $0.fetchSections(request, sectionedBy: \.genre) }
  /// ```
  ///
  /// Complexity: O(sections) memory. For many sections, use `fetchSectionCursor(_:sectionedBy:)`.
  ///
  /// - Parameter sectionKey: the key that divides the records; nil for one section.
  /// - Throws: `FetchError` if the request does not fit the schema, with code `.computedProperty` if the key is a property
  ///   that is computed in Swift, `.tornSection` if the order separates the records of a section, and `.totalOverflow` if
  ///   SQLite cannot add integers; `DatabaseError`.
  public func fetchSections<Record>(
    _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws -> [CountedSection<Record>] {
    let cursor = try fetchSectionCursor(request, sectionedBy: sectionKey)
    var sections: [CountedSection<Record>] = []
    while let section = try cursor.next() { sections.append(section) }
    return sections
  }

  /// Returns the sections of a request as `fetchSections(_:sectionedBy:)` does, each read when the caller asks for it.
  ///
  /// - Throws: the same as `fetchSections(_:sectionedBy:)`.
  public func fetchSectionCursor<Record>(
    _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws -> SectionCursor<Record> {
    let parts = try parts(of: request, sectionedBy: sectionKey)
    if case .computed = parts.sectioning {
      throw FetchError(
        .computedProperty,
        "the section key is not stored in a column, so SQL cannot count its sections",
        nextStep: "Count the records of fetchCursor(_:sectionedBy:)")
    }
    return try SectionCursor(parts, request.totals, in: self)
  }

  /// Returns the totals of all records of a request.
  ///
  /// - Parameter sectionKey: the key that divides the records. With a limit or an offset, the order of the sections
  ///   decides which records there are.
  /// - Throws: the same as `fetchSections(_:sectionedBy:)`, but the key may be computed.
  public func fetchTotals<Record>(
    _ request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws -> SectionTotals<Record> {
    let parts = try parts(of: request, sectionedBy: sectionKey)
    let cursor = try SectionCursor(parts, request.totals, isDivided: false, in: self)
    return try cursor.next()?.totals ?? SectionTotals([], of: [])
  }

  /// The SQL of a request whose parameters all have values.
  private func parts<Record>(
    of request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?
  ) throws -> RequestParts {
    let compiler = try compiler(of: request, sectionedBy: sectionKey)
    let parts = try compiler.parts().parts
    try compiler.checkParameters(of: parts.scan)
    return parts
  }
}

// MARK: - Sections of a property

// Shorter forms of `SectionKey.property(_:)`.
extension Connection {
  /// Returns the records of a request in one section for each value of a property, each read when the caller asks for it.
  ///
  /// Complexity and errors: as for a `SectionKey`.
  public func fetchCursor<Record, Key: ColumnValue>(
    _ request: FetchRequest<Record>, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable
  ) throws -> RecordCursor<Record> {
    try fetchCursor(request, sectionedBy: .property(keyPath))
  }

  /// Returns the sections of a request, one for each value of a property, with the number of their records and their
  /// totals.
  ///
  /// Complexity and errors: as for a `SectionKey`.
  public func fetchSections<Record, Key: ColumnValue>(
    _ request: FetchRequest<Record>, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable
  ) throws -> [CountedSection<Record>] {
    try fetchSections(request, sectionedBy: .property(keyPath))
  }

  /// Returns the sections of a request, one for each value of a property, each read when the caller asks for it.
  ///
  /// Complexity and errors: as for a `SectionKey`.
  public func fetchSectionCursor<Record, Key: ColumnValue>(
    _ request: FetchRequest<Record>, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable
  ) throws -> SectionCursor<Record> {
    try fetchSectionCursor(request, sectionedBy: .property(keyPath))
  }

  /// Returns the totals of all records of a request, whose order begins with a property.
  ///
  /// Complexity and errors: as for a `SectionKey`.
  public func fetchTotals<Record, Key: ColumnValue>(
    _ request: FetchRequest<Record>, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable
  ) throws -> SectionTotals<Record> {
    try fetchTotals(request, sectionedBy: .property(keyPath))
  }
}

/// A section of a request that is read once.
///
/// Sendable: a plain value.
public struct CountedSection<Record>: Hashable, Sendable {
  /// The value that the records of the section have in common; nil if the result is not divided. Of several that the
  /// collation takes for equal it is any.
  public let key: Value?
  /// The name, as a list shows it, the index title, and the number of records.
  public let info: SectionInfo
  /// The totals of the section.
  public let totals: SectionTotals<Record>
}

/// The sections of a request, each read when the caller asks for it.
///
/// Memory does not grow with the number of sections.
///
/// Not Sendable: it belongs to the owner of its connection, and must not be used after the closure that
/// received the connection has returned.
public final class SectionCursor<Record> {
  private let parts: RequestParts
  private let requestedTotals: [SectionTotal<Record>]
  /// Whether the sections are counted, and not all rows together.
  private let isDivided: Bool
  private let connection: Connection
  private let statement: Statement
  private var isAtEnd = false

  init(
    _ parts: RequestParts, _ totals: [SectionTotal<Record>], isDivided: Bool = true,
    in connection: Connection
  ) throws {
    self.parts = parts
    requestedTotals = totals
    self.isDivided = isDivided && !parts.sectioning.isNone
    self.connection = connection
    (statement, _) = try connection.statement(
      for: parts.sectionCounts(with: parts.totals.terms, isDivided: isDivided),
      parameters: parts.parameters,
      isShared: false)
  }

  /// Returns the next section; nil at the end, and after an error.
  ///
  /// - Throws: `DatabaseError`; `FetchError` with code `.tornSection` or `.totalOverflow`.
  public func next() throws -> CountedSection<Record>? {
    guard !isAtEnd else { return nil }
    // Also if the step throws: stepping again would run the statement from its beginning.
    isAtEnd = true
    do {
      guard try statement.step() else { return nil }
    } catch let error as DatabaseError where error.isAboutValues {
      throw try overflow() ?? error
    }
    isAtEnd = false
    return try section(statement.currentRow)
  }

  private func section(_ row: borrowing RowView) throws -> CountedSection<Record> {
    let column = isDivided ? 1 : 0
    let count = Int(row.int64(at: column))
    let values = (1..<(parts.totals.terms.count + 1)).map { row.value(at: column + $0) }
    let totals = SectionTotals(values, of: requestedTotals)
    guard isDivided else {
      return CountedSection(
        key: nil, info: SectionInfo(name: nil, numberOfRows: count), totals: totals)
    }
    let key = KeyTuple(packing: row, columns: 0..<1, isExact: true)
    if !parts.sectioning.isContiguous, Int(row.int64(at: row.count - 1)) != count {
      isAtEnd = true
      throw FetchError.tornSection(key, "rows of other sections are between them")
    }
    let entry = SectionEntry(key: key, rowCount: count)
    return CountedSection(
      key: entry.value,
      info: SectionInfo(name: entry.name(parts.sectionTitle), numberOfRows: count), totals: totals)
  }

  /// The error for the sum that SQLite cannot add, since its own does not say what it is about; nil if there is none.
  ///
  /// - Throws: the error of a value that a total is computed from.
  private func overflow() throws -> FetchError? {
    try run(parts.allTotalArguments)
    for term in parts.totals.terms where term.function == .sum {
      do {
        try run(parts.sectionCounts(with: [term], isDivided: isDivided))
      } catch let error as DatabaseError where error.isAboutValues {
        return .totalOverflow(term.name)
      }
    }
    return nil
  }

  private func run(_ sql: BoundSQL) throws {
    try connection.statement(for: sql, parameters: parts.parameters, isShared: false).statement
      .forEachRow { _ in }
  }
}

extension RecordDescription {
  /// The same description for a statement that has other columns after those of the record. A ``Row`` would have them
  /// too.
  fileprivate func reading(_ columnCount: Int, of statement: Statement) -> RecordDescription {
    let names = statement.columnNames.names
    guard let rows = self as? RecordDescription<Row>, columnCount < names.count else { return self }
    let own = ColumnNames(Array(names.prefix(columnCount)))
    return Row.description(rows, onlyReading: own) as? RecordDescription ?? self
  }
}
