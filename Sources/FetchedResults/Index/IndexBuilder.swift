internal import CountedTrees
internal import SQLiteStorage

/// The index of a version of a result: its rows in order, and their sections.
///
/// Copying costs O(1), and copies share their storage.
struct ResultsIndex: Sendable {
  /// The rows. With a limit or offset these are the rows of the whole order, up to the last one
  /// needed.
  var rows: RowOrder
  /// The sections, and the window of the order that is the result.
  let layout: ResultsLayout
  /// Whether the rows are the whole order, so that the index can be advanced to another version.
  var isWhole = true
  /// Whether the section of a row is that of the row before it, since its key cannot be computed.
  var hasRowsWithoutSection = false
}

/// Where the index finds what it needs in the rows of a query.
struct IndexedColumns {
  let key: Range<Int>
  /// The column of the section key. A computed one is computed from the first columns.
  let section: Int
  let totals: Range<Int>
  /// The columns of a sort key that is remembered; nil for none.
  var sortKey: Range<Int>?

  /// The columns of ``QueryPlan/scan``.
  static func scan(_ plan: QueryPlan) -> IndexedColumns {
    IndexedColumns(
      key: plan.parts.scanKeyColumns, section: 0, totals: plan.parts.scanTotals,
      sortKey: plan.statements.scannedSortKey)
  }

  /// The columns of ``RequestParts/observationOfAll``.
  static func observation(_ plan: QueryPlan) -> IndexedColumns {
    IndexedColumns(
      key: plan.statements.observedKey, section: plan.statements.observedSortKey.upperBound,
      totals: plan.statements.observedTotals,
      sortKey: plan.statements.scannedSortKey == nil ? nil : plan.statements.observedSortKey)
  }
}

/// The rows of an index, as they are read in order.
struct IndexedRows {
  /// Where the section of a row is read from.
  private enum SectionSource {
    case none
    case column(Int)
    case computed((borrowing RowView) -> Value?)
  }

  private let plan: QueryPlan
  private let columns: IndexedColumns
  private let sortKeys: SortKeyCache?
  private let sectionSource: SectionSource
  private let isTotalled: Bool
  /// The positions of the rows that are shown.
  private let window: Range<Int>
  private var rows: RowOrder.Builder
  private var grouper: SectionGrouper
  private var totals: ResultTotals.Builder
  private var hasRowsWithoutSection = false
  var count: Int { rows.count }

  /// - Parameters:
  ///   - window: the positions of the rows that are shown.
  ///   - sortKeys: the cache of the version, which gets the sort keys that the rows have; nil for none.
  init(
    _ plan: QueryPlan, _ columns: IndexedColumns, window: Range<Int>,
    sortKeys: SortKeyCache? = nil
  ) {
    self.plan = plan
    self.columns = columns
    self.sortKeys = columns.sortKey == nil ? nil : sortKeys
    sectionSource =
      switch plan.parts.sectioning {
      case .none: .none
      case .sql: .column(columns.section)
      case .computed(_, let section): .computed(section)
      }
    isTotalled = !plan.parts.totals.terms.isEmpty
    self.window = window
    rows = RowOrder.Builder(plan.followingRows == nil ? nil : plan.parts.chunkPolicy)
    grouper = SectionGrouper(plan.parts.sectioning, window: window)
    totals = ResultTotals.Builder(plan.parts.totals.terms, from: columns.totals.lowerBound)
  }

  /// Adds the next row.
  ///
  /// - Returns: false if its section is that of the row before it, since its own key cannot be computed.
  @inline(__always) @discardableResult
  mutating func add(_ row: borrowing RowView) throws -> Bool {
    try add(row, as: RowKey(row, columns: columns.key))
  }

  /// Adds the next row, as ``add(_:)`` does, with a key that is not read from it.
  @inline(__always)
  mutating func add(_ row: borrowing RowView, as key: RowKey) throws -> Bool {
    let torn: KeyTuple?
    var hasSection = true
    switch sectionSource {
    case .none: torn = nil
    case .column(let column): torn = grouper.add(row, column: column)
    case .computed(let section):
      let value = section(row)
      torn = grouper.add(value)
      if value == nil { (hasSection, hasRowsWithoutSection) = (false, true) }
    }
    if let torn { throw FetchError.tornSection(torn, row: key.identity, rows.last?.identity) }
    if isTotalled, window.contains(rows.count) {
      totals.add(row, section: grouper.sectionCount)
    }
    if let sortKeys, let columns = columns.sortKey, plan.isExact(row, from: columns.lowerBound) {
      sortKeys[key] = KeyTuple(packing: row, columns: columns).trimmed
    }
    rows.append(key)
    return hasSection
  }

