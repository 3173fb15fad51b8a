internal import SQLiteStorage
internal import TableData

/// Advances a result to the newest version of the database.
///
/// There are six ways, for a result of n rows:
///
/// 1. **Nothing touched**: no table of the result has touched rows, or ``EqualityFilter`` excludes
///    all of them. `ResultUpdater` keeps the index and takes the new snapshot.
/// 2. **Delta**, by ``DeltaEngine``: up to n/60 rows were touched, or up to 64.
/// 3. **Rescan of the order**, by ``RescanEngine``: more rows were touched, but up to n/2.
/// 4. **Comparison of both versions**, by ``MergeEngine``, which reads all rows of both. ``run()``
///    takes this way if ``MaintenancePlan`` requires it, if the index was cut at a limit, if the
///    touched rows are unknown or too many, if the ``RowFinder`` of a touched table has no query,
///    or if ``TouchedKeys`` would look up more than n/30 rows (and more than 64).
/// 5. **Content comparison**, by ``ContentComparison``: the rows have no key in either version, and
///    the columns are the same.
/// 6. **Reset**, by ``ResultLoader``, which fetches the result again.
///
/// ``ResultLoader`` decides first. If the version of the database is the same, it returns nil. If
/// the rows are read from the database and the schema is unchanged, ``run()`` decides between the
/// ways 1, 2, 3 and 4. Otherwise, for a copy or a changed schema, ``ResultLoader`` takes the first
/// possible way of 5, 4 and 6; way 4 requires comparable plans (``QueryPlan/isComparable(to:)``).
///
/// If an index of integers meets a key that is not an integer, ``NonIntegerKeyError`` is thrown. Then
/// ``ResultLoader`` fetches the old version with keys of any kind and starts again.
struct ResultUpdater<Key: RowKey>: Sendable {
  let version: ResultsVersion<Key>
  /// The newest version of the database.
  let origin: Snapshot
  /// Where the rows of the new version are read from: `origin`, or a copy.
  let snapshot: Snapshot

  /// Advances in the way that costs least for what was written in between.
  ///
  /// - Returns: the new version, the changes, and how the changed rows were detected.
  /// - Throws: `FetchError`, `DatabaseError`, and ``NonIntegerKeyError`` if the index cannot hold a new
  ///   key.
  @specialized(where Key == Int64)
  func run() throws -> (ResultsVersion<Key>, TableChanges, ChangeSource) {
    let finders: [RowFinder]
    switch version.plan.maintenance {
    case .touchedRows(let all): finders = all
    case .comparison(let reason): return try compare(because: reason)
    }
    guard version.index.isWhole else {
      return try compare(because: "the rows beyond the limit are not known")
    }
    let (told, teller) = version.snapshot.changesAndSource(to: snapshot)
    let source: ChangeSource = teller == .capture ? .capture : .pages
    let touched: TouchedRows
    switch told {
    case .unknown(let reason): return try compare(because: "\(reason)")
    case .rows(let rows): touched = rows
    }
    var tasks: [TouchedKeys<Key>.Task] = []
    for finder in finders {
      guard let rows = touched.rows(of: finder.table.name, in: finder.table.schema) else {
        continue
      }
      tasks.append((finder, rows))
    }
    let concernsNoRow =
      try tasks.isEmpty
      || version.plan.requiredValue?.excludes(tasks[0].rows, from: version.snapshot, and: snapshot)
        == true
    if concernsNoRow { return (version.moved(to: snapshot), TableChanges(), source) }
    for (finder, _) in tasks {
      if case .none(let reason) = finder.way { return try compare(because: reason) }
    }
    let rowCount = version.index.layout.rowCount
    let search = TouchedKeys(version: version, snapshot: snapshot, limit: max(64, rowCount / 30))
    guard let keys = try search.keys(tasks), keys.count <= max(64, rowCount / 2) else {
      return try compare(because: "so many rows were touched that reading all costs less")
    }
    let (next, difference) =
      // For a larger share of the rows, reading the whole order costs less than searching each
      // position.
      if keys.count <= max(64, rowCount / 60) {
        try DeltaEngine(from: version, to: snapshot).advance(touching: keys)
      } else {
        try RescanEngine(from: version, to: snapshot).advance(touching: keys)
      }
    return (next, try changes(difference, to: next), source)
  }

  private func compare(
    because reason: String
  ) throws -> (ResultsVersion<Key>, TableChanges, ChangeSource) {
    let (next, changes) = try compare()
    return (next, changes, .comparison(reason: reason))
  }

  /// Advances by comparing both versions. The plan may be for a newer schema.
  func compare(plan: QueryPlan? = nil) throws -> (ResultsVersion<Key>, TableChanges) {
    let (next, difference) = try MergeEngine(
      from: version, to: snapshot, plan: plan ?? version.plan
    ).advance()
    let version = ResultsVersion(
      plan: next.plan, origin: origin, snapshot: snapshot, index: next.index)
    return (version, try changes(difference, to: version))
  }

  private func changes(
    _ difference: RowDifference<Key>, to next: ResultsVersion<Key>
  ) throws -> TableChanges {
    if difference.isEmpty { return TableChanges() }
    var difference = difference
    difference.alike = try rowsThatShowTheSame(in: difference, next)
    return TableChanges(
      difference, comparator: version.plan.sectioning.comparator, from: version.index.layout,
      to: next.index.layout)
  }

  /// The rows that differ only in their sort key, so that they show the same.
  ///
  /// Complexity: O(k log n) if the request sorts by something that is not shown; else there are
  /// none.
  private func rowsThatShowTheSame(
    in difference: RowDifference<Key>, _ next: ResultsVersion<Key>
  ) throws -> Set<Key> {
    guard version.plan.sortsByWhatIsNotShown else { return [] }
    let (oldWindow, newWindow) = (version.index.layout.window, next.index.layout.window)
    var keys = Set(
      difference.old.lazy.filter { oldWindow.contains($0.position) }.map { $0.key })
    keys.formIntersection(
      difference.new.lazy.filter { newWindow.contains($0.position) }.map { $0.key })
    guard !keys.isEmpty else { return [] }
    return try version.snapshot.read(with: next.snapshot) { oldConnection, newConnection in
      let comparison = try RowComparison(of: version, and: next, oldConnection, newConnection)
      defer { comparison.finish() }
      return try keys.filter(comparison.showsTheSame)
    }
  }
}

extension ResultsVersion {
  /// The same rows in the same order, at a snapshot in which none of them differs.
  fileprivate func moved(to snapshot: Snapshot) -> ResultsVersion {
    next(at: snapshot, index: index, sortKeys: takeSortKeys())
  }
}
