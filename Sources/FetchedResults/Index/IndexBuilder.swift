internal import SQLiteStorage

/// An index of integers has met a key that is not an integer. The caller builds the index again
/// with keys of any kind.
struct NonIntegerKeyError: Error {}

/// The index of a version of a result: its rows in order, and their sections.
///
/// Copying costs O(1), and copies share their storage.
struct ResultsIndex<Key: RowKey>: Sendable {
  /// The rows. With a limit or offset these are the rows of the whole order, up to the last one
  /// needed.
  let rows: RowOrder<Key>
  /// The sections, and the window of the order that is the result.
  let layout: ResultsLayout
  /// Whether the rows are the whole order, so that the index can be advanced to another version.
  var isWhole = true
}

/// Builds the index of a result in one ordered scan.
struct IndexBuilder<Key: RowKey> {
  /// Where the section of a row is read from.
  private enum SectionSource {
    case none
    case firstColumn
    case computed((borrowing RowView) throws -> Value)
  }

  private let plan: QueryPlan
  private let connection: Connection
  private let isTracked: Bool
  private let keyColumns: Range<Int>
  private let sectionSource: SectionSource

  /// - Parameters:
  ///   - connection: a connection that sees the version to read.
  ///   - isTracked: whether the index is advanced to later versions. Then it also needs the order
  ///     beyond the window.
  init(_ plan: QueryPlan, in connection: Connection, isTracked: Bool) {
    self.plan = plan
    self.connection = connection
    self.isTracked = isTracked
    keyColumns = plan.parts.scanKeyColumns
    sectionSource =
      switch plan.sectioning {
      case .none: .none
      case .sql: .firstColumn
      case .computed(let section): .computed(section)
      }
  }

  /// Scans the result.
  ///
  /// Complexity: O(n) with an SQL index that has the order, O(n log n) without.
  ///
  /// - Throws: `FetchError` of code `.invalidKey` or `.tornSection`, ``NonIntegerKeyError``, and
  ///   `DatabaseError`.
  @specialized(where Key == Int64)
  func build() throws -> ResultsIndex<Key> {
    if !plan.isKeyUnique || plan.parts.isKeyNullable { try refuseDuplicates() }
    var rows = RowOrder<Key>.Builder(plan.followingRows == nil ? nil : plan.parts.chunkPolicy)
    var grouper = SectionGrouper<Key>(plan.sectioning)
    let isTotalled = !plan.totals.isEmpty
    var totals = ResultTotals.Builder(plan.totals, columns: plan.parts.scanTotals)
    var last: Key?
    let (statement, _) = try connection.statement(for: plan.scan, parameters: plan.parameters)
    defer { statement.reset() }
    // The limit may be Int.max, which means all rows.
    let (offset, limit) = (plan.parts.offset, plan.parts.limit)
    let end = isTracked ? Int.max : limit.map { min(offset, Int.max - $0) + $0 } ?? Int.max
    let row = statement.currentRow
    while rows.count < end, try statement.step() {
      let key = try key(of: row)
      switch sectionSource {
      case .none: break
      case .firstColumn: try grouper.add(row, column: 0, key: key, after: last)
      case .computed(let section): try grouper.add(try section(row), key: key, after: last)
      }
      if isTotalled, rows.count >= offset, rows.count - offset < limit ?? .max {
        totals.add(row, section: grouper.sectionCount)
      }
      rows.append(key)
      last = key
    }
    let count = rows.count
    let rowOrder = try rows.finish(sortKey)
    // Rows are read by their keys later, so one of two rows with the same key would be shown twice.
    // A scan in the order of an SQL index has already read the rows by their keys.
    let isIndexed = plan.precedingRows != nil && !plan.parts.terms.isEmpty
    if plan.isKeyUnique, !isIndexed, case .identities(let identities) = rowOrder,
      let key = identities.repeatedKey()
    {
      throw FetchError.damagedKey(key.identity, columns: plan.key)
    }
    let undividedRowCount: Int? = if case .none = sectionSource { count } else { nil }
    var layout = ResultsLayout(
      sections: grouper.finish(undividedRowCount: undividedRowCount), offset: offset, limit: limit)
    if isTotalled {
      var totals = totals.finish(sectionCount: layout.sectionCount)
      try TotalsReader(plan, in: connection).complete(&totals, of: layout)
      layout.totals = totals
    }
    return ResultsIndex(rows: rowOrder, layout: layout, isWhole: count < end)
  }

  private func sortKey(of key: Key) throws -> KeyTuple {
    let (statement, firstUnbound) = try connection.statement(
      for: plan.probe, parameters: plan.parameters, unboundCount: plan.key.count)
    defer { statement.reset() }
    try key.bind(to: statement, from: firstUnbound)
    guard try statement.step() else { throw FetchError.vanishedRow(key.identity) }
    return KeyTuple(packing: statement.currentRow, columns: plan.probedSortKey)
  }

  private func key(of row: borrowing RowView) throws -> Key {
    guard let key = Key(row, columns: keyColumns) else { throw NonIntegerKeyError() }
    return key
  }

  private func refuseDuplicates() throws {
    let (statement, _) = try connection.statement(
      for: plan.parts.duplicates, parameters: plan.parameters)
    try statement.forEachRow { row in
      let tuple = KeyTuple(packing: row, columns: 0..<plan.key.count)
      throw FetchError.duplicateKey(tuple.identity, columns: plan.key)
    }
  }
}
