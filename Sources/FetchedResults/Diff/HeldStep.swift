internal import SQLiteStorage

/// Moves the held aggregates of a result from one version to the next, by what the touched rows
/// added to their groups before and add to them now.
///
/// A group that is not held is evaluated first, in the old version. So a step costs O(1) for each
/// touched row and for each extreme that is deleted, except for groups that were not touched lately.
///
/// Not returned if it fails: then what was held of the old version is dropped, and evaluated again.
struct HeldStep {
  /// What a joined row adds to its group.
  private struct Contribution: Equatable {
    let key: RowKey
    let arguments: [TotalArgument]
    /// Whether a value of the key is REAL.
    let hasReal: Bool
  }

  private let queries: HeldQueries
  /// The rows of the groups that may differ, in the old version and in the new one.
  private var rows: [RowKey: (old: HeldGroup.Content, new: HeldGroup.Content)] = [:]
  /// What is held of the new version.
  private(set) var groups: HeldGroups

  /// The keys of the rows that may differ.
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
    if touchedCount > limit { limit = max(limit, groups.rowCount / 60) }
    guard touchedCount <= limit,
      var old = try contributions(tasks, in: version.snapshot, limit: limit),
      var new = try contributions(tasks, in: snapshot, limit: limit)
    else { return nil }
    for (row, contribution) in new where old[row] == contribution {
      old[row] = nil
      new[row] = nil
    }
    let keys = Set(old.values.map(\.key)).union(new.values.map(\.key))
    try version.snapshot.read { connection in
      for key in keys {
        let group = try groups[key] ?? queries.group(of: key, in: connection)
        groups[key] = group
        rows[key] = (group.row(queries), .unknown)
      }
    }
    move(old.values, new.values)
    try snapshot.read { connection in
      for key in keys {
        guard var group = groups[key] else { continue }
        for term in group.missingExtremes {
          group.setExtreme(try queries.extreme(term, ofGroup: key, in: connection), of: term)
          groups[key] = group
        }
        rows[key]?.new = group.row(queries)
      }
    }
    for (key, row) in rows where row.old == row.new && row.old != .unknown { rows[key] = nil }
  }

  /// The row of a group in the old version and in the new one.
  func row(of key: RowKey) -> (old: HeldGroup.Content, new: HeldGroup.Content) {
    rows[key] ?? (.unknown, .unknown)
  }

  private mutating func move(
    _ old: some Sequence<Contribution>, _ new: some Sequence<Contribution>
  ) {
    for contribution in old {
      groups[contribution.key]?.remove(contribution.arguments, queries)
    }
    for contribution in new {
      guard !contribution.hasReal else {
        groups[contribution.key] = .inexact
        continue
      }
      groups[contribution.key]?.add(contribution.arguments, queries)
    }
  }

  /// What the joined rows that contain a touched row add to their groups, by what identifies them.
  ///
  /// - Returns: nil if there are more than the limit.
  private func contributions(
    _ tasks: [TouchedKeys.Task], in snapshot: Snapshot, limit: Int
  ) throws -> [KeyTuple: Contribution]? {
    try snapshot.read { connection in
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
              hasReal: zip(queries.key, queries.keyTypes).contains {
                $1 == nil && row.storageClass(at: $0) == .real
              })
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
