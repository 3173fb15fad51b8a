internal import SQLiteStorage

/// Finds the difference between two versions by reading both completely, in order, side by side. It
/// does not need to know what was written. Each version is read once, and the index of the new one is
/// made of the same rows.
///
/// Complexity: O(n) time; memory for the new index and for the rows that differ.
struct MergeEngine {
  private let old: ResultsVersion

  /// - Parameter old: the version to start from.
  init(from old: ResultsVersion) { self.old = old }

  /// Advances to a new version.
  ///
  /// - Parameter new: where its rows are read from. Its plan has the same order and key.
  func advance(to new: ResultSource) throws -> (ResultsVersion, RowDifference) {
    try old.snapshot.read(with: new.snapshot) { oldConnection, newConnection in
      try new.plan.refuseDuplicates(in: newConnection)
      let sortKeys = SortKeyCache()
      var rows = IndexedRows(new.plan, .observation(new.plan), sortKeys: sortKeys)
      var noEditor: CopyEditor?
      let difference = try self.difference(
        OrderedRows(old.plan.parts.observationOfAll, old.plan, oldConnection),
        OrderedRows(new.plan.parts.observationOfAll, new.plan, newConnection), &rows,
        &noEditor)
      let index = try rows.finish(new.plan, in: newConnection)
      return (ResultsVersion(new, index, sortKeys: sortKeys), difference)
    }
  }

  /// Advances to a new version of a result that is read from a copy. The SELECT is read once, beside
  /// the copy, and the rows that differ are written into the copy.
  ///
  /// - Parameters:
  ///   - origin: the new version.
  ///   - plan: the plan of the request. It has the same order and key.
  ///   - connection: a connection that sees `origin`.
  /// - Returns: nil if the copy must be made again.
  func advanceCopy(
    to origin: Snapshot, _ plan: QueryPlan, in connection: Connection
  ) throws -> (ResultsVersion, RowDifference)? {
    var rows = IndexedRows(old.plan, .observation(plan))
    let edited = try old.source.editingCopy(to: origin) { observation, oldConnection, copyEditor in
      let old = try OrderedRows(observation, plan, oldConnection, isNumbered: true)
      let new = try OrderedRows(plan.parts.copied, plan, connection)
      if old.isAtRow { try copyEditor.begin(before: old.number) }
      var editor: CopyEditor? = copyEditor
      let difference = try self.difference(old, new, &rows, &editor)
      // A row with the key of another one would have replaced it.
      guard try copyEditor.rowCount() == rows.count else { throw CopyEditor.CopyError() }
      return difference
    }
    guard let (source, found) = edited else { return nil }
    return try source.snapshot.read { connection in
      try source.plan.refuseDuplicates(in: connection)
      return (ResultsVersion(source, try rows.finish(source.plan, in: connection)), found)
    }
  }

  /// - Parameter editor: writes the rows that differ into the copy that `old` reads; nil if it reads none.
  private func difference(
    _ old: OrderedRows, _ new: OrderedRows, _ rows: inout IndexedRows,
    _ editor: inout CopyEditor?
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
        if editor != nil { editor?.pass(oldRow.int64(at: columns.upperBound)) }
        try old.advance()
        try new.advance()
      }
      guard old.isAtRow || new.isAtRow else { return difference }
      let step = OrderedRows.compare(old, new, order)
      if step == 0 {
        try editor?.update(old.number, newRow)
      } else if step < 0 {
        try editor?.delete(old.number)
      } else {
        try editor?.insert(newRow, before: old.isAtRow ? old.number : nil)
      }
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
  private let numberColumn: Int
  private var position = 0
  private(set) var isAtRow: Bool

  /// - Parameters:
  ///   - query: its first columns are those that `plan` observes.
  ///   - isNumbered: whether they are followed by the number of the row.
  init(
    _ query: BoundSQL, _ plan: QueryPlan, _ connection: Connection, isNumbered: Bool = false
  ) throws {
    self.plan = plan
    numberColumn = plan.statements.observedTotals.upperBound
    // Not shared: both cursors may be on one connection.
    (statement, _) = try connection.statement(
      for: query, parameters: isNumbered ? [:] : plan.statements.parameters, isShared: false)
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

  /// The number of the row in the copy.
  var number: Int64 { statement.currentRow.int64(at: numberColumn) }

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
