internal import SQLiteStorage

/// What one version of a result has of a row: its sort key and its section's key.
struct ObservedRow: Sendable {
  let sortKey: KeyTuple
  /// The section's key; nil if the result is not divided into sections, or the key cannot be computed.
  let sectionKey: KeyTuple?
  /// What the totals are computed from.
  var totalArguments: [TotalArgument] = []
}

extension QueryPlan {
  /// What is observed of one row; nil if the key is not in the result.
  func observe(_ key: RowKey, in connection: Connection) throws -> ObservedRow? {
    let (statement, firstUnbound) = try statement(ofRow: statements.observation, in: connection)
    defer { statement.reset() }
    try key.bind(to: statement, from: firstUnbound)
    return try statement.step() ? try observe(statement.currentRow) : nil
  }

  /// Reads the columns of ``observation``.
  func observe(_ row: borrowing RowView) throws -> ObservedRow {
    let observed = statements.observedSortKey
    let column = observed.upperBound
    let sectionKey: KeyTuple? =
      switch parts.sectioning {
      case .none: nil
      case .sql: KeyTuple(packing: row, columns: column..<(column + 1), isExact: true)
      case .computed(_, let key): key(row).map { KeyTuple([$0], isExact: true) }
      }
    let sortKey = KeyTuple(packing: row, columns: observed)
    try checkExactness(of: row, from: observed.lowerBound)
    return ObservedRow(
      sortKey: sortKey, sectionKey: sectionKey,
      totalArguments: parts.totals.terms.isEmpty
        ? [] : [TotalArgument](row, columns: statements.observedTotals))
  }
}
