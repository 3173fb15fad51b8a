public import SQLiteStorage

extension FetchRequest {
  /// Fetches the result of the request in two databases, which may be versions of one file or
  /// unrelated, and compares them: to see what a restored backup or a migration changes.
  ///
  /// ```swift
  /// let update = try Track.all.sorted(by: \.name).compared(from: backup, to: database)
  /// for row in update.changes.insertedRows { print("new:", try update.new.object(at: row).name) }
  /// ```
  ///
  /// Complexity: O(n) if an SQL index has the order, else O(n log n).
  ///
  /// - Returns: the newer version with its changes, which are found by the keys of the rows; never a reset.
  /// - Throws: `FetchError` and `DatabaseError` if a result cannot be fetched; `FetchError` with code
  ///   `.incomparable` if the schemas give the results different columns, orders or keys.
  public func compared(
    from old: Database, to new: Database, sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws -> FetchedUpdate<Record> {
    var request = self
    request.ignoresCaseOfNames = true
    let oldFetch = ResultLoader(database: old, request: request, sectionKey: sectionKey)
    let newFetch = ResultLoader(database: new, request: request, sectionKey: sectionKey)
    let origins = (old: try old.snapshot(), new: try new.snapshot())
    do {
      return try compared(oldFetch, newFetch, origins)
    } catch let error as FetchError where error.code == .invalidKey {
      for fetch in [oldFetch, newFetch] { try fetch.leaveKey(after: error) }
      return try compared(oldFetch, newFetch, origins)
    }
  }

  private func compared(
    _ oldFetch: ResultLoader<Record>, _ newFetch: ResultLoader<Record>,
    _ origins: (old: Snapshot, new: Snapshot)
  ) throws -> FetchedUpdate<Record> {
    let oldSource = try oldFetch.source(of: origins.old)
    // Always compile again: equal schema versions of two files do not mean equal schemas.
    let newSource = try newFetch.source(of: origins.new)
    guard newSource.plan.isComparable(to: oldSource.plan) else { throw FetchError.incomparable }
    let version = try ResultsVersion.fetching(oldSource)
    let updater = ResultUpdater(from: version, to: newSource)
    guard
      let (next, changes) = try oldSource.plan.isWithoutKey
        ? updater.compareContents() : updater.compare()
    else { throw FetchError.incomparable }
    return FetchedUpdate(
      old: FetchedSnapshot(version, of: self), new: FetchedSnapshot(next, of: self),
      changes: changes, source: .comparison(reason: "the versions are those of two databases"))
  }
}

extension FetchError {
  /// The error for results that cannot be compared.
  fileprivate static var incomparable: FetchError {
    FetchError(
      .incomparable, "the two results have other columns, another order or another key",
      nextStep: "Select the columns that both have, and name the order and the key")
  }
}
