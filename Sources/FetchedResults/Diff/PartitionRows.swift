internal import SQLiteStorage

/// The rows of partitions in two versions. A window function of one row is computed from its whole
/// partition, so a partition with several rows that may differ is read once in each version.
struct PartitionRows {
  private typealias Side = [RowKey: (row: KeyTuple, observed: ObservedRow)]

  private var old: Side = [:]
  private var new: Side = [:]
  /// The keys whose partitions were read.
  private var known: Set<RowKey> = []

  /// Reads the partitions that more than one of some keys are in.
  ///
  /// - Throws: `FetchError` with code `.invalidKey` if two rows have the same key, and `DatabaseError`.
  init(
    of keys: Set<RowKey>, _ plan: QueryPlan, _ oldConnection: Connection,
    _ newConnection: Connection
  ) throws {
    // Rows that are equal in both versions must not be looked at if their order is not exact.
    guard let (columns, query) = plan.maintenance.partition, keys.count > 1,
      plan.maintenance.inexactTerms.isEmpty
    else { return }
    let partitions = Dictionary(grouping: keys) { $0.tuple.selecting(columns) }
    for (partition, keys) in partitions where keys.count > 1 {
      known.formUnion(keys)
      try PartitionRows.read(partition, query, plan, of: Set(keys), in: oldConnection, &old)
      try PartitionRows.read(partition, query, plan, of: Set(keys), in: newConnection, &new)
    }
  }

  private static func read(
    _ partition: KeyTuple, _ query: NumberedQuery, _ plan: QueryPlan, of keys: Set<RowKey>,
    in connection: Connection, _ rows: inout Side
  ) throws {
    let (statement, firstUnbound) = try query.statement(
      in: connection, unboundCount: partition.values.count)
    try partition.bind(to: statement, from: firstUnbound)
    let count = plan.statements.observedTotals.upperBound
    try statement.forEachRow { row in
      let key = RowKey(row, columns: plan.statements.observedKey)
      guard keys.contains(key) else { return }
      let stored = KeyTuple(packing: row, columns: 0..<count, isExact: true)
      guard rows.updateValue((stored, try plan.observe(row)), forKey: key) == nil else {
        throw FetchError.duplicateKey(key.identity, columns: plan.parts.key)
      }
    }
  }

  /// The row in both versions, as ``RowComparison/difference(at:)`` returns it.
  ///
  /// - Parameter compare: called if the partition of the row was not read.
  func difference(
    at key: RowKey, else compare: () throws -> (old: ObservedRow?, new: ObservedRow?)?
  ) rethrows -> (old: ObservedRow?, new: ObservedRow?)? {
    guard known.contains(key) else { return try compare() }
    let (old, new) = (old[key], new[key])
    return old?.row == new?.row ? nil : (old?.observed, new?.observed)
  }
}
