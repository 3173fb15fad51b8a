package import SQLiteStorage
package import SectionedData

extension FetchRequest {
  /// Fetches the result of the request in two databases, which may be versions of one file or
  /// unrelated, and compares them.
  ///
  /// Complexity: O(n) if an SQL index has the order, else O(n log n).
  ///
  /// - Returns: both results, and the differences by the keys of the rows; never a reset.
  /// - Throws: `FetchError` and `DatabaseError` if a result cannot be fetched; `FetchError` with code
  ///   `.incomparable` if the schemas give the results different columns, orders or keys.
  package func compared(
    from old: Database, to new: Database, sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws -> (old: FetchedSnapshot<Record>, new: FetchedSnapshot<Record>, changes: TableChanges) {
    let oldFetch = ResultLoader(database: old, request: self, sectionKey: sectionKey)
    let newFetch = ResultLoader(database: new, request: self, sectionKey: sectionKey)
    let (oldOrigin, newOrigin) = (try old.snapshot(), try new.snapshot())
    let oldSource = try oldFetch.source(of: oldOrigin)
    // Always compile again: equal schema versions of two files do not mean equal schemas.
    let newSource = try newFetch.source(of: newOrigin)
    guard newSource.plan.isComparable(to: oldSource.plan) else { throw FetchError.incomparable }
    let version = try ResultsVersion(fetching: oldSource)
    let updater = ResultUpdater(from: version, to: newSource)
    guard
      let (next, changes) = try oldSource.plan.isWithoutKey
        ? updater.compareContents() : updater.compare()
    else { throw FetchError.incomparable }
    return (
      FetchedSnapshot(version, description), FetchedSnapshot(next, description), changes
    )
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
