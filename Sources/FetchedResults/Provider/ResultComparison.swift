package import SQLiteStorage
package import TableData

/// The changes from the result of a request in one database to its result in another database.
package struct ResultComparison<Record: Sendable>: Sendable {
  /// The result in the old database.
  package let old: FetchedSnapshot<Record>
  /// The result in the new database.
  package let new: FetchedSnapshot<Record>
  /// The differences, by the keys of the rows; never a reset.
  package let changes: TableChanges

  /// Fetches both results and compares them. The databases may be versions of one file or
  /// unrelated.
  ///
  /// Complexity: O(n) if an SQL index has the order, else O(n log n).
  ///
  /// - Throws: `FetchError` and `DatabaseError` if a result cannot be fetched; `FetchError` of code
  ///   `.incomparable` if the schemas give the results different columns, orders or keys.
  package init(
    from old: Database, to new: Database, request: FetchRequest<Record>,
    sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws {
    let oldFetch = ResultLoader(database: old, request: request, sectionKey: sectionKey)
    let newFetch = ResultLoader(database: new, request: request, sectionKey: sectionKey)
    let (oldOrigin, newOrigin) = (try old.snapshot(), try new.snapshot())
    let oldSource = try oldFetch.source(of: oldOrigin)
    // Always compile again: equal schema versions of two files do not mean equal schemas.
    let newSource = try newFetch.source(of: newOrigin)
    guard newSource.plan.isComparable(to: oldSource.plan) else { throw FetchError.incomparable }
    if oldSource.plan.isWithoutKey {
      let version: ResultsVersion<Int64> = try oldFetch.version(from: oldSource, of: oldOrigin)
      let comparison = try newFetch.contents(of: newSource, newOrigin, comparedTo: version)
      guard let (next, changes) = comparison else { throw FetchError.incomparable }
      self.init(version, next, changes, request)
      return
    }
    // Keys of any type: an integer in one file may be text in the other.
    let version: ResultsVersion<KeyTuple> = try oldFetch.version(from: oldSource, of: oldOrigin)
    let (next, changes) = try ResultUpdater(
      version: version, origin: newOrigin, snapshot: newSource.snapshot
    ).compare(plan: newSource.plan)
    self.init(version, next, changes, request)
  }

  private init<Key: RowKey>(
    _ old: ResultsVersion<Key>, _ new: ResultsVersion<Key>, _ changes: TableChanges,
    _ request: FetchRequest<Record>
  ) {
    self.old = FetchedSnapshot(ResultUpdate(old, request.description, changes: TableChanges()))
    self.new = FetchedSnapshot(ResultUpdate(new, request.description, changes: changes))
    self.changes = changes
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
