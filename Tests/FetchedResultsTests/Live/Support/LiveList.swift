import TableData
import TableDataTesting
import Testing

@testable import FetchedResults
@testable import SQLiteStorage

/// A provider that is watched while it goes from version to version: by a delegate that writes
/// everything down, by the strict table, and by a fresh fetch after each step.
final class LiveList {
  let database: Database
  private(set) var request: FetchRequest<Row>
  private(set) var sectionKey: SectionKey<Row>?
  let provider: FetchedResultsProvider<Row>
  let recorder = Recorder<Row>()
  let harness: ProviderHarness<IdentifiedRows, RowIdentity>
  /// Whether it is compared with a fresh fetch. Where any of several equal values may be shown, it may
  /// show another.
  var comparesWithFresh = true
  /// Whether the changes of rows without a key must be the fewest. Of sections that change places, others may be
  /// found to stay.
  var expectsFewestChanges = true
  /// How its versions are kept.
  var versions = HeldVersions.pinned
  private var stepCount = 0

  init(
    _ database: Database, _ request: FetchRequest<Row>,
    sectionedBy sectionKey: SectionKey<Row>? = nil
  ) throws {
    self.database = database
    self.request = request
    self.sectionKey = sectionKey
    provider = try FetchedResultsProvider(
      database: database, request: request, sectionedBy: sectionKey)
    provider.delegate = recorder
    try provider.performFetch()
    harness = try ProviderHarness(IdentifiedRows(provider))
  }

  /// A store of a script, with all of its table `item`.
  convenience init(
    _ script: String, _ sort: String? = nil, sectionedBy section: String? = nil
  ) throws {
    let request = FetchRequest(table: "item")
    try self.init(
      try .store(script), sort.map { request.sorted(by: \Row[$0]) } ?? request,
      sectionedBy: section.map { .property(\Row[$0]) })
  }

  /// Writes in one transaction, refreshes and checks everything.
  @discardableResult
  func commit(
    _ script: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TableChanges {
    try database.run(script)
    return try step(sourceLocation: sourceLocation)
  }

  /// Refreshes, and checks what is told of it and what is shown then.
  @discardableResult
  func step(sourceLocation: SourceLocation = #_sourceLocation) throws -> TableChanges {
    try check(sourceLocation: sourceLocation) { try provider.refresh() }
  }

  /// Refreshes as ``step(sourceLocation:)``, unless the order tears a section. Then a fetch must find the same,
  /// nothing must be told, and the old content must stay.
  ///
  /// - Returns: the changes, and what the error says if a section is torn.
  @discardableResult
  func stepUnlessTorn(
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (changes: TableChanges, torn: String?) {
    let old = try provider.lines()
    do {
      return (try step(sourceLocation: sourceLocation), nil)
    } catch let error as FetchError where error.code == .tornSection {
      try #require(recorder.calls.isEmpty, sourceLocation: sourceLocation)
      try #require(provider.lines() == old, sourceLocation: sourceLocation)
      try harness.checkNothingChanged()
      let fresh = try FetchedResultsProvider(
        database: database, request: request, sectionedBy: sectionKey)
      // The list itself, not only the fetch that it was compared with.
      let again = #expect(throws: FetchError.self, sourceLocation: sourceLocation) {
        try provider.refresh()
      }
      let fetched = #expect(throws: FetchError.self, sourceLocation: sourceLocation) {
        try fresh.performFetch()
      }
      for other in [again, fetched] {
        try #require(other?.code == .tornSection, sourceLocation: sourceLocation)
        // Rows without a key have other numbers.
        try #require(!hasKey || other?.message == error.message, sourceLocation: sourceLocation)
      }
      return (TableChanges(), error.message)
    }
  }

