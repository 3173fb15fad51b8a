internal import SQLiteStorage

/// Finds the difference between two versions by reading both completely, in order, side by side. It
/// does not need to know what was written. Each version is read once, and the index of the new one is
/// made of the same rows. Neither is packed in memory.
///
/// Complexity: O(n) time; memory for the new index and for the rows that differ.
struct MergeEngine {
  private let old: ResultsVersion

  init(from old: ResultsVersion) { self.old = old }

  /// Advances to a new version.
  ///
  /// - Parameter new: where its rows are read from. Its plan has the same order and key.
  func advance(to new: ResultSource) throws -> (ResultsVersion, RowDifference) {
    try old.snapshot.readAll(with: new.snapshot) { oldConnection, newConnection in
      try new.plan.refuseDuplicates(in: newConnection)
      let sortKeys = SortKeyCache()
      var rows = IndexedRows(
        new.plan, .observation(new.plan), window: try new.plan.window(in: newConnection),
        sortKeys: sortKeys)
      let difference = try self.difference(
        OrderedRows(old.plan, oldConnection), OrderedRows(new.plan, newConnection), &rows)
      let index = try rows.finish(in: newConnection)
      return (ResultsVersion(new, index, sortKeys: sortKeys), difference)
    }
  }

  private func difference(
    _ old: OrderedRows, _ new: OrderedRows, _ rows: inout IndexedRows
  ) throws -> RowDifference {
    var (old, new) = (old, new)
    defer {
      old.finish()
      new.finish()
    }
    let oldRow = old.statement.currentRow
    let newRow = new.statement.currentRow
    let order = new.plan.order
    let columns = 0..<new.plan.statements.observedTotals.upperBound
    var difference = RowDifference()
    while true {
      while old.isAtRow, new.isAtRow, oldRow.isIdentical(to: newRow, in: columns) {
        if try !rows.add(newRow) {
          // It is in the section of the row before it, which may differ.
          difference.old.append(old.row())
          difference.new.append(new.row())
          difference.alike.insert(new.row().key)
        }
        try old.advance()
        try new.advance()
      }
      guard old.isAtRow || new.isAtRow else { return difference }
      let step = OrderedRows.compare(old, new, order)
      if step <= 0 {
        difference.old.append(old.row())
        try old.advance()
      }
      if step >= 0 {
        difference.new.append(new.row())
        try rows.add(newRow)
        try new.advance()
      }
    }
  }
}

/// A cursor over the rows of one version, in order.
private struct OrderedRows {
  let statement: Statement
  let plan: QueryPlan
  private var position = 0
  private(set) var isAtRow: Bool

  init(_ plan: QueryPlan, _ connection: Connection) throws {
    self.plan = plan
    // Not shared: both cursors may be on one connection.
    statement = try plan.statement(
      for: plan.parts.observationOfAll, in: connection, isShared: false)
    isAtRow = try statement.step()
  }

  @inline(__always)
  mutating func advance() throws {
    position += 1
    isAtRow = try statement.step()
  }

  func row() -> RowDifference.KeyPosition {
    RowDifference.KeyPosition(
      key: RowKey(statement.currentRow, columns: plan.statements.observedKey), position: position)
  }

  func finish() { statement.reset() }

  /// Negative, 0 or positive, if the old row sorts before the new one, the same, or after it.
  static func compare(_ old: OrderedRows, _ new: OrderedRows, _ order: SortOrder) -> Int {
    guard old.isAtRow else { return 1 }
    guard new.isAtRow else { return -1 }
    return order.compare(old.sortKey, new.sortKey)
  }

  private var sortKey: KeyTuple {
    KeyTuple(packing: statement.currentRow, columns: plan.statements.observedSortKey)
  }
}
