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
      let version = try ResultsVersion<Int64>(fetching: oldSource)
      guard let (next, changes) = try ResultUpdater(from: version, to: newSource).compareContents()
      else { throw FetchError.incomparable }
      self.init(.integer(version), .integer(next), changes, request)
      return
    }
    // Keys of any type: an integer in one file may be text in the other.
    let version = try ResultsVersion<KeyTuple>(fetching: oldSource)
    let (next, changes) = try ResultUpdater(from: version, to: newSource).compare()
    self.init(.tuple(version), .tuple(next), changes, request)
  }

  private init(
    _ old: AnyResultsVersion, _ new: AnyResultsVersion, _ changes: TableChanges,
    _ request: FetchRequest<Record>
  ) {
    self.old = FetchedSnapshot(old, request.description)
    self.new = FetchedSnapshot(new, request.description)
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
