internal import SQLiteStorage

/// Finds the difference between two versions by reading both completely, in order, side by side. It
/// does not need to know what was written.
///
/// Complexity: O(n) time; memory for the new index and for the rows that differ.
struct MergeEngine<Key: RowKey> {
  private let old: ResultsVersion<Key>
  private let new: ResultSource

  /// - Parameters:
  ///   - old: the version to start from.
  ///   - new: the version to advance to. Its plan has the same order and key.
  init(from old: ResultsVersion<Key>, to new: ResultSource) {
    self.old = old
    self.new = new
  }

  /// Advances to the new version.
  ///
  /// - Throws: `FetchError` of code `.tornSection` or `.invalidKey`, ``NonIntegerKeyError``, and
  ///   `DatabaseError`.
  func advance() throws -> (ResultsVersion<Key>, RowDifference<Key>) {
    try old.snapshot.read(with: new.snapshot) { oldConnection, newConnection in
      let index = try IndexBuilder<Key>(new.plan, in: newConnection, isTracked: true).build()
      return (ResultsVersion(new, index), try difference(oldConnection, newConnection))
    }
  }

  private func difference(
    _ oldConnection: Connection, _ newConnection: Connection
  ) throws -> RowDifference<Key> {
    var old = try OrderedRows<Key>(self.old.plan, oldConnection)
    var new = try OrderedRows<Key>(self.new.plan, newConnection)
    defer {
      old.finish()
      new.finish()
    }
    let order = self.new.plan.order
    var difference = RowDifference<Key>()
    while old.isAtRow || new.isAtRow {
      if old.isAtRow, new.isAtRow {
        if old.statement.currentRow.isIdentical(to: new.statement.currentRow) {
          try old.advance()
          try new.advance()
          continue
        }
      }
      let step = try OrderedRows.compare(old, new, order)
      if step <= 0 {
        difference.old.append(try old.row())
        try old.advance()
      }
      if step >= 0 {
        difference.new.append(try new.row())
        try new.advance()
      }
    }
    return difference
  }
}

/// A cursor over the rows of one version, in order.
private struct OrderedRows<Key: RowKey> {
  let statement: Statement
  private let plan: QueryPlan
  private var position = 0
  private(set) var isAtRow: Bool

  init(_ plan: QueryPlan, _ connection: Connection) throws {
    self.plan = plan
    // Not shared: both cursors may be on one connection.
    (statement, _) = try connection.statement(
      for: plan.parts.observationOfAll, parameters: plan.parameters, isShared: false)
    isAtRow = try statement.step()
  }

  mutating func advance() throws {
    position += 1
    isAtRow = try statement.step()
  }

  func row() throws -> RowDifference<Key>.Row {
    guard let key = Key(statement.currentRow, columns: plan.observedKey) else {
      throw NonIntegerKeyError()
    }
    return RowDifference.Row(key: key, position: position)
  }

  func finish() { statement.reset() }

  /// Negative, 0 or positive, if the old row sorts before the new one, the same, or after it.
  static func compare(_ old: OrderedRows, _ new: OrderedRows, _ order: SortOrder) throws -> Int {
    guard old.isAtRow else { return 1 }
    guard new.isAtRow else { return -1 }
    return order.compare(old.sortKey, new.sortKey)
  }

  private var sortKey: KeyTuple {
    KeyTuple(packing: statement.currentRow, columns: plan.observedSortKey)
  }
}
