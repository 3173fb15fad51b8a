internal import SQLiteStorage

/// Finds positions in an order of keys. It looks up the sort keys of the rows it compares with.
///
/// The way down the tree compares with the first rows of leaves, whose sort keys are cached. The
/// last step, inside a leaf, would compare with rows that are not cached, each on another page of
/// the file. If possible, that step finds the row by its key or by a keyset query instead.
///
/// A class, because copying its parts for each comparison would cost as much as the comparison.
///
/// Not Sendable: it is used inside the read of a snapshot.
final class RowSearch {
  private let plan: QueryPlan
  private let order: SortOrder
  private let precedingRows: KeysetQuery?
  private let connection: Connection
  private let sortKeys: SortKeyCache
  private let probe: Statement
  private let firstUnbound: Int
  /// Whether the sort key of a row is its key, which need not be looked up.
  private let isSortedByKey: Bool

  /// - Parameters:
  ///   - version: a version with the plan that orders the rows.
  ///   - sortKeys: the cached sort keys of the version that `connection` sees.
  init(
    _ version: ResultsVersion, in connection: Connection, _ sortKeys: SortKeyCache
  ) throws {
    plan = version.plan
    order = version.plan.order
    precedingRows = version.plan.precedingRows
    self.connection = connection
    self.sortKeys = sortKeys
    isSortedByKey = version.plan.parts.terms.isEmpty
    (probe, firstUnbound) = try plan.statement(
      ofRow: plan.statements.probe, in: connection)
  }

  /// Resets the statement.
  func finish() { probe.reset() }

  /// The position of a row that is in `rows`.
  ///
  /// Complexity: O(log n).
  func position(of key: RowKey, sortedBy sortKey: KeyTuple, in rows: KeyList) throws -> Int {
    let leaf = try rows.leaf { try compare($0, sortKey) <= 0 }
    if let position = leaf.position(of: key) { return position }
    // Only reached if a custom collation contradicts itself.
    return try leaf.partitionPoint { try compare($0, sortKey) < 0 }
  }

  /// The position at which a row is inserted in `rows`, which does not contain it.
  ///
  /// Complexity: O(log n).
  func insertionPosition(of sortKey: KeyTuple, in rows: KeyList) throws -> Int {
    let leaf = try rows.leaf { try compare($0, sortKey) < 0 }
    if let position = try positionOfPrecedingRow(sortKey, in: leaf) { return position + 1 }
    return try leaf.partitionPoint { try compare($0, sortKey) < 0 }
  }

  /// The position of the row before a sort key, if it is in `leaf`.
  ///
  /// - Returns: nil also if many rows in between do not meet the request's conditions, which is
  ///   rare.
  private func positionOfPrecedingRow(
    _ sortKey: KeyTuple, in leaf: KeyList.Leaf
  ) throws -> Int? {
    guard let precedingRows else { return nil }
    var position: Int?
    var passed = 0
    try precedingRows.forEach(from: sortKey, in: connection) { row in
      position = leaf.position(of: RowKey(row, columns: precedingRows.key))
      passed += 1
      return position == nil && passed < 8
    }
    return position
  }

  /// The sort key of a row; nil if the row is not in the result.
  func sortKey(of key: RowKey) throws -> KeyTuple? {
    // Reading it would evaluate a group.
    if plan.maintenance.held != nil, plan.parts.terms.isEmpty { return key.tuple }
    return try sortKeys.value(of: key) {
      probe.reset()
      try key.bind(to: probe, from: firstUnbound)
      guard try probe.step(), isProbed(key) else { return nil }
      try plan.checkExactness(of: probe.currentRow, from: plan.statements.probedSortKey.lowerBound)
      return KeyTuple(packing: probe.currentRow, columns: plan.statements.probedSortKey)
    }
  }

  /// Whether the row that was found has this key. Under a collation or an affinity SQL finds rows with
  /// other keys too.
  private func isProbed(_ key: RowKey) -> Bool {
    RowKey(probe.currentRow, columns: plan.statements.probedSortKey.suffix(plan.parts.key.count))
      == key
  }

  private func compare(_ key: RowKey, _ sortKey: KeyTuple) throws -> Int {
    if isSortedByKey { return order.compare(key.tuple, sortKey) }
    guard let known = try self.sortKey(of: key) else { throw FetchError.vanishedRow(key.identity) }
    return order.compare(known, sortKey)
  }
}