  /// Sets another request and checks what is told of it and what is shown then. Nothing must have
  /// been committed since the last step.
  @discardableResult
  func set(
    _ request: FetchRequest<Row>, sectionedBy sectionKey: SectionKey<Row>? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> TableChanges {
    self.request = request
    self.sectionKey = sectionKey
    return try check(sourceLocation: sourceLocation) {
      try provider.setRequest(request, sectionedBy: sectionKey)
    }
  }

  private func check(
    sourceLocation: SourceLocation, _ change: () throws -> TableChanges
  ) throws -> TableChanges {
    let old = try provider.lines()
    let oldContents = hasKey ? nil : try ShownContents(provider)
    let oldTotals = try provider.allTotals()
    let columns = try columnNames
    let requiresMinimalChanges = harness.requiresMinimalChanges
    defer { harness.requiresMinimalChanges = requiresMinimalChanges }
    recorder.clear()
    stepCount += 1
    let (isExpired, newest) = try versions.prepare(
      step: stepCount, from: provider.shownVersion?.snapshot, in: database)
    defer { withExtendedLifetime(newest) {} }
    recorder.readsOldContent = !isExpired
    let changes = try change()
    // Of rows with other columns, or identified in another way, nothing is the same: a reset is what it
    // takes.
    if try columnNames != columns || hasKey != (oldContents == nil) {
      harness.requiresMinimalChanges = false
    }
    let new = try provider.lines()
    if let oldContents, !hasKey, expectsFewestChanges {
      try oldContents.expectFewest(
        changes, to: try ShownContents(provider), sourceLocation: sourceLocation)
    }
    try #require(recorder.errors.isEmpty, sourceLocation: sourceLocation)
    if changes.isEmpty {
      try #require(recorder.calls.isEmpty, sourceLocation: sourceLocation)
      try harness.checkNothingChanged()
    } else {
      try #require(
        recorder.calls == Recorder<Row>.calls(for: changes), sourceLocation: sourceLocation)
      try #require(recorder.batches == [changes], sourceLocation: sourceLocation)
      var contents = recorder.contents[...]
      if !isExpired {
        try #require(contents.popFirst() == old, sourceLocation: sourceLocation)
      }
      try #require(contents.allSatisfy { $0 == new }, sourceLocation: sourceLocation)
      try harness.follow(changes)
    }
    try oldTotals.expectEvents(
      changes, to: try provider.allTotals(), sourceLocation: sourceLocation)
    if comparesWithFresh { try expectFresh(sourceLocation: sourceLocation) }
    return changes
  }

  /// The columns of the first row; none where there is no row.
  private var columnNames: [String] {
    get throws {
      guard let rows = provider.fetchedObjects, !rows.isEmpty else { return [] }
      return try rows.object(at: 0).columnNames.names
    }
  }

  /// Expects that the provider shows what one shows that fetches now.
  func expectFresh(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let fresh = try FetchedResultsProvider(
      database: database, request: request, sectionedBy: sectionKey)
    let lines = try fresh.fetchedLines()
    // Once two rows had one key, rows that are equal in the order stand as they were read.
    guard hasKey == LiveList.hasKey(fresh) else { return }
    if hasKey {
      try #require(try provider.lines() == lines, sourceLocation: sourceLocation)
    } else {
      // A fresh one begins to number.
      try #require(
        provider.sections.map(\.numberOfRows) == fresh.sections.map(\.numberOfRows),
        sourceLocation: sourceLocation)
      try provider.expectConsistent(sourceLocation: sourceLocation)
    }
    let values = try #require(provider.fetchedObjects).map(\.values)
    let freshValues = try #require(fresh.fetchedObjects).map(\.values)
    try #require(values == freshValues, sourceLocation: sourceLocation)
    let totals = (try provider.allTotals(), try fresh.allTotals())
    try #require(totals.0.isSame(as: totals.1), sourceLocation: sourceLocation)
  }

  /// Whether a key identifies the rows.
  var hasKey: Bool { LiveList.hasKey(provider) }

  private static func hasKey(_ provider: FetchedResultsProvider<Row>) -> Bool {
    provider.maintenance != .comparison(reason: "nothing identifies its rows")
  }

  /// Whether changes are found from touched rows, and not by comparison.
  var isFast: Bool { provider.maintenance == .touchedRows }
}
