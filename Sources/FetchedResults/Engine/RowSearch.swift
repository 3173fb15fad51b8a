internal import SQLiteStorage
internal import TableData

/// Finds positions in the order of a result, of which the index holds the identities alone: how a
/// row sorts is asked for.
///
/// The way down the tree asks about the first rows of leaves, which are remembered. Only the last
/// step, inside of a leaf, would ask about rows that nobody has asked about before, each on a page of
/// its own in the file; so that one is made otherwise where that can be done.
///
/// A class, because copying its parts for each comparison would cost as much as the comparison.
///
/// Not Sendable: it is used inside the read of a snapshot.
final class RowSearch<Key: RowKey> {
  private let order: SortOrder
  private let precedingRows: RowsFromPlace?
  private let connection: Connection
  private let sortKeys: SortKeys<Key>
  private let probe: Statement
  private let firstOpen: Int

  /// - Parameters:
  ///   - version: one with the plan that orders the rows.
  ///   - sortKeys: those of the version that `connection` sees.
  init(
    _ version: ResultsVersion<Key>, in connection: Connection, _ sortKeys: SortKeys<Key>
  ) throws {
    order = version.plan.order
    precedingRows = version.plan.precedingRows
    self.connection = connection
    self.sortKeys = sortKeys
    (probe, firstOpen) = try connection.statement(
      for: version.plan.probe, parameters: version.plan.parameters,
      openCount: version.plan.key.count)
  }

  /// Ends the runs of the statements.
  func finish() { probe.reset() }

  /// The position of a row that is among `rows`.
  ///
  /// Complexity: O(log n).
  func position(of key: Key, sortedBy sortKey: KeyTuple, in rows: CountedTree<Key>) throws -> Int {
    let leaf = try rows.leaf { try compare($0, sortKey) <= 0 }
    if let position = leaf.position(of: key) { return position }
    // Only an order of the application's own that contradicts itself leads elsewhere.
    return try rows.partitionPoint { try compare($0, sortKey) < 0 }
  }

  /// The position that a row gets among `rows`, which it is not one of.
  ///
  /// Complexity: O(log n).
  func insertionPosition(of sortKey: KeyTuple, in rows: CountedTree<Key>) throws -> Int {
    let leaf = try rows.leaf { try compare($0, sortKey) < 0 }
    if let position = try positionOfPrecedingRow(sortKey, in: leaf) { return position + 1 }
    return try leaf.partitionPoint { try compare($0, sortKey) < 0 }
  }

  /// The position of the row before a place, where it is in `leaf`.
  ///
  /// - Returns: nil also where rows stand between that the request leaves out, and they are many: they
  ///   seldom are.
  private func positionOfPrecedingRow(
    _ sortKey: KeyTuple, in leaf: CountedTree<Key>.Leaf
  ) throws -> Int? {
    guard let precedingRows else { return nil }
    var position: Int?
    var passed = 0
    try precedingRows.forEach(from: sortKey, in: connection, [:]) { row in
      position = Key(row, columns: precedingRows.key).flatMap { leaf.position(of: $0) }
      passed += 1
      return position == nil && passed < 8
    }
    return position
  }

  /// The values a row is sorted by; nil where it is not in the result.
  func sortKey(of key: Key) throws -> KeyTuple? {
    try sortKeys.sortKey(of: key) {
      probe.reset()
      try key.bind(to: probe, from: firstOpen)
      guard try probe.step() else { return nil }
      return KeyTuple(packing: probe.currentRow, columns: 0..<order.terms.count)
    }
  }

  private func compare(_ key: Key, _ sortKey: KeyTuple) throws -> Int {
    guard let known = try self.sortKey(of: key) else { throw FetchError.vanishedRow(key.identity) }
    return order.compare(known, sortKey)
  }
}
