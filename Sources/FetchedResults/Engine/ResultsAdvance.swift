internal import SQLiteStorage
internal import TableData

/// Takes a result from the version it is at to the newest one.
struct ResultsAdvance<Key: RowKey>: Sendable {
  let version: ResultsVersion<Key>
  let cache: SortKeyCache<Key>
  /// The newest version of the database.
  let origin: Snapshot
  /// Where its rows are read from.
  let snapshot: Snapshot

  /// Goes by the way that is best for what was written in between.
  ///
  /// - Returns: the new version, and what differs.
  /// - Throws: `FetchError`, `DatabaseError`, and ``KeyIsNoInteger`` where the index can hold the
  ///   keys no longer.
  func run() throws -> (ResultsVersion<Key>, TableChanges) {
    guard case .touchedRows(let table, let locator) = version.plan.maintenance,
      version.index.isWhole,
      case .rows(let touched) = version.snapshot.changes(to: snapshot)
    else { return try compare() }
    guard let rows = touched.rows(of: table.name, in: table.schema) else {
      return (version.moved(to: snapshot), TableChanges())
    }
    guard let count = rows.count, count <= maximumTouchedCount,
      let keys = try keys(of: rows, in: table, by: locator)
    else { return try compare() }
    let (next, difference) = try DeltaEngine(
      from: version, to: snapshot, cache: cache
    ).advance(touching: keys)
    return (next, changes(difference, to: next))
  }

  /// Goes by comparing both versions, by a plan that may be for a newer schema.
  func compare(plan: QueryPlan? = nil) throws -> (ResultsVersion<Key>, TableChanges) {
    let (next, difference) = try MergeEngine(
      from: version, to: snapshot, plan: plan ?? version.plan
    ).advance()
    cache.forgetAll()
    let version = ResultsVersion(
      plan: next.plan, origin: origin, snapshot: snapshot, index: next.index)
    return (version, changes(difference, to: version))
  }

  private func changes(
    _ difference: RowDifference<Key>, to next: ResultsVersion<Key>
  ) -> TableChanges {
    TableChanges(
      difference, comparator: version.plan.sectioning.comparator, from: version.index,
      to: next.index)
  }

  /// Beyond one row in thirty, looking rows up one by one costs more than reading all in order.
  private var maximumTouchedCount: Int { max(64, version.index.rows.count / 30) }

  /// The keys that the touched rows have or had; nil where they cannot be told.
  private func keys(
    of rows: TouchedRows.Rows, in table: TableDescription, by locator: MaintenancePlan.Locator
  ) throws -> Set<Key>? {
    switch (rows, locator) {
    case (.rowIDs(let rowIDs), .rowID):
      if let keys = rowIDs as? Set<Key> { return keys }
      return Set(rowIDs.compactMap { Key(RowIdentity(.integer($0))) })
    case (.keys(let keys), .key):
      return Set(
        try keys.map { values in
          guard let key = Key(RowIdentity(values)) else { throw KeyIsNoInteger() }
          return key
        })
    case (.rowIDs(let rowIDs), .keyOfRowID(let name)):
      let columns = version.plan.key.map(\.quotedIdentifier).joined(separator: ", ")
      let sql = "SELECT \(columns) FROM \(version.plan.source.text) WHERE \(name) = ?"
      var keys: Set<Key> = []
      var isKeyMissing = false
      for snapshot in [version.snapshot, snapshot] {
        try snapshot.read { connection in
          for rowID in rowIDs {
            try connection.query(sql, [.integer(rowID)]) { row in
              if let key = Key(row, columns: 0..<row.count) {
                keys.insert(key)
                return
              }
              for column in 0..<row.count where row.isNull(at: column) {
                isKeyMissing = true
                return
              }
              throw KeyIsNoInteger()
            }
          }
        }
      }
      // A row without a key is an error, unless a condition leaves it out: the comparison tells.
      return isKeyMissing ? nil : keys
    default: return nil
    }
  }
}

extension ResultsVersion {
  /// The same rows in the same order, read from a snapshot in which none of them differs.
  fileprivate func moved(to snapshot: Snapshot) -> ResultsVersion {
    ResultsVersion(plan: plan, snapshot: snapshot, index: index)
  }
}
