public import SQLiteStorage
public import TableData

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The records of a request, in sections, as a list shows them.
///
/// It holds the order of the records and reads the records themselves when they are asked for, in
/// batches, from one version of the database: whatever is written meanwhile, a list never shows half
/// of it.
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
/// Not Sendable: a provider belongs to whoever made it, the main actor in an app.
public final class FetchedResultsProvider<Record: Sendable> {
  /// The database the records are in.
  public let database: Database
  /// What is fetched; ``setRequest(_:silently:)`` replaces it.
  public var request: FetchRequest<Record> { fetch.request }

  /// Told what changes. It is not kept alive.
  public weak var delegate: (any FetchedResultsProviderDelegate<Record>)?
  /// Told of the same batches as one value each, inside of what the delegate is told: its *will*
  /// comes after the delegate's, its *did* before the delegate's. It is also told, as of a reset,
  /// when ``performFetch()`` replaces what there was. It is not kept alive.
  public weak var observer: (any TableChangesObserver)?

  /// What is shown; nil before the first fetch. `show` and `replaceContent` set it.
  private(set) var content: (any ResultsContent<Record>)?
  /// Fetches what is shown.
  var fetch: ResultsFetch<Record>
  let engine = EngineQueue()
  let requests = RequestCounter()
  /// The place among those that observe on the same actor; nil while nobody asks for that.
  var membership: ObservationGroup.Membership?
  /// What is between *will* and *did* at the moment.
  var delivery = Delivery()
  /// What waits for a batch to be over.
  var postponed = Postponed()
  private var sectionCache: [SectionInfo]?
  private var sectionIndexCache: SectionIndex?

  /// Makes a provider, which has no content before ``performFetch()``.
  ///
  /// - Parameter sectionKey: what divides the result into sections; nil for one section with all
  ///   records, which is also there when there are none.
  /// - Throws: `FetchError` and `DatabaseError` where the request cannot be served.
  public init(
    database: Database, request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?
  ) throws {
    self.database = database
    fetch = ResultsFetch(database: database, request: request, sectionKey: sectionKey)
    try fetch.validate()
  }

  /// Makes a provider without sections.
  ///
  /// - Throws: as ``init(database:request:sectionedBy:)``.
  public convenience init(database: Database, request: FetchRequest<Record>) throws {
    try self.init(database: database, request: request, sectionedBy: nil)
  }

  /// Makes a provider with a section for each value of a property.
  ///
  /// - Parameter keyPath: a stored property, sectioned and sorted in SQL; or a computed one, which
  ///   must be the same for rows that the request's order puts together. See ``SectionKey``.
  /// - Throws: as ``init(database:request:sectionedBy:)``.
  public convenience init<Key: ColumnValue>(
    database: Database, request: FetchRequest<Record>,
    sectionNameKeyPath keyPath: any KeyPath<Record, Key> & Sendable
  ) throws {
    try self.init(database: database, request: request, sectionedBy: .property(keyPath))
  }

  /// Puts the next version in the place of what is shown.
  ///
  /// - Parameter fetch: that of another request, where there is one.
  func show(_ next: NextContent<Record>, of fetch: ResultsFetch<Record>? = nil) {
    content = next.makeContent()
    if let fetch { self.fetch = fetch }
    // The same rows from a version that need not be kept any longer have the same sections.
    guard !next.changes.isEmpty || fetch != nil else { return }
    sectionCache = nil
    sectionIndexCache = nil
  }
}

// MARK: - Fetching