  /// Returns the index. No row may be added afterwards.
  ///
  /// - Parameters:
  ///   - connection: a connection that sees the version.
  ///   - isWhole: whether all rows were added.
  mutating func finish(in connection: Connection, isWhole: Bool = true) throws -> ResultsIndex {
    let count = rows.count
    let rowOrder = try rows.finish { try plan.sortKey(of: $0, in: connection) }
    // Rows are read by their keys later, so one of two rows with the same key would be shown twice.
    // A scan in the order of an SQL index has already read the rows by their keys.
    let isIndexed = plan.precedingRows != nil && !plan.parts.terms.isEmpty
    if case .keys(let keys) = rowOrder {
      if plan.isPacked || plan.isFirstScreen {
        try plan.refuseDuplicates(among: keys)
      } else if plan.parts.isKeyUnique, !isIndexed, let key = keys.repeatedKey() {
        throw FetchError.damagedKey(key.identity, columns: plan.parts.key)
      }
    }
    if case .keys(.keys(let keys)) = rowOrder, try connection.storesUTF16(),
      let key = keys.elements().first(where: \.hasLoneSurrogate)
    {
      throw FetchError.loneSurrogate(in: key.identity, columns: plan.parts.key)
    }
    let undividedRowCount: Int? = if case .none = sectionSource { count } else { nil }
    var layout = ResultsLayout(
      sections: grouper.finish(undividedRowCount: undividedRowCount), window: plan.parts.window)
    if isTotalled {
      var totals = totals.finish(sectionCount: layout.sectionCount)
      try TotalsReader(plan, in: connection).complete(&totals, of: layout)
      layout.totals = totals
    }
    return ResultsIndex(
      rows: rowOrder, layout: layout, isWhole: isWhole, hasRowsWithoutSection: hasRowsWithoutSection
    )
  }
}

extension ResultsIndex {
  /// Builds the index of a result in one ordered scan.
  ///
  /// Complexity: O(n) with an SQL index that has the order, O(n log n) without.
  ///
  /// - Parameters:
  ///   - connection: a connection that sees the version to read.
  ///   - isTracked: whether the index is advanced to later versions. Then it also needs the order
  ///     beyond the window.
  ///   - sortKeys: the cache of the version, which gets the sort keys that the scan has.
  static func scanning(
    _ plan: QueryPlan, in connection: Connection, isTracked: Bool,
    sortKeys: SortKeyCache = SortKeyCache()
  ) throws -> ResultsIndex {
    try plan.refuseDuplicates(in: connection)
    let window = try plan.window(in: connection)
    var rows = IndexedRows(plan, .scan(plan), window: window, sortKeys: sortKeys)
    let statement = try plan.statement(for: plan.statements.scan, in: connection)
    defer { statement.reset() }
    let end = isTracked ? Int.max : window.upperBound
    let row = statement.currentRow
    while rows.count < end, try statement.step() { try rows.add(row) }
    return try rows.finish(in: connection, isWhole: rows.count < end)
  }
}

extension QueryPlan {
  /// The sort key of a row, which must be in the result.
  fileprivate func sortKey(of key: RowKey, in connection: Connection) throws -> KeyTuple {
    let (statement, firstUnbound) = try statement(ofRow: statements.probe, in: connection)
    defer { statement.reset() }
    try key.bind(to: statement, from: firstUnbound)
    guard try statement.step() else { throw FetchError.vanishedRow(key.identity) }
    return KeyTuple(packing: statement.currentRow, columns: statements.probedSortKey)
  }

  /// Throws if two rows have the same key and the schema does not exclude it. The keys of packed rows are looked at when
  /// all are read, and those of a first screen when it is: to look at all would take as long as to fetch all.
  func refuseDuplicates(in connection: Connection) throws {
    guard !isPacked, !isFirstScreen, !parts.isKeyUnique || parts.isKeyNullable else { return }
    let statement = try statement(for: parts.duplicates, in: connection)
    try statement.forEachRow { row in
      let tuple = KeyTuple(packing: row, columns: 0..<parts.key.count)
      throw FetchError.duplicateKey(RowIdentity(key: tuple), columns: parts.key)
    }
  }

  /// Throws if two of the keys of the rows that were read are equal under their collations.
  fileprivate func refuseDuplicates(among keys: KeyList) throws {
    guard !isWithoutKey, let key = keys.repeatedKey(in: keyOrder) else { return }
    let isExcluded = parts.isKeyUnique && !key.hasNull
    throw isExcluded
      ? FetchError.damagedKey(key.identity, columns: parts.key)
      : FetchError.duplicateKey(key.identity, columns: parts.key)
  }
}
