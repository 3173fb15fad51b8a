internal import SQLiteStorage

/// An index of integers has met a key that is not an integer. The caller builds the index again
/// with keys of any kind.
struct NonIntegerKeyError: Error {}

/// Builds the index of a result in one ordered scan.
struct IndexBuilder<Key: RowKey> {
  /// Where the section of a row is read from.
  private enum SectionSource {
    case none
    case firstColumn
    case computed((borrowing RowView) throws -> Value)
  }

  private let connection: Connection
  private let scan: BoundSQL
  /// The query for a key that two rows have; nil if the schema guarantees unique keys.
  private let duplicates: BoundSQL?
  private let parameters: [String: Value]
  private let key: [String]
  private let keyColumns: Range<Int>
  /// The query for the sort key of one row, by its key.
  private let probe: BoundSQL
  private let chunkPolicy: ChunkPolicy?
  private let sectionSource: SectionSource
  private let grouper: SectionGrouper<Key>
  private let offset: Int
  private let limit: Int?
  private let isTracked: Bool
  /// Whether the rows are read in the order of an SQL index.
  private let isIndexed: Bool

  /// - Parameters:
  ///   - connection: a connection that sees the version to read.
  ///   - isTracked: whether the index is advanced to later versions. Then it also needs the order
  ///     beyond the window.
  init(_ plan: QueryPlan, in connection: Connection, isTracked: Bool) {
    self.connection = connection
    scan = plan.scan
    duplicates = plan.isKeyUnique ? nil : plan.duplicates
    parameters = plan.parameters
    key = plan.key
    keyColumns = plan.scanKeyColumns
    probe = plan.probe
    chunkPolicy = plan.followingRows == nil ? nil : plan.chunkPolicy
    sectionSource =
      switch plan.sectioning {
      case .none: .none
      case .sql: .firstColumn
      case .computed(let section): .computed(section)
      }
    grouper = SectionGrouper(plan.sectioning)
    offset = plan.offset
    limit = plan.limit
    self.isTracked = isTracked
    isIndexed = plan.precedingRows != nil && !plan.terms.isEmpty
  }

  /// Scans the result.
  ///
  /// Complexity: O(n) with an SQL index that has the order, O(n log n) without.
  ///
  /// - Throws: `FetchError` of code `.invalidKey` or `.tornSection`, ``NonIntegerKeyError``, and
  ///   `DatabaseError`.
  @specialized(where Key == Int64)
  func build() throws -> ResultsIndex<Key> {
    if let duplicates { try refuse(duplicates) }
    var rows = RowOrder<Key>.Builder(chunkPolicy)
    var grouper = grouper
    var last: Key?
    let (statement, _) = try connection.statement(for: scan, parameters: parameters)
    defer { statement.reset() }
    // The limit may be Int.max, which means all rows.
    let end = isTracked ? Int.max : limit.map { min(offset, Int.max - $0) + $0 } ?? Int.max
    let row = statement.currentRow
    while rows.count < end, try statement.step() {
      let key = try key(of: row)
      switch sectionSource {
      case .none: break
      case .firstColumn: try grouper.add(row, column: 0, key: key, after: last)
      case .computed(let section): try grouper.add(try section(row), key: key, after: last)
      }
      rows.append(key)
      last = key
    }
    let count = rows.count
    let rowOrder = try rows.finish(sortKey)
    // Rows are read by their keys later, so one of two rows with the same key would be shown twice.
    // A scan in the order of an SQL index has already read the rows by their keys.
    if duplicates == nil, !isIndexed, case .identities(let identities) = rowOrder,
      let key = identities.repeatedKey()
    {
      throw FetchError.damagedKey(key.identity, columns: self.key)
    }
    let undividedRowCount: Int? = if case .none = sectionSource { count } else { nil }
    let layout = ResultsLayout(
      sections: grouper.finish(undividedRowCount: undividedRowCount), offset: offset, limit: limit)
    return ResultsIndex(rows: rowOrder, layout: layout, isWhole: count < end)
  }

  private func sortKey(of key: Key) throws -> KeyTuple {
    let (statement, firstUnbound) = try connection.statement(
      for: probe, parameters: parameters, unboundCount: self.key.count)
    defer { statement.reset() }
    try key.bind(to: statement, from: firstUnbound)
    guard try statement.step() else { throw FetchError.vanishedRow(key.identity) }
    let row = statement.currentRow
    return KeyTuple(packing: row, columns: 0..<row.count)
  }

  private func key(of row: borrowing RowView) throws -> Key {
    if let key = Key(row, columns: keyColumns) { return key }
    for column in keyColumns where row.isNull(at: column) {
      throw FetchError(
        .invalidKey, "a row has NULL in its key \(key.joined(separator: ", "))",
        nextStep: "Leave such rows out by a condition, or name another key")
    }
    throw NonIntegerKeyError()
  }

  private func refuse(_ duplicates: BoundSQL) throws {
    let (statement, _) = try connection.statement(for: duplicates, parameters: parameters)
    try statement.forEachRow { row in
      let tuple = KeyTuple(packing: row, columns: 0..<key.count)
      throw FetchError.duplicateKey(tuple.identity, columns: key)
    }
  }
}
