public import SQLiteStorage
public import SectionedData

// MARK: - Records

extension FetchedResultsProvider {
  /// The records in order, each read when the caller asks for it; nil before the first fetch.
  public var fetchedObjects: FetchedObjects<Record>? { content.map(FetchedObjects.init) }

  /// The record at an index path.
  ///
  /// - Throws: `TableDataError` if the row does not exist, with the index path and the counts; `FetchError` with code
  ///   `.notFetched` before the first fetch; `DatabaseError` if the record cannot be read or decoded.
  public func object(at indexPath: IndexPath) throws -> Record {
    let (content, position) = try position(of: indexPath)
    return try content.record(at: position)
  }

  /// The records of a section, in order. For many, read one at a time: ``object(at:)``.
  ///
  /// Complexity: O(k) for k records, which are read at once.
  ///
  /// - Throws: `TableDataError` if the section does not exist; otherwise the same as ``object(at:)``.
  public func objects(inSection section: Int) throws -> [Record] {
    try (0..<numberOfRows(inSection: section)).map {
      try object(at: IndexPath(row: $0, section: section))
    }
  }

  /// The identity of the record at an index path. Keep it to remember a selection.
  ///
  /// Complexity: O(log n). In results of more than a million rows it reads about 1,024 rows; in order, only once for
  /// each batch.
  ///
  /// - Throws: `TableDataError` if the row does not exist; `FetchError` with code `.notFetched` before the first fetch.
  public func identity(at indexPath: IndexPath) throws -> RowIdentity {
    let (content, position) = try position(of: indexPath)
    return try content.identity(at: position)
  }

  /// The index path of a record; nil if the record is not in the result.
  ///
  /// The record is found by its key: its other properties may have changed. The key may be stored in a form other than
  /// the one that the record writes, such as a UUID in lowercase.
  ///
  /// Complexity: the same as ``indexPath(forIdentity:)-(AnyHashable)``.
  ///
  /// - Throws: `FetchError` with code `.missingKey` if the key is not among the record's properties;
  ///   `DatabaseError`.
  public func indexPath(for record: Record) throws -> IndexPath? {
    guard let content else { return nil }
    let identity = try content.identity(of: record)
    if let path = try indexPath(forIdentity: identity) { return path }
    if let stored = try content.storedIdentity(of: identity),
      let path = try indexPath(forIdentity: stored)
    {
      return path
    }
    return try indexPath(ofRowStoredOtherwise: content) { $0.idOfRecord(record) }
  }

  /// The index path of the record with an identity; nil if it is not in the result.
  ///
  /// Complexity: O(log n) look-ups of single rows.
  ///
  /// - Throws: `DatabaseError`.
  public func indexPath(forIdentity identity: RowIdentity) throws -> IndexPath? {
    guard let content, let position = try content.version.position(of: identity) else { return nil }
    return content.indexPath(of: position)
  }

  /// The identity of the record at an index path, for a selection: the record's `id` if the record is
  /// `Identifiable` and its key is its `id`, else its ``RowIdentity``.
  ///
  /// So an array of the same records has the same identities. The `id` is made from the key, and the
  /// record is not read; only one record of a list is read once, in order to see that its key is its
  /// `id`. If the key is stored in a form that has no `id`, such as text that is not valid UTF-8 for a
  /// `String`, the row has its ``RowIdentity``.
  ///
  /// Complexity: the same as ``identity(at:)``.
  ///
  /// - Throws: `TableDataError` if the row does not exist; `FetchError` with code `.notFetched` before the first fetch.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    let (content, position) = try position(of: indexPath)
    return try itemIdentity(at: position, of: content)
  }

  func itemIdentity(
    at position: Int, of content: SnapshotReader<Record>
  ) throws -> AnyHashable {
    let identity = try content.identity(at: position)
    return idCoding(at: position, of: content)?.id(identity) ?? AnyHashable(identity)
  }

  /// The index path of the record with an identity: an `id`, as ``identityForRow(at:)`` returns it, or a
  /// ``RowIdentity``. Nil for any other type, or if the record is not in the result.
  ///
  /// Complexity: the same as ``indexPath(forIdentity:)-(RowIdentity)``. O(n) keys for an `id` that is not found, if
  /// keys are stored in another form than the `id`s are written, such as a UUID in lowercase.
  ///
  /// - Throws: `DatabaseError`.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    if let identity = identity.base as? RowIdentity { return try indexPath(forIdentity: identity) }
    guard let content, content.rowCount > 0, let coding = idCoding(at: 0, of: content),
      let key = coding.key(identity)
    else { return nil }
    return try indexPath(forIdentity: key)
      ?? indexPath(ofRowStoredOtherwise: content) { _ in identity }
  }

  /// The index path of the record with an `id` whose key is not as the `id` is written.
  ///
  /// Complexity: O(n) keys, if keys may be stored in another form.
  private func indexPath(
    ofRowStoredOtherwise content: SnapshotReader<Record>, _ id: (IDCoding) -> AnyHashable?
  ) throws -> IndexPath? {
    guard content.rowCount > 0, let coding = idCoding(at: 0, of: content), !coding.isExact,
      let id = id(coding)
    else { return nil }
    let keys = try content.version.identities(at: 0..<content.rowCount)
    return keys.firstIndex { coding.id($0) == id }.map(content.indexPath)
  }

  /// How the `id` of a record follows from its key; nil if its key is not its `id`, or if no record
  /// can be read.
  private func idCoding(at position: Int, of content: SnapshotReader<Record>) -> IDCoding? {
    if let idCoding, idCoding.key.exact == content.keyColumns.exact { return idCoding.coding }
    for position in [position] + Array(0..<min(content.rowCount, 8)) {
      do {
        let coding = try content.idCoding(at: position)
        idCoding = (content.keyColumns, coding)
        return coding
      } catch {
        // This record cannot be read, and says so when it is shown. Another one may be.
        continue
      }
    }
    return nil
  }

  private func position(
    of indexPath: IndexPath
  ) throws -> (content: SnapshotReader<Record>, position: Int) {
    let content = try content(for: indexPath)
    return (content, try content.position(of: indexPath))
  }

  func content(for indexPath: IndexPath) throws -> SnapshotReader<Record> {
    guard let content else {
      throw FetchError(
        .notFetched, "there is no row \(indexPath): nothing has been fetched",
        nextStep: "Call performFetch() first")
    }
    return content
  }
}

