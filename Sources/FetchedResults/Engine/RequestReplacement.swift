internal import SQLiteStorage
internal import TableData

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Goes from the result of one request to that of another one, in the same version of the database.
struct RequestReplacement<Record: Sendable, Key: RowKey> {
  private let old: ResultsVersion<Key>
  private let oldRequest: FetchRequest<Record>
  private let request: FetchRequest<Record>
  private let plan: QueryPlan
  private let snapshot: Snapshot

  /// - Parameters:
  ///   - old: the result to start from.
  ///   - oldRequest: what it is the result of.
  ///   - request: the other request.
  ///   - source: what to read that one from, in the same version.
  init(
    of old: ResultsVersion<Key>, _ oldRequest: FetchRequest<Record>,
    by request: FetchRequest<Record>, _ source: ResultSource
  ) {
    self.old = old
    self.oldRequest = oldRequest
    self.request = request
    plan = source.plan
    snapshot = source.snapshot
  }

  /// Fetches the other result and finds out what differs.
  ///
  /// Complexity: O(n log n) for n rows in both results.
  ///
  /// - Parameter isTracked: whether the result is to be carried from version to version.
  /// - Returns: nil where the two have nothing to do with each other.
  /// - Throws: `FetchError`, `DatabaseError`, and ``KeyIsNoInteger``.
  func run(isTracked: Bool) throws -> (ResultsVersion<Key>, TableChanges)? {
    guard plan.key == old.plan.key, plan.hasSameColumns(as: old.plan) else { return nil }
    switch (oldRequest.description.source, request.description.source) {
    case (.table(let old), .table(let new)) where old.sqliteFolded == new.sqliteFolded:
      return try compareWindows(isTracked)
    case (.select(let old), .select(let new)) where old == new:
      if try parametersAreEqual(in: new) { return try compareWindows(isTracked) }
      // The same rows may contain something else.
      guard plan.isComparable(to: self.old.plan), self.old.index.isWhole else { return nil }
      return try ResultsAdvance(
        version: self.old, origin: self.old.origin, snapshot: snapshot
      ).compare(plan: plan)
    default: return nil
    }
  }

  private func parametersAreEqual(in select: String) throws -> Bool {
    let names = try old.origin.read { try $0.prepare(select).parameterNames }
    return names.allSatisfy { request.parameters[$0] == oldRequest.parameters[$0] }
  }

  private func compareWindows(_ isTracked: Bool) throws -> (ResultsVersion<Key>, TableChanges) {
    let index = try snapshot.read { connection in
      try IndexBuilder<Key>(plan, in: connection, isTracked: isTracked).build()
    }
    let new = ResultsVersion(plan: plan, origin: old.origin, snapshot: snapshot, index: index)
    guard plan.sectioning.isNone == old.plan.sectioning.isNone else {
      return (new, .replacement(of: old.index.layout, by: index.layout))
    }
    let comparator = plan.sectioning.comparator
    // Keys that only one side takes for equal are told apart.
    let common = comparator.isSame(as: old.plan.sectioning.comparator) ? comparator : .binary
    let (oldLayout, layout) = (old.index.layout, index.layout)
    let difference = VisibleDifference(
      windowOf: (try old.keys(at: 0..<oldLayout.count), oldLayout),
      and: (try new.keys(at: 0..<layout.count), layout), common)
    let changes = TableChanges(difference, comparator: common, from: oldLayout, to: layout)
    return (new, changes)
  }
}

extension TableChanges {
  /// All sections go with their rows, and others come.
  static func replacement(
    of old: ResultsLayout, by new: ResultsLayout
  ) -> TableChanges {
    TableChanges(
      deletedSections: (0..<old.sectionCount).reversed(),
      insertedSections: Array(0..<new.sectionCount), deletedRows: old.indexPaths.reversed(),
      insertedRows: new.indexPaths)
  }
}

extension ResultsLayout {
  fileprivate var indexPaths: [IndexPath] {
    (0..<sectionCount).flatMap { section in
      (0..<rows(inSection: section).count).map { IndexPath(row: $0, section: section) }
    }
  }
}
