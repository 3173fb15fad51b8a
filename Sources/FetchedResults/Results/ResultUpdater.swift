internal import CountedTrees
internal import SQLiteStorage
internal import SectionedData

/// Advances a result to the newest version of the database, or replaces it by that of another request.
///
/// What is done for a result of n rows when up to k of them changed. The first line that is true counts:
///
/// | what is known | what is done | rows read |
/// |---|---|---|
/// | the version of the database is the same | nothing | 0 |
/// | no table of the result was written, or ``EqualityFilter`` excludes all changed rows | the index is kept | 0 |
/// | the rows are packed | the SELECT is read once, and compared by digests: ``DigestEngine``, or ``ContentMatch`` without a key | n |
/// | the schema has changed, and the plans can be compared | ``MergeEngine`` | 2n |
/// | the same, with other plans | a reset: the result is fetched again | n |
/// | ``MaintenancePlan`` or a ``RowFinder`` has a reason against all that follows; the index was cut at a limit; the changed rows are not known; a computed section key cannot be had | ``MergeEngine`` | 2n |
/// | aggregates are held | ``DeltaEngine`` by a ``HeldStep`` | groups changed |
/// | k is at most n/60, or 64 | ``DeltaEngine`` | k |
/// | k is at most n/5, and ``TouchedKeys`` looks up at most n/30 rows for it | ``RescanEngine`` | n of the index |
/// | more rows changed | ``MergeEngine`` | 2n |
///
/// ``ResultLoader`` decides the lines about schemas, `compare()` how versions are compared, `step()` the rest.
///
/// If the old version was released, its rows cannot be read. Then ``DigestEngine`` compares in place of ``MergeEngine``, delta
/// and rescan: n rows are read. The old version must not be released meanwhile. Packed rows are
/// read from memory, and are not released.
struct ResultUpdater: Sendable {
  private let old: ResultsVersion
  /// Where the rows of the new version are read from.
  let new: ResultSource

  init(from old: ResultsVersion, to new: ResultSource) {
    self.old = old
    self.new = new
  }

  /// What leads to the new version.
  private enum Step {
    case keep(ChangeSource)
    case delta(Set<RowKey>, ChangeSource)
    case heldDelta(HeldStep, ChangeSource)
    case rescan(Set<RowKey>, ChangeSource)
    case compare(reason: String)
  }

  /// Chooses the step that costs least for what was written in between.
  private func step() throws -> Step {
    let plan = old.plan.maintenance
    if let reason = plan.reason
      ?? (old.isReleased ? ResultUpdater.wasReleased : nil)
      ?? (old.index.isWhole ? nil : "the rows beyond the limit are not known")
      ?? (old.index.hasRowsWithoutSection ? InexactSearchError.section.reason : nil)
    {
      return detectionOfNoTouch.map(Step.keep) ?? .compare(reason: reason)
    }
    let detected = old.snapshot.detectedChanges(to: new.snapshot)
    let source = detected.source
    let touched: TouchedRows
    switch detected.touched {
    case .unknown(let reason): return .compare(reason: "\(reason)")
    case .rows(let rows): touched = rows
    }
    let tasks: [TouchedKeys.Task] = plan.finders.compactMap { finder in
      touched.rows(of: finder.touchedTable).map { (finder, $0) }
    }
    let concernsNoRow =
      try tasks.isEmpty
      || old.plan.requiredValue?
        .excludes(tasks[0].rows, from: old.snapshot, and: new.snapshot) == true
    if concernsNoRow { return .keep(source) }
    if let reason = tasks.lazy.compactMap(\.finder.reason).first {
      return .compare(reason: reason)
    }
    let tooMany = "so many rows were touched that reading all costs less"
    if let queries = plan.held {
      if let held = try HeldStep(from: old, to: new.snapshot, queries, tasks) {
        return .heldDelta(held, source)
      }
      // The only group has all rows.
      guard queries.isGrouped else { return .compare(reason: tooMany) }
    }
    let rowCount = old.layout.rowCount
    let search = TouchedKeys(version: old, snapshot: new.snapshot, limit: max(64, rowCount / 30))
    guard let keys = try search.keys(tasks), keys.count <= max(64, rowCount / 5) else {
      return .compare(reason: tooMany)
    }
    // For a larger share of the rows, reading the whole order costs less than searching each position. The shares
    // are measured: decision 0052.
    return keys.count <= max(64, rowCount / 60) ? .delta(keys, source) : .rescan(keys, source)
  }

