public import SQLiteStorage
public import TableData

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The records of a request in sections, as a list shows them.
///
/// A provider keeps only the row order in memory. It reads records in batches when the caller asks
/// for them, all from one version of the database, so a list never shows half of a transaction.
///
/// ```swift
/// let provider = try FetchedResultsProvider(
///   database: database,
///   request: Track.all.filter("milliseconds > ?", 60_000).sorted(by: \.name),
///   sectionNameKeyPath: \.genre)
/// try provider.performFetch()
/// for section in provider.sections { print(section.name ?? "", section.numberOfRows) }
/// ```
///
/// Index paths are `[section, row]`, both counted from 0.
///
/// Not Sendable: a provider belongs to the code that made it, in an app to the main actor.
public final class FetchedResultsProvider<Record: Sendable> {
  /// The database that contains the records.
  public let database: Database
  /// The request; ``setRequest(_:silently:)`` replaces it.
  public var request: FetchRequest<Record> { fetch.request }

  /// The object that is notified of changes. It is not kept alive.
  public weak var delegate: (any FetchedResultsProviderDelegate<Record>)?
  /// The object that is notified of the same batches, each as one value. It is not kept alive.
  ///
  /// The observer's *will* follows the delegate's *will*, and its *did* precedes the delegate's
  /// *did*. The observer is also notified of a reset when ``performFetch()`` replaces the content.
  public weak var observer: (any TableChangesObserver)?

  /// The content that is shown; nil before the first fetch. Set by `show` and `replaceContent`.
  private(set) var content: SnapshotReader<Record>?
  /// Fetches the content.
  var fetch: ResultLoader<Record>
  let engine = EngineQueue()
  /// The group of providers that observe on the same actor; nil unless the provider observes.
  var group: ObservationGroup?
  /// The state between *will* and *did*.
  var delivery = Delivery()
  /// The calls that wait for the end of a batch.
  var postponed = Postponed()
  private var sectionCache: [SectionInfo]?
  private var sectionIndexCache: SectionIndex?

  /// Makes a provider, which has no content before ``performFetch()``.
  ///
  /// - Parameter sectionKey: the key that divides the result into sections; nil for one section
  ///   with all records, which exists even if it is empty.
  /// - Throws: `FetchError` and `DatabaseError` if the request is not valid for this database.
  public init(
    database: Database, request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?
  ) throws {
    self.database = database
    fetch = ResultLoader(database: database, request: request, sectionKey: sectionKey)
    try fetch.validate()
  }

  /// Makes a provider without sections.
  ///
  /// - Throws: as ``init(database:request:sectionedBy:)``.
  public convenience init(database: Database, request: FetchRequest<Record>) throws {
    try self.init(database: database, request: request, sectionedBy: nil)
  }

  /// Makes a provider with one section for each value of a property.
  ///
  /// - Parameter keyPath: a stored property, by which SQL sorts and divides; or a computed
  ///   property. The request's order must then keep rows with equal values together. See
  ///   ``SectionKey``.
  /// - Throws: as ``init(database:request:sectionedBy:)``.
  public convenience init<Key: ColumnValue>(
    database: Database, request: FetchRequest<Record>,
    sectionNameKeyPath keyPath: any KeyPath<Record, Key> & Sendable
  ) throws {
    try self.init(database: database, request: request, sectionedBy: .property(keyPath))
  }

  /// Shows the next version.
  ///
  /// - Parameters:
  ///   - fetch: the fetch of another request; nil if the request stays.
  ///   - isDelivered: whether to keep the old content until *did* has returned.
  func show(
    _ next: ResultUpdate, of fetch: ResultLoader<Record>? = nil, isDelivered: Bool = false
  ) {
    if isDelivered { (delivery.previous, delivery.source) = (content, next.source) }
    if let fetch { self.fetch = fetch }
    content = SnapshotReader(next.version, request.description)
    // If no row has changed, the sections are the same and their caches stay valid.
    guard !next.changes.isEmpty || fetch != nil else { return }
    sectionCache = nil
    sectionIndexCache = nil
  }
}

