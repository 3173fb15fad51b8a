internal import SQLiteStorage

/// Moves the held aggregates of a result from one version to the next, by what the touched rows
/// added to their groups before and add to them now.
///
/// A group that is not held is counted first, in the old version. So a step costs O(1) for each
/// touched row and for each extreme that is deleted, except for groups that were not touched lately.
///
/// Not returned if it fails: then what was held of the old version is dropped, and counted again.
struct HeldStep {
  /// What a joined row adds to its group.
  private struct Contribution: Equatable {
    let key: RowKey
    let arguments: [TotalArgument]
    /// The number of REALs that are in the way of all values of the group.
    let realCount: Int
  }

  private let queries: HeldQueries
  /// The rows of the groups that may differ, in the old version and in the new one.
  private var rows: [RowKey: (old: HeldRow, new: HeldRow)] = [:]
  /// What is held of the new version.
  let groups: HeldGroups

  var keys: Set<RowKey> { Set(rows.keys) }

  /// - Parameters:
  ///   - version: the old version. What it holds is taken from it.
  ///   - snapshot: the version to advance to.
  /// - Returns: nil if the touched rows are in so many joined rows that evaluating their groups costs
  ///   less. Then what was held is dropped.
  init?(
    from version: ResultsVersion, to snapshot: Snapshot, _ queries: HeldQueries,
    _ tasks: [TouchedKeys.Task]
  ) throws {
    self.queries = queries
    groups = version.takeHeldGroups()
    var touchedCount = 0
    for task in tasks {
      guard let count = task.rows.count else { return nil }
      touchedCount += count
    }
    var limit = max(1_000, version.layout.rowCount / 30)
    if touchedCount > limit {
      limit = max(limit, groups.all.values.reduce(0) { $0 + $1.rowCount } / 60)
    }
    guard touchedCount <= limit,
      var old = try contributions(tasks, in: version.snapshot, limit: limit),
      var new = try contributions(tasks, in: snapshot, limit: limit)
    else { return nil }
    for (row, contribution) in new where old[row] == contribution {
      old[row] = nil
      new[row] = nil
    }
    let moves = old.values.map { ($0, -1) } + new.values.map { ($0, 1) }
    try version.snapshot.read(with: snapshot) { oldConnection, newConnection in
      for (key, moves) in Dictionary(grouping: moves, by: { $0.0.key }) {
        var group = try groups.value(of: key) {
          try queries.group(of: key, in: oldConnection)
        }
        let oldRow = queries.row(group)
        for (contribution, sign) in moves {
          group?.move(
            contribution.arguments, realCount: contribution.realCount, by: sign, queries.terms)
        }
        try group?.complete { term, _ in
          try queries.extreme(term, ofGroup: key, in: newConnection)
        }
        groups[key] = group
        let newRow = queries.row(group)
        if oldRow != newRow || oldRow == .unknown { rows[key] = (oldRow, newRow) }
      }
    }
  }

  /// The row of a group in the old version and in the new one.
  func row(of key: RowKey) -> (old: HeldRow, new: HeldRow) {
    rows[key] ?? (.unknown, .unknown)
  }

  /// What the joined rows that contain a touched row add to their groups, by what identifies them.
  ///
  /// - Returns: nil if there are more than the limit.
  private func contributions(
    _ tasks: [TouchedKeys.Task], in snapshot: Snapshot, limit: Int
  ) throws -> [KeyTuple: Contribution]? {
    try snapshot.readAll { connection in
      var contributions: [KeyTuple: Contribution] = [:]
      for task in tasks {
        guard let query = task.finder.contribution else { return nil }
        let touched = KeyTuple.of(task.rows)
        let (statement, firstUnbound) = try query.statement(
          in: connection, unboundCount: task.finder.keyCount)
        defer { statement.reset() }
        let row = statement.currentRow
        for tuple in touched {
          statement.reset()
          try tuple.bind(to: statement, from: firstUnbound)
          while try statement.step() {
            guard contributions.count < limit else { return nil }
            contributions[KeyTuple(packing: row, columns: queries.rowKey)] = Contribution(
              key: RowKey(row, columns: queries.key),
              arguments: [TotalArgument](row, columns: queries.arguments),
              realCount: queries.inexact.count { row.storageClass(at: $0) == .real })
          }
        }
      }
      return contributions
    }
  }
}

extension RowFinder {
  /// The number of values that identify a touched row.
  fileprivate var keyCount: Int { table.isWithoutRowID ? table.key.count : 1 }
}