  /// Advances to a new version that is read from the database and has the same plan.
  ///
  /// - Returns: the new version, the changes, and how the changed rows were detected.
  /// - Throws: `FetchError` and `DatabaseError`.
  func advance() throws -> ResultUpdate {
    do {
      switch try step() {
      case .keep(let source):
        return ResultUpdate(version: old.unchanged(in: new), source: source)
      case .delta(let keys, let source):
        let (next, difference) = try DeltaEngine(from: old, to: new.snapshot)
          .advance(touching: keys)
        return ResultUpdate(
          version: next, changes: try changes(difference, to: next, movesTotals: true),
          source: source)
      case .heldDelta(let held, let source):
        let (next, difference) = try DeltaEngine(from: old, to: new.snapshot, held: held)
          .advance(touching: held.keys)
        return ResultUpdate(
          version: next, changes: try changes(difference, to: next, movesTotals: true, held: held),
          source: source)
      case .rescan(let keys, let source):
        let (next, difference) = try RescanEngine(from: old, to: new.snapshot)
          .advance(touching: keys)
        return ResultUpdate(
          version: next, changes: try changes(difference, to: next), source: source)
      case .compare(let reason):
        return try compare(because: reason)
      }
    } catch let error as InexactSearchError {
      return try compare(because: error.reason)
    }
  }

  private static var wasReleased: String { "the version before was released" }

  /// How it was detected that no table of the result was written between two versions with the same
  /// schema; nil if one was, or if that is not known.
  private var detectionOfNoTouch: ChangeSource? {
    guard let tables = old.plan.tables else { return nil }
    let detected = old.snapshot.detectedChanges(to: new.snapshot)
    guard case .rows(let touched) = detected.touched,
      tables.allSatisfy({ touched.rows(of: $0.name, in: $0.schema) == nil })
    else { return nil }
    return detected.source
  }

  private func compare(because reason: String) throws -> ResultUpdate {
    try compare().detected(by: .comparison(reason: reason))
  }

  /// Advances by comparing both versions.
  ///
  /// If the old version was released and nothing is known of its rows, the change is a reset.
  func compare() throws -> ResultUpdate {
    if let compared = try compareContents() { return compared }
    if old.packed == nil, !new.plan.isPacked, !old.isReleased {
      let (next, difference) = try MergeEngine(from: old).advance(to: new)
      return ResultUpdate(version: next, changes: try changes(difference, to: next))
    }
    guard let engine = try DigestEngine(from: old) else {
      let next = try ResultsVersion.fetching(new)
      return ResultUpdate(version: next, changes: .reset(from: old.layout, to: next.layout))
    }
    let (next, difference) = try engine.advance(to: new)
    return ResultUpdate(version: next, changes: changes(visible: difference, to: next))
  }

  private func changes(
    _ difference: RowDifference, to next: ResultsVersion, movesTotals: Bool = false,
    held: HeldStep? = nil
  ) throws -> TableChanges {
    if difference.isEmpty { return TableChanges() }
    var difference = difference
    difference.alike.formUnion(try rowsThatShowTheSame(in: difference, next, held))
    return changes(visible: difference, to: next, movesTotals: movesTotals)
  }

  /// - Parameter difference: with the rows that show the same.
  private func changes(
    visible difference: RowDifference, to next: ResultsVersion, movesTotals: Bool = false
  ) -> TableChanges {
    if difference.isEmpty { return TableChanges() }
    return TableChanges(
      VisibleDifference(difference, from: old.layout, to: next.layout),
      comparator: old.plan.parts.sectioning.comparator, from: old.layout, to: next.layout,
      movesTotals: movesTotals)
  }

  /// The rows that differ only in their sort key, in how their key is spelled or in what totals are computed
  /// from, so that they show the same.
  ///
  /// Complexity: O(k log n) if the request observes something that is not shown; else there are
  /// none.
  private func rowsThatShowTheSame(
    in difference: RowDifference, _ next: ResultsVersion, _ held: HeldStep?
  ) throws -> Set<RowKey> {
    guard old.plan.observesWhatIsNotShown else { return [] }
    let (oldWindow, newWindow) = (old.layout.window, next.layout.window)
    var keys = Set(
      difference.old.lazy.filter { oldWindow.contains($0.position) }.map { $0.key })
    keys.formIntersection(
      difference.new.lazy.filter { newWindow.contains($0.position) }.map { $0.key })
    guard !keys.isEmpty else { return [] }
    return try old.snapshot.read(with: next.snapshot) { oldConnection, newConnection in
      let comparison = try RowComparison(
        of: old, and: next, oldConnection, newConnection, held: held)
      defer { comparison.finish() }
      return try keys.filter(comparison.showsTheSame)
    }
  }
}