// MARK: - Fetching

extension FetchedResultsProvider {
  /// Fetches the newest version of the result. If an error is thrown, the content stays the same.
  ///
  /// The delegate is not notified. If the delegate calls this method while it is notified of
  /// changes, the newer changes follow as the next batch.
  ///
  /// All providers that observe together with this one move to the same version: see ``refresh()``.
  ///
  /// Complexity: O(n) if an SQL index has the order, else O(n log n). No record is read, unless the
  /// sections come from a computed property.
  ///
  /// - Throws: `FetchError` of code `.tornSection` if the order separates records of one section,
  ///   and of code `.invalidKey` if a key is `NULL` or not unique; `DatabaseError`. As
  ///   ``refresh()`` if another provider cannot move to the version.
  public func performFetch() throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    engine.beginRequest()
    if let group {
      return try group.move(by: ProviderStep(of: self, by: .fetch(silently: true)))
    }
    replaceContent(by: try fetch.fetch(isTracked: isTracked), of: fetch)
  }

  /// Fetches the newest version of the result, as ``performFetch()`` does, without blocking the
  /// calling actor.
  ///
  /// - Throws: as ``performFetch()``, and `CancellationError` if the task was cancelled or a later
  ///   fetch has begun.
  public func performFetch(isolation: isolated (any Actor)? = #isolation) async throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    if try await moveGroup(by: .fetch(silently: true)) != nil { return }
    let (fetch, isTracked) = (fetch, isTracked)
    let next = try await runOnEngineQueue { _ in { try fetch.fetch(isTracked: isTracked) } }
    if let next { replaceContent(by: next, of: fetch) }
  }

  /// Whether changes from version to version are needed.
  var isTracked: Bool { delegate != nil || observer != nil || group != nil }

  /// Replaces the content without computing changes.
  func replaceContent(by next: ResultUpdate, of fetch: ResultLoader<Record>) {
    var next = next
    next.changes = reset(to: next)
    deliver(next, of: fetch, silently: true)
  }

  /// The reset that leads to the next content.
  func reset(to next: ResultUpdate) -> TableChanges {
    .reset(oldSectionCount: numberOfSections, newSectionCount: next.version.layout.sectionCount)
  }

  /// Computes the next content on the engine queue. Returns it unless a later request has begun.
  ///
  /// - Parameter work: makes the work from the current content; nil if there is nothing to do.
  /// - Throws: the error of the work, and `CancellationError`.
  func runOnEngineQueue(
    isolation: isolated (any Actor)? = #isolation,
    _ work: (SnapshotReader<Record>?) -> (@Sendable () throws -> ResultUpdate?)?
  ) async throws -> ResultUpdate? {
    let number = engine.beginRequest()
    while true {
      let base = content
      guard let work = work(base) else { return nil }
      let result = await engine.run { [engine] in
        // If many requests follow each other, as while the user types, only the last is computed.
        try engine.checkIsLatest(number)
        return try work()
      }
      try Task.checkCancellation()
      try engine.checkIsLatest(number)
      if base === content { return try result.get() }
    }
  }
}

// MARK: - Records

extension FetchedResultsProvider {
  /// The records in order, each read when the caller asks for it; nil before the first fetch.
  public var fetchedObjects: FetchedObjects<Record>? { content.map(FetchedObjects.init) }

  /// The record at an index path.
  ///
  /// - Throws: `TableDataError` if there is no such row, with the index path and the counts;
  ///   `DatabaseError` if the record cannot be read or decoded.
  public func object(at indexPath: IndexPath) throws -> Record {
    let (content, position) = try position(of: indexPath)
    return try content.record(at: position)
  }

  /// The identity of the record at an index path. Keep it to remember a selection.
  ///
  /// Complexity: O(log n).
  ///
  /// - Throws: `TableDataError` if there is no such row.
  public func identity(at indexPath: IndexPath) throws -> RowIdentity {
    let (content, position) = try position(of: indexPath)
    return try content.identity(at: position)
  }