// MARK: - Sections

extension FetchedResultsProvider: ViewModelDataProvider {
  /// The sections, in order; empty before the first fetch.
  ///
  /// The name of a section is its key as text, or as ``SectionKey/titled(_:)`` makes it. The name for
  /// `NULL` is empty, as in Core Data.
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

  /// The identity of a section: a `SectionID` made from the key. It equals that of an in-memory section with that name.
  ///
  /// Under `NOCASE` the identity is in lowercase, and under `RTRIM` it has no spaces at the end, so a
  /// section keeps it if its first row is spelled differently. A collation of the application tells only
  /// how spellings are ordered, so under it each spelling has its own identity. If the result has no
  /// section key, the identity is that of an `ArrayDataProvider` without a title.
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    AnyHashable(try contentWithSection(section).identity(ofSection: section))
  }

  /// The section key: the value that the records of a section have in common, as the first record has
  /// it. Nil if the result has no section key. Unlike the name, it distinguishes `NULL` from the empty
  /// string.
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`.
  public func sectionKey(at section: Int) throws -> Value? {
    try contentWithSection(section).version.layout.section(at: section).value
  }

  /// The totals of a section.
  ///
  /// Complexity: O(log sections).
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`.
  public func totals(at section: Int) throws -> SectionTotals<Record> {
    try contentWithSection(section).sectionTotals(at: section)
  }

  /// The totals of all rows; nil before the first fetch. A batch that changes them says so:
  /// ``/TableData/TableChanges/updatesTotals``.
  public var totals: SectionTotals<Record>? { content?.listTotals }

  private func contentWithSection(_ section: Int) throws -> SnapshotReader<Record> {
    guard let content, 0..<content.sectionCount ~= section else {
      throw TableDataError.sectionOutOfRange(section, count: numberOfSections)
    }
    return content
  }

  private func info(
    ofSection section: Int, in content: SnapshotReader<Record>
  ) -> SectionInfo {
    let name = content.version.name(ofSection: section)
    return SectionInfo(
      name: name, indexTitle: name.flatMap(indexTitle(forSectionName:)),
      numberOfRows: content.rows(inSection: section).count)
  }

  private func indexTitle(forSectionName name: String) -> String? {
    guard let delegate else { return SectionInfo.indexTitle(forName: name) }
    return delegate.provider(self, sectionIndexTitleForSectionName: name)
  }

  /// The number of rows of a section.
  ///
  /// Complexity: O(log sections).
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try contentWithSection(section).rows(inSection: section).count
  }

  /// The record at an index path: see ``object(at:)``.
  public func item(at indexPath: IndexPath) throws -> Record { try object(at: indexPath) }
}

// MARK: - Maintenance

extension FetchedResultsProvider {
  /// How the result is kept up to date; nil before the first fetch.
  ///
  /// The rows that other connections and processes touched are found in the pages that they wrote.
  /// If the pages do not show them, both versions are compared, whatever this value says.
  ///
  /// `explanation(isMeasured:)` of `FetchedResultsExplaining` shows the queries, and the indexes that would
  /// help.
  public var maintenance: Maintenance? {
    shownVersion.map { Maintenance($0.source.plan.maintenance) }
  }

  /// The section key of the request; nil if the result is not divided.
  package var sectionKey: SectionKey<Record>? { fetch.sectionKey }

  /// How the changed rows of the current batch were detected.
  ///
  /// Set from the first change of the batch until `providerDidChangeContent` has returned. Nil at any other time, and
  /// for the changes of another request in the same version.
  public var changeSource: ChangeSource? { delivery.source }
}