extension DetectedChanges {
  fileprivate var source: ChangeSource { isCaptured ? .capture : .pages }
}

// MARK: - Comparing what is shown

// These fetch the new version, and compare the windows of both.

extension ResultUpdater {
  /// Compares the contents of the rows, if no key identifies them.
  ///
  /// Only what is shown is compared: the columns of the records and the sections, inside the
  /// window. If the list shows the same, nothing has changed, whatever the rows are read from or
  /// sorted by.
  ///
  /// Complexity: O(n) rows read up to the end of the window, and the complexity of ``ContentMatch``.
  ///
  /// - Returns: the new version, in which unchanged rows have their old numbers. Nil if a key
  ///   identifies the rows of either version, or the columns differ.
  /// - Throws: `FetchError` and `DatabaseError` if the new version cannot be fetched.
  func compareContents() throws -> ResultUpdate? {
    guard old.plan.isWithoutKey, new.plan.isWithoutKey, new.plan.hasSameColumns(as: old.plan),
      let oldDigests = old.digests
    else { return nil }
    let fetched = try ResultsVersion.fetching(new, sharing: old.packed)
    guard let digests = fetched.digests else { return nil }
    if new.plan === old.plan, digests.observed == oldDigests.observed {
      return ResultUpdate(version: old.unchanged(in: new, or: fetched))
    }
    let match = ContentMatch(
      (oldDigests.ofShown(at: old.layout.window), old.layout),
      (digests.ofShown(at: fetched.layout.window), fetched.layout), sectionComparator)
    let next = try fetched.numbered(following: old, match.counterparts)
    return ResultUpdate(version: next, changes: changes(to: next.layout) { match.difference })
  }

  /// Replaces the result of one request by that of another one, in the same version.
  ///
  /// Complexity: O(n log n) for n rows in both results.
  ///
  /// - Parameters:
  ///   - isTracked: whether the result is advanced to later versions.
  ///   - limit: the number of rows that may change. If more rows do, the change is a reset.
  /// - Returns: nil if the results cannot be compared.
  func replace(isTracked: Bool, resetAbove limit: Int) throws -> ResultUpdate? {
    guard !old.plan.isWithoutKey, !new.plan.isWithoutKey,
      new.plan.parts.key.exact == old.plan.parts.key.exact,
      new.plan.hasSameColumns(as: old.plan)
    else { return nil }
    // The only row of each is the same row, whatever it is computed from.
    if new.plan.parts.key.isEmpty, new.plan.isComparable(to: old.plan) { return try compare() }
    guard new.plan.hasSameSource(as: old.plan) else { return nil }
    let hasSameRows = try old.snapshot.read {
      try new.plan.hasSameParameters(as: old.plan, in: $0)
    }
    guard hasSameRows else {
      // Rows with the same key may have other contents.
      guard new.plan.isComparable(to: old.plan), old.index.isWhole else { return nil }
      return try compare()
    }
    let next = try ResultsVersion.fetching(new, isTracked: isTracked)
    let (oldLayout, layout) = (old.layout, next.layout)
    guard abs(oldLayout.count - layout.count) <= limit else {
      return ResultUpdate(version: next, changes: .reset(from: oldLayout, to: layout))
    }
    let changes = try changes(to: layout) {
      VisibleDifference(
        windowOf: (try old.keys(at: 0..<oldLayout.count), oldLayout),
        and: (try next.keys(at: 0..<layout.count), layout), sectionComparator, atMost: limit)
    }
    return ResultUpdate(version: next, changes: changes)
  }

  /// Compares the section keys of both versions. Keys that are equal on one side only are
  /// different.
  private var sectionComparator: TextComparator {
    let comparator = new.plan.parts.sectioning.comparator
    return comparator.isSame(as: old.plan.parts.sectioning.comparator) ? comparator : .binary
  }

  /// The changes to a new layout: all sections, if only one version is divided into sections; a reset,
  /// if there is no difference because it has too many rows.
  private func changes(
    to layout: ResultsLayout, by difference: () throws -> VisibleDifference?
  ) rethrows -> TableChanges {
    guard new.plan.parts.sectioning.isNone == old.plan.parts.sectioning.isNone else {
      return .replacement(of: old.layout, by: layout)
    }
    guard let difference = try difference() else {
      return .reset(from: old.layout, to: layout)
    }
    return TableChanges(
      difference, comparator: sectionComparator, from: old.layout, to: layout)
  }
}