extension FetchedResultsProvider {
  /// Fetches the newest version of the result. On an error the content stays as it was.
  ///
  /// The delegate is told nothing; but where it calls this while it is told of changes, what is new
  /// comes as the next batch.
  ///
  /// All providers that observe together with this one go to the same version, as with ``refresh()``.
  ///
  /// Complexity: O(n) with an SQL index that has the order, O(n log n) without. No record is read,
  /// unless the sections come from a computed property.
  ///
  /// - Throws: `FetchError` of code `.tornSection` where the order separates records of one section
  ///   and `.invalidKey` where a key is `NULL` or not unique; `DatabaseError`. As ``refresh()`` where
  ///   another provider cannot move along.
  public func performFetch() throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    requests.begin()
    if let group = membership?.group {
      return try group.move(by: ProviderStep(of: self, by: .fetch(silently: true)))
    }
    replaceContent(by: try fetch.run(isTracked: isTracked), of: fetch)
  }

  /// Fetches the newest version of the result, as ``performFetch()`` does, without keeping the
  /// calling actor busy.
  ///
  /// - Throws: as ``performFetch()``, and `CancellationError` where the task was cancelled or
  ///   something else was fetched meanwhile.
  public func performFetch(isolation: isolated (any Actor)? = #isolation) async throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    if try await moveGroup(by: .fetch(silently: true)) != nil { return }
    let (fetch, isTracked) = (fetch, isTracked)
    let next = try await elsewhere { _ in { try fetch.run(isTracked: isTracked) } }
    if let next { replaceContent(by: next, of: fetch) }
  }

  /// Whether the result is to be carried from version to version.
  var isTracked: Bool { delegate != nil || observer != nil || membership != nil }

  /// Shows something else, without saying how it became that.
  func replaceContent(by next: NextContent<Record>, of fetch: ResultsFetch<Record>) {
    var next = next
    next.changes = reset(to: next)
    deliver(next, of: fetch, silently: true)
  }

  /// The changes to something else, of which nothing is known.
  func reset(to next: NextContent<Record>) -> TableChanges {
    .reset(oldSectionCount: numberOfSections, newSectionCount: next.sectionCount)
  }

  /// Finds out on the engine's queue what comes next, and returns it unless it has been superseded.
  ///
  /// - Parameter work: makes the work from the content it is to start from; nil for none.
  /// - Throws: what the work throws, and `CancellationError`.
  func elsewhere(
    isolation: isolated (any Actor)? = #isolation,
    _ work: ((any ResultsContent<Record>)?) -> (@Sendable () throws -> NextContent<Record>?)?
  ) async throws -> NextContent<Record>? {
    let number = requests.begin()
    while true {
      let base = content
      guard let work = work(base) else { return nil }
      let result = await engine.run { [requests] in
        // Of many in a row, as when somebody types, only the last is worth its work.
        try requests.checkIsLatest(number)
        return try work()
      }
      try Task.checkCancellation()
      try requests.checkIsLatest(number)
      if base === content { return try result.get() }
    }
  }
}

// MARK: - Records

extension FetchedResultsProvider {
  /// The records in order, read when they are asked for; nil before the first fetch.
  public var fetchedObjects: FetchedObjects<Record>? { content.map(FetchedObjects.init) }

  /// The record at a place.
  ///
  /// - Throws: `TableDataError` where there is no such place, naming it and the counts;
  ///   `DatabaseError` where the record cannot be read or decoded.
  public func object(at indexPath: IndexPath) throws -> Record {
    let (content, position) = try position(of: indexPath)
    return try content.record(at: position)
  }

  /// The identity of the record at a place: what to keep for a selection.
  ///
  /// Complexity: O(log n).
  ///
  /// - Throws: `TableDataError` where there is no such place.
  public func identity(at indexPath: IndexPath) throws -> RowIdentity {
    let (content, position) = try position(of: indexPath)
    return try content.identity(at: position)
  }

  /// The place of a record; nil where it is not in the result.
  ///
  /// The record is recognised by its key: its other properties may have changed.
  ///
  /// Complexity: as ``indexPath(forIdentity:)-(RowIdentity)``.
  ///
  /// - Throws: `FetchError` of code `.missingKey` where the record does not have its key among its
  ///   properties; `DatabaseError`.
  public func indexPath(for record: Record) throws -> IndexPath? {
    guard let content else { return nil }
    return try indexPath(forIdentity: try content.identity(of: record))
  }

  /// The place of the record with an identity; nil where it is not in the result.
  ///
  /// Complexity: O(log n) look-ups of single rows.
  ///
  /// - Throws: `DatabaseError`.
  public func indexPath(forIdentity identity: RowIdentity) throws -> IndexPath? {
    guard let content, let position = try content.position(of: identity) else { return nil }
    let place = content.place(of: position)
    return IndexPath(row: place.row, section: place.section)
  }

  private func position(
    of indexPath: IndexPath
  ) throws -> (content: any ResultsContent<Record>, position: Int) {
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
  /// A section's name is its key as text; `NULL` has the empty name, as in Core Data.
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

  /// The number of rows of a section.
  ///
  /// Complexity: O(log sections).
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try contentWithSection(section).rows(inSection: section).count
  }

  /// The name of a section; nil for a result that is not divided.
  ///
  /// Complexity: O(log sections).
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func title(forSection section: Int) throws -> String? {
    try contentWithSection(section).section(at: section).name
  }

  /// The value that the records of a section have in common; nil for a result that is not divided.
  /// Unlike the name it tells `NULL` from the empty string.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func sectionKey(at section: Int) throws -> Value? {
    try contentWithSection(section).section(at: section).value
  }

  private func contentWithSection(_ section: Int) throws -> any ResultsContent<Record> {
    guard let content, 0..<content.sectionCount ~= section else {
      throw TableDataError.sectionOutOfRange(section, count: numberOfSections)
    }
    return content
  }

  private func info(
    ofSection section: Int, in content: any ResultsContent<Record>
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

  /// The record at a place, as ``object(at:)``.
  public func itemForRow(atIndexPath indexPath: IndexPath) throws -> Record {
    try object(at: indexPath)
  }

  /// The titles of the index beside the list, without repetition.
  public func sectionIndexTitles() -> [String] { sectionIndex.titles }

  /// The first section of a title in the index.
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
