internal import SQLiteStorage
internal import TableData

/// Takes a result from the version it is at to the newest one.
struct ResultsAdvance<Key: RowKey>: Sendable {
  let version: ResultsVersion<Key>
  /// The newest version of the database.
  let origin: Snapshot
  /// Where its rows are read from.
  let snapshot: Snapshot

  /// Goes by the way that is best for what was written in between.
  ///
  /// - Returns: the new version, what differs, and what has told it.
  /// - Throws: `FetchError`, `DatabaseError`, and ``KeyIsNoInteger`` where the index can hold the
  ///   keys no longer.
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
      // Beyond some share of all rows, looking for each place costs more than reading all in order.
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

  /// Goes by comparing both versions, by a plan that may be for a newer schema.
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

  /// The rows that differ in nothing but what they are sorted by.
  ///
  /// Complexity: O(k log n) where the request sorts by what it does not show; else there are none.
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
  /// The same rows in the same order, read from a snapshot in which none of them differs.
  fileprivate func moved(to snapshot: Snapshot) -> ResultsVersion {
    next(at: snapshot, index: index, sortKeys: takeSortKeys())
  }
}
