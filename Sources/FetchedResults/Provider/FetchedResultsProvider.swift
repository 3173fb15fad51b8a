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
  /// What is fetched.
  public let request: FetchRequest<Record>

  /// Told what changes. It is not kept alive.
  public weak var delegate: (any FetchedResultsProviderDelegate<Record>)?

  /// What is shown; nil before the first fetch.
  private(set) var content: (any ResultsContent<Record>)?
  let fetch: ResultsFetch<Record>
  let engine = EngineQueue()
  /// Delivers changes as they are committed; nil while nobody asks for that.
  var observation: Task<Void, Never>?
  private var isDelivering = false
  /// Whether a fetch was asked for by the delegate while it was told of another.
  private var isFetchPending = false
  private var cachedSections: [SectionInfo] = []
  private var cachedSectionIndex = SectionIndex(sections: [])

  /// Makes a provider, which has no content before ``performFetch()``.
  ///
  /// - Parameter sectionKey: what divides the result into sections; nil for one section with all
  ///   records, which is also there when there are none.
  /// - Throws: `FetchError` and `DatabaseError` where the request cannot be served.
  public init(
    database: Database, request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?
  ) throws {
    self.database = database
    self.request = request
    fetch = ResultsFetch(database: database, request: request, sectionKey: sectionKey)
    try fetch.validate()
  }

  deinit { observation?.cancel() }

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

  /// Fetches the newest version of the result. On an error the content stays as it was.
  ///
  /// The delegate is told nothing; but where it calls this while it is told of changes, what is new
  /// comes as the next batch.
  ///
  /// Complexity: O(n) with an SQL index that has the order, O(n log n) without. No record is read,
  /// unless the sections come from a computed property.
  ///
  /// - Throws: `FetchError` of code `.tornSection` where the order separates records of one section
  ///   and `.invalidKey` where a key is `NULL` or not unique; `DatabaseError`.
  public func performFetch() throws {
    guard !isDelivering else {
      isFetchPending = true
      return
    }
    show(try fetch.run(isTracked: delegate != nil || observation != nil).makeContent())
  }

  private func show(_ content: any ResultsContent<Record>) {
    self.content = content
    cachedSections = (0..<content.sectionCount).map { section in
      let name = content.section(at: section).name
      return SectionInfo(
        name: name, indexTitle: name.flatMap(indexTitle(forSectionName:)),
        numberOfRows: content.rows(inSection: section).count)
    }
    cachedSectionIndex = SectionIndex(sections: cachedSections)
  }

  private func indexTitle(forSectionName name: String) -> String? {
    guard let delegate else { return SectionInfo.indexTitle(forName: name) }
    return delegate.provider(self, sectionIndexTitleForSectionName: name)
  }
}

// MARK: - Changes

extension FetchedResultsProvider {
  /// Goes to the newest version and tells the delegate what changed, on the spot.
  ///
  /// Before the first fetch it does nothing. Called by the delegate while it is told of changes, it
  /// waits until that is over: what is new then comes as the next batch, to the delegate alone.
  ///
  /// Complexity: O(k log n) for k changed rows; O(n) where ``maintenance`` is a comparison, or more
  /// than about one row in thirty was touched.
  ///
  /// - Returns: what changed; empty where nothing did.
  /// - Throws: `FetchError` and `DatabaseError`; then the content is as it was, and the next success
  ///   goes on from there.
  @discardableResult
  public func refresh() throws -> TableChanges {
    guard !isDelivering else {
      isFetchPending = true
      return TableChanges()
    }
    guard let content else { return TableChanges() }
    guard let next = try content.advance(by: fetch)() else { return TableChanges() }
    deliver(next)
    return next.changes
  }

  /// Shows what is next, and tells the delegate: will, sections, rows, all of it, did.
  func deliver(_ next: NextContent<Record>) {
    let changes = next.changes
    guard !changes.isEmpty else {
      // The same rows, but read from a version that need not be kept any longer.
      return show(next.makeContent())
    }
    isDelivering = true
    delegate?.providerWillChangeContent(self)
    show(next.makeContent())
    tell(changes)
    delegate?.providerDidChangeContent(self)
    isDelivering = false
    if isFetchPending {
      isFetchPending = false
      do {
        // Not a fetch: the delegate shows what it was told, and must be told how to go on.
        try refresh()
      } catch {
        delegate?.provider(self, didFailWith: error)
      }
    }
  }

  private func tell(_ changes: TableChanges) {
    guard let delegate else { return }
    for section in changes.deletedSections {
      delegate.provider(self, didChangeSectionAt: section, for: .delete)
    }
    for section in changes.insertedSections {
      delegate.provider(self, didChangeSectionAt: section, for: .insert)
    }
    for change in changes.rowChanges { delegate.provider(self, didChange: change) }
    delegate.provider(self, didChange: changes)
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
    return content.identity(at: position)
  }

  /// The place of a record; nil where it is not in the result.
  ///
  /// The record is recognised by its key: its other properties may have changed.
  ///
  /// Complexity: as ``indexPath(forIdentity:)``.
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
    guard indexPath.count == 2 else { throw TableDataError.malformedIndexPath(indexPath) }
    guard 0..<content.sectionCount ~= indexPath.section else {
      throw TableDataError.sectionOutOfRange(indexPath, count: content.sectionCount)
    }
    let rows = content.rows(inSection: indexPath.section)
    guard 0..<rows.count ~= indexPath.row else {
      throw TableDataError.rowOutOfRange(indexPath, count: rows.count)
    }
    return (content, rows.lowerBound + indexPath.row)
  }
}

// MARK: - Sections

extension FetchedResultsProvider: ViewModelDataProvider {
  /// The sections, in order; empty before the first fetch.
  ///
  /// A section's name is its key as text; `NULL` has the empty name, as in Core Data.
  public var sections: [SectionInfo] { cachedSections }

  /// The value that the records of a section have in common; nil for a result that is not divided.
  /// Unlike the name it tells `NULL` from the empty string.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func sectionKey(at section: Int) throws -> Value? {
    guard let content, 0..<content.sectionCount ~= section else {
      throw TableDataError.sectionOutOfRange(section, count: content?.sectionCount ?? 0)
    }
    return content.section(at: section).value
  }

  /// The record at a place, as ``object(at:)``.
  public func itemForRow(atIndexPath indexPath: IndexPath) throws -> Record {
    try object(at: indexPath)
  }

  /// The titles of the index beside the list, without repetition.
  public func sectionIndexTitles() -> [String] { cachedSectionIndex.titles }

  /// The first section of a title in the index.
  ///
  /// - Parameter position: the title's position in ``sectionIndexTitles()``.
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try cachedSectionIndex.section(forTitle: title, at: position)
  }
}
