package import SQLiteStorage
package import TableData

/// What turns the result of a request in one database into its result in another one.
package struct ResultComparison<Record: Sendable>: Sendable {
  /// The result in the database that counts as old.
  package let old: FetchedSnapshot<Record>
  /// The result in the other one.
  package let new: FetchedSnapshot<Record>
  /// What differs, by the keys of the rows; never a reset.
  package let changes: TableChanges

  /// Fetches both and compares them. They may be versions of one file or have nothing in common.
  ///
  /// Complexity: O(n) with an SQL index that has the order, O(n log n) without.
  ///
  /// - Throws: `FetchError` and `DatabaseError` where one cannot be fetched; `FetchError` of code
  ///   `.incomparable` where the schemas give them other columns, another order or another key.
  package init(
    from old: Database, to new: Database, request: FetchRequest<Record>,
    sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws {
    let oldFetch = ResultsFetch(database: old, request: request, sectionKey: sectionKey)
    let newFetch = ResultsFetch(database: new, request: request, sectionKey: sectionKey)
    // Keys of any kind: what is an integer in one file may be text in the other.
    let version: ResultsVersion<KeyTuple> = try oldFetch.version(of: try old.snapshot())
    // Compiled anew even for equal schema versions, which mean nothing between two files.
    let origin = try new.snapshot()
    let source = try newFetch.source(of: origin)
    let plan = try newFetch.plan(of: source)
    guard plan.isComparable(to: version.plan) else { throw FetchError.incomparable }
    let (next, changes) = try ResultsAdvance(
      version: version, origin: origin, snapshot: source.snapshot
    ).compare(plan: plan)
    self.old = FetchedSnapshot(
      NextContent(version, request.description, changes: TableChanges()))
    self.new = FetchedSnapshot(
      NextContent(next, request.description, changes: changes))
    self.changes = changes
  }
}

extension FetchError {
  /// The error for results that have nothing by which to compare them.
  fileprivate static var incomparable: FetchError {
    FetchError(
      .incomparable, "the two results have other columns, another order or another key",
      nextStep: "Select the columns that both have, and name the order and the key")
  }
}
