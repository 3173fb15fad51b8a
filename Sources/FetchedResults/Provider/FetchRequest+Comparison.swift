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
  /// Both versions stay as they are while they are compared. The result can be read whatever is written afterwards: of a file
  /// that is not in WAL mode, all rows are kept in memory for that.
  ///
  /// Complexity: O(n) if an SQL index has the order, else O(n log n).
  ///
  /// - Returns: the newer version with its changes, which are found by the keys of the rows; never a reset.
  /// - Throws: `FetchError` and `DatabaseError` if a result cannot be fetched; `FetchError` with code
  ///   `.incomparable` if the schemas give the results different columns, orders or keys, and `.resultTooLarge` if the rows
  ///   that are kept would take more memory than the configuration allows.
  public func compared(
    from old: Database, to new: Database, sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws -> FetchedUpdate<Record> {
    try compared(from: old, to: new, sectionedBy: sectionKey, keepsRows: true)
  }

  /// The same with one section for each value of a property.
  public func compared<Key: ColumnValue>(
    from old: Database, to new: Database, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable
  ) throws -> FetchedUpdate<Record> {
    try compared(from: old, to: new, sectionedBy: .property(keyPath))
  }

  /// The same.
  ///
  /// - Parameter keepsRows: whether rows are kept in memory if a file does not pin its versions. If not, the caller reads
  ///   the result inside `Database.withSnapshot`.
  package func compared(
    from old: Database, to new: Database, sectionedBy sectionKey: SectionKey<Record>?,
    keepsRows: Bool
  ) throws -> FetchedUpdate<Record> {
    var request = self
    request.ignoresCaseOfNames = true
    request.keepsRows = keepsRows
    let oldFetch = ResultLoader(database: old, request: request, sectionKey: sectionKey)
    let newFetch = ResultLoader(database: new, request: request, sectionKey: sectionKey)
    return try old.withSnapshot { oldOrigin in
      try new.withSnapshot { newOrigin in
        let origins = (old: oldOrigin, new: newOrigin)
        do {
          return try compared(oldFetch, newFetch, origins)
        } catch let error as FetchError where error.code == .invalidKey {
          for fetch in [oldFetch, newFetch] { try fetch.leaveKey(after: error) }
          return try compared(oldFetch, newFetch, origins)
        }
      }
    }
  }

  private func compared(
    _ oldFetch: ResultLoader<Record>, _ newFetch: ResultLoader<Record>,
    _ origins: (old: Snapshot, new: Snapshot)
  ) throws -> FetchedUpdate<Record> {
    let oldSource = try oldFetch.source(of: origins.old)
    let newSource = try newFetch.source(of: origins.new)
    guard newSource.plan.isComparable(to: oldSource.plan) else { throw FetchError.incomparable }
    let version = try ResultsVersion.fetching(oldSource)
    let updater = ResultUpdater(from: version, to: newSource)
    guard
      let update = try oldSource.plan.isWithoutKey ? updater.compareContents() : updater.compare()
    else { throw FetchError.incomparable }
    return FetchedUpdate(
      old: FetchedSnapshot(version, of: self), new: FetchedSnapshot(update.version, of: self),
      changes: update.changes,
      source: .comparison(reason: "the versions are those of two databases"))
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
