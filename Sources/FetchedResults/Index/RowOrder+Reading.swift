internal import SQLiteStorage
internal import TableData

extension RowOrder {
  /// The keys at some positions of the whole order.
  ///
  /// Complexity: O(log n + positions). Chunks also read rows, half a chunk of them.
  ///
  /// - Parameters:
  ///   - plan: the plan of the version with this order.
  ///   - connection: a connection that sees that version.
  /// - Throws: `FetchError` and `DatabaseError`; never if the order holds keys.
  @specialized(where Key == Int64)
  func keys(
    at positions: Range<Int>, _ plan: QueryPlan, in connection: Connection
  ) throws -> [Key] {
    switch self {
    case .identities(let identities): identities.elements(at: positions)
    case .chunks(let chunks): try ChunkSearch(chunks, plan, in: connection).keys(at: positions)
    }
  }

  /// The positions of some rows, ascending. Keys that are not in the order are left out.
  ///
  /// Complexity: O(n); for chunks, all rows are read.
  ///
  /// - Parameters: as for ``keys(at:_:in:)``.
  func places(
    of keys: Set<Key>, _ plan: QueryPlan, in connection: Connection
  ) throws -> [RowDifference<Key>.Row] {
    switch self {
    case .identities(let identities): identities.places(of: keys)
    case .chunks(let chunks): try ChunkSearch(chunks, plan, in: connection).places(of: keys)
    }
  }
}

extension CountedTree {
  /// The elements at some positions, which must be in range.
  ///
  /// Complexity: O(log n + positions).
  @specialized(where Element == Int64)
  func elements(at positions: Range<Int>) -> [Element] {
    Array(elements(from: positions.lowerBound).prefix(positions.count))
  }
}
