internal import SQLiteStorage
internal import TableData

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Replaces the result of one request by that of another one, in the same version of the database.
struct RequestReplacement<Record: Sendable, Key: RowKey> {
  private let old: ResultsVersion<Key>
  private let oldRequest: FetchRequest<Record>
  private let request: FetchRequest<Record>
  private let plan: QueryPlan
  private let snapshot: Snapshot

  /// - Parameters:
  ///   - old: the result to start from.
  ///   - oldRequest: the request of the old result.
  ///   - request: the new request.
  ///   - source: where the new result is read from, in the same version.
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

  /// Fetches the new result and compares it with the old one.
  ///
  /// Complexity: O(n log n) for n rows in both results.
  ///
  /// - Parameter isTracked: whether the result is advanced to later versions.
  /// - Returns: nil if the results cannot be compared.
  /// - Throws: `FetchError`, `DatabaseError`, and ``NonIntegerKeyError``.
  func run(isTracked: Bool) throws -> (ResultsVersion<Key>, TableChanges)? {
    guard plan.key == old.plan.key, plan.hasSameColumns(as: old.plan) else { return nil }
    switch (oldRequest.description.source, request.description.source) {
    case (.table(let old), .table(let new)) where old.sqliteFolded == new.sqliteFolded:
      return try compareWindows(isTracked)
    case (.select(let old), .select(let new)) where old == new:
      if try parametersAreEqual(in: new) { return try compareWindows(isTracked) }
      // Rows with the same key may have other contents.
      guard plan.isComparable(to: self.old.plan), self.old.index.isWhole else { return nil }
      return try ResultUpdater(
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
    // Keys that are equal on one side only are different.
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
  /// All old sections are deleted with their rows, and all new ones are inserted.
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