  /// The index path of a record; nil if the record is not in the result.
  ///
  /// The record is found by its key: its other properties may have changed.
  ///
  /// Complexity: as ``indexPath(forIdentity:)-(RowIdentity)``.
  ///
  /// - Throws: `FetchError` of code `.missingKey` if the key is not among the record's properties;
  ///   `DatabaseError`.
  public func indexPath(for record: Record) throws -> IndexPath? {
    guard let content else { return nil }
    return try indexPath(forIdentity: try content.identity(of: record))
  }

  /// The index path of the record with an identity; nil if it is not in the result.
  ///
  /// Complexity: O(log n) look-ups of single rows.
  ///
  /// - Throws: `DatabaseError`.
  public func indexPath(forIdentity identity: RowIdentity) throws -> IndexPath? {
    guard let content, let position = try content.position(of: identity) else { return nil }
    return content.indexPath(of: position)
  }

  private func position(
    of indexPath: IndexPath
  ) throws -> (content: SnapshotReader<Record>, position: Int) {
    guard let content else {
      throw FetchError(
        .notFetched, "there is no row \(indexPath): nothing has been fetched",
        nextStep: "Call performFetch() first")
    }
    return (content, try content.position(of: indexPath))
  }
}

// MARK: - Sections

extension FetchedResultsProvider: ViewModelDataProvider {
  /// The sections, in order; empty before the first fetch.
  ///
  /// The name of a section is its key as text. The name for `NULL` is empty, as in Core Data.
  ///
  /// Complexity: O(sections) for the first call after a change.
  public var sections: [SectionInfo] {
    if let sectionCache { return sectionCache }
    let sections = (0..<numberOfSections).compactMap { section in
      content.map { info(ofSection: section, in: $0) }
    }
    sectionCache = sections
    return sections
  }

  /// The number of sections; 0 before the first fetch.
  public var numberOfSections: Int { content?.sectionCount ?? 0 }

  /// The number of rows in a section.
  ///
  /// Complexity: O(log sections).
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try contentWithSection(section).rows(inSection: section).count
  }

  /// The name of a section; nil if the result has no section key.
  ///
  /// Complexity: O(log sections).
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func title(forSection section: Int) throws -> String? {
    try contentWithSection(section).section(at: section).name
  }

  /// The section key: the value that the records of a section have in common. Nil if the result has
  /// no section key. Unlike the name, it distinguishes `NULL` from the empty string.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func sectionKey(at section: Int) throws -> Value? {
    try contentWithSection(section).sectionKey(at: section)
  }

  private func contentWithSection(_ section: Int) throws -> SnapshotReader<Record> {
    guard let content, 0..<content.sectionCount ~= section else {
      throw TableDataError.sectionOutOfRange(section, count: numberOfSections)
    }
    return content
  }

  private func info(
    ofSection section: Int, in content: SnapshotReader<Record>
  ) -> SectionInfo {
    let name = content.section(at: section).name
    return SectionInfo(
      name: name, indexTitle: name.flatMap(indexTitle(forSectionName:)),
      numberOfRows: content.rows(inSection: section).count)
  }

  private func indexTitle(forSectionName name: String) -> String? {
    guard let delegate else { return SectionInfo.indexTitle(forName: name) }
    return delegate.provider(self, sectionIndexTitleForSectionName: name)
  }

  /// The record at an index path, as ``object(at:)``.
  public func itemForRow(atIndexPath indexPath: IndexPath) throws -> Record {
    try object(at: indexPath)
  }

  /// The titles of the section index, without repetition.
  public func sectionIndexTitles() -> [String] { sectionIndex.titles }

  /// The first section with a title in the section index.
  ///
  /// - Parameter position: the title's position in ``sectionIndexTitles()``.
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try sectionIndex.section(forTitle: title, at: position)
  }

  private var sectionIndex: SectionIndex {
    if let sectionIndexCache { return sectionIndexCache }
    let index = SectionIndex(sections: sections)
    sectionIndexCache = index
    return index
  }
}
