internal import SQLiteStorage
internal import TableData

/// Fetches a result, and advances it from one version to the next.
struct ResultLoader<Record: Sendable>: Sendable {
  let database: Database
  let request: FetchRequest<Record>
  let sectionKey: SectionKey<Record>?

  /// Validates the request without fetching anything.
  ///
  /// - Throws: `FetchError` and `DatabaseError`.
  func validate() throws {
    try database.read { _ = try plan(in: $0) }
  }

  /// Fetches the newest version.
  ///
  /// - Parameter isTracked: whether the result is advanced to later versions.
  /// - Throws: `FetchError` and `DatabaseError`.
  func run(isTracked: Bool) throws -> ResultUpdate<Record> {
    try fetch(from: try database.snapshot(), isTracked: isTracked)
  }

  /// Fetches one version.
  ///
  /// - Parameters: as for ``run(isTracked:)``.
  /// - Throws: `FetchError` and `DatabaseError`.
  func fetch(from origin: Snapshot, isTracked: Bool) throws -> ResultUpdate<Record> {
    try fetch(from: try source(of: origin), of: origin, isTracked: isTracked)
  }

  private func fetch(
    from source: ResultSource, of origin: Snapshot, isTracked: Bool, numbersAfter used: Int64 = 0
  ) throws -> ResultUpdate<Record> {
    func content<Key: RowKey>(_ key: Key.Type) throws -> ResultUpdate<Record> {
      let version: ResultsVersion<Key> = try version(
        from: source, of: origin, isTracked: isTracked, numbersAfter: used)
      return ResultUpdate(version, request.description, changes: TableChanges())
    }
    if source.plan.key.count == 1 {
      do {
        return try content(Int64.self)
      } catch is NonIntegerKeyError {
        // The key is not an integer, but a text, for example: use keys of any kind.
      }
    }
    return try content(KeyTuple.self)
  }

  /// Returns where the result is read from, and makes a copy if one is needed.
  func source(of origin: Snapshot) throws -> ResultSource {
    try origin.read { connection in
      let plan = try plan(in: connection)
      return plan.isCopied
        ? try ResultSource(copying: plan, in: connection, of: database)
        : ResultSource(snapshot: origin, plan: plan)
    }
  }

  /// Fetches one version with keys of a given type, to be advanced to another version.
  ///
  /// - Throws: `FetchError`, `DatabaseError`, and ``NonIntegerKeyError`` if the type cannot hold a key.
  func version<Key: RowKey>(of origin: Snapshot) throws -> ResultsVersion<Key> {
    try version(from: try source(of: origin), of: origin)
  }

  /// Fetches one version from a given source.
  ///
  /// - Parameter used: the highest number that a row has had, if the rows have no key.
  /// - Throws: as ``version(of:)``.
  func version<Key: RowKey>(
    from source: ResultSource, of origin: Snapshot, isTracked: Bool = true,
    numbersAfter used: Int64 = 0
  ) throws -> ResultsVersion<Key> {
    // Rows without a key are compared only as far as they are shown.
    let isTracked = isTracked && !source.plan.isWithoutKey
    let index = try source.snapshot.read { connection in
      try IndexBuilder<Key>(source.plan, in: connection, isTracked: isTracked).build()
    }
    let version = ResultsVersion(
      plan: source.plan, origin: origin, snapshot: source.snapshot, index: index)
    guard source.plan.isWithoutKey else { return version }
    let keys = try version.keys(at: 0..<index.layout.count)
    let numbers = keys as? [Int64] ?? keys.compactMap { Int64($0.identity) }
    return version.numbered(RowNumbers(numbers, after: used))
  }

  private func plan(in connection: Connection) throws -> QueryPlan {
    try PlanCompiler(
      request, sectionKey: sectionKey, configuration: database.configuration,
      connection: connection
    ).plan()
  }

  // MARK: - From version to version

  /// Advances a version to a newer one.
  ///
  /// - Returns: nil if the version of the database is the same.
  /// - Throws: `FetchError` and `DatabaseError`.
  func advance<Key: RowKey>(
    from version: ResultsVersion<Key>, to origin: Snapshot
  ) throws -> ResultUpdate<Record>? {
    guard origin !== version.origin else { return nil }
    do {
      if version.origin === version.snapshot, origin.hasSameSchema(as: version.origin) {
        let (next, changes, source) = try ResultUpdater(
          version: version, origin: origin, snapshot: origin
        ).run()
        return ResultUpdate(next, request.description, changes: changes, source: source)
      }
      let source = try source(of: origin)
      let reason = version.plan.maintenance.reason ?? "\(Touched.Reason.schemaChanged)"
      if let (next, changes) = try contents(of: source, origin, comparedTo: version) {
        return ResultUpdate(
          next, request.description, changes: changes, source: .comparison(reason: reason))
      }
      guard source.plan.isComparable(to: version.plan) else {
        return try reset(from: version, to: source, of: origin)
      }
      let (next, changes) = try ResultUpdater(
        version: version, origin: origin, snapshot: source.snapshot
      ).compare(plan: source.plan)
      return ResultUpdate(
        next, request.description, changes: changes, source: .comparison(reason: reason))
    } catch is NonIntegerKeyError {
      // The first key that is not an integer, for example in a table that was empty. From now on
      // the index holds keys of any kind.
      let version: ResultsVersion<KeyTuple> = try self.version(of: version.origin)
      return try advance(from: version, to: origin)
    }
  }

  /// Replaces the result of another request by that of this one, in the same version.
  ///
  /// - Throws: `FetchError` and `DatabaseError`.
  func replace<Key: RowKey>(
    _ version: ResultsVersion<Key>, of other: ResultLoader<Record>, isTracked: Bool
  ) throws -> ResultUpdate<Record> {
    let source = try source(of: version.origin)
    if let (next, changes) = try contents(of: source, version.origin, comparedTo: version) {
      return ResultUpdate(next, request.description, changes: changes)
    }
    do {
      let replacement = RequestReplacement(of: version, other.request, by: request, source)
      if version.numbers == nil, !source.plan.isWithoutKey,
        let (next, changes) = try replacement.run(isTracked: isTracked)
      {
        return ResultUpdate(next, request.description, changes: changes)
      }
    } catch is NonIntegerKeyError {
      // The old result has integer keys only.
    }
    return try reset(from: version, to: source, of: version.origin, isTracked: isTracked)
  }

  /// Fetches the result again if the changes from the old version cannot be determined.
  private func reset<Key: RowKey>(
    from version: ResultsVersion<Key>, to source: ResultSource, of origin: Snapshot,
    isTracked: Bool = true
  ) throws -> ResultUpdate<Record> {
    var next = try fetch(
      from: source, of: origin, isTracked: isTracked,
      numbersAfter: version.numbers.map { $0.next - 1 } ?? 0)
    next.changes = .reset(
      oldSectionCount: version.index.layout.sectionCount, newSectionCount: next.sectionCount)
    return next
  }

  /// Fetches a version and compares the contents of its rows with those of another version.
  ///
  /// - Returns: nil if a key identifies the rows of either, or the columns differ.
  func contents<Key: RowKey>(
    of source: ResultSource, _ origin: Snapshot, comparedTo old: ResultsVersion<Key>
  ) throws -> (ResultsVersion<Int64>, TableChanges)? {
    guard let old = old as? ResultsVersion<Int64>, let numbers = old.numbers,
      source.plan.isWithoutKey, source.plan.hasSameColumns(as: old.plan)
    else { return nil }
    let new: ResultsVersion<Int64> = try version(from: source, of: origin)
    return try ContentComparison(from: old, numbers, to: new).run()
  }
}
