public import SQLiteStorage
public import SectionedData

/// The records of a request in sections, as a list shows them.
///
/// A provider keeps only the row order in memory. It reads records in batches when the caller asks
/// for them, all from one version of the database, so a list never shows half of a transaction.
///
/// ```swift
/// let provider = try FetchedResultsProvider(
///   database: database,
///   request: Track.all.filter("milliseconds > \(60_000)").sorted(by: \.name),
///   sectionedBy: \.genre)
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
  /// The request; ``setRequest(_:silently:resetAbove:)`` replaces it.
  public var request: FetchRequest<Record> { fetch.request }

  /// The object of the app that is notified of changes. It is not kept alive.
  ///
  /// ``FetchedResultsProviderDelegate`` says how a class on an actor conforms.
  public weak var delegate: (any FetchedResultsProviderDelegate<Record>)?
  /// The object that is notified of the same batches, each as one value. It is not kept alive.
  ///
  /// A data source, a filter or a composed list sets itself here: every `ViewModelDataProvider` has such an observer.
  /// If nothing sets itself here, one object can observe providers of different record types; a ``delegate`` has one.
  ///
  /// The observer's `contentWillChange` follows the delegate's `providerWillChangeContent`, and its `contentDidChange`
  /// precedes `providerDidChangeContent`. The observer is also notified of a reset when ``performFetch()`` replaces the
  /// content.
  public weak var observer: (any TableChangesObserver)?

  /// The content that is shown; nil before the first fetch. Set by `show` and `replaceContent`.
  private(set) var content: SnapshotReader<Record>?
  /// Fetches the content.
  var fetch: ResultLoader<Record> {
    didSet { idCoding = nil }
  }
  let engine: EngineQueue
  /// The calls of `setRequest` that wait for their result.
  let requests = SupersedingCalls<SetRequest>()
  /// The calls of `performFetch` that wait for their result.
  let fetches = SupersedingCalls<Void>()
  /// The providers that move together with this one: those that observe on the same actor. A provider that does not
  /// observe is alone in its group.
  private(set) var group: ObservationGroup
  /// The state between *will* and *did*.
  var delivery = Delivery()
  /// The calls that wait for the end of a batch.
  var postponed = Postponed()
  /// Whether the delegate does not know the content, since the call that replaced it silently has not
  /// returned. Batches until then start from that content, so only the observer is notified of them.
  var isUnknownToDelegate = false
  /// Whether only the first rows are shown, since the fetch of the whole result has failed. The next success shows all.
  var lacksRows = false
  /// The sections; nil if they have not been read since the last change.
  var sectionCache: [SectionInfo]?
  /// How the `id` of a record follows from its key, and the columns of the key; nil if no identity has
  /// been asked for. The coding is nil if the key is not the `id`.
  var idCoding: (key: [String], coding: IDCoding?)?

  /// Makes a provider, which has no content before ``performFetch()``.
  ///
  /// - Parameter sectionKey: the key that divides the result into sections; nil for one section
  ///   with all records, which exists even if it is empty.
  /// - Throws: `FetchError` and `DatabaseError` if the request is not valid for this database.
  public init(
    database: Database, request: FetchRequest<Record>, sectionedBy sectionKey: SectionKey<Record>?
  ) throws {
    self.database = database
    engine = EngineQueue(of: database)
    group = ObservationGroup(of: database, on: nil, engine: engine)
    fetch = ResultLoader(database: database, request: request, sectionKey: sectionKey)
    try fetch.validate()
    group.add(self)
  }

  /// Makes a provider without sections.
  ///
  /// - Throws: the same as `init(database:request:sectionedBy:)` with a `SectionKey`.
  public convenience init(database: Database, request: FetchRequest<Record>) throws {
    try self.init(database: database, request: request, sectionedBy: nil)
  }

  /// Makes a provider with one section for each value of a property.
  ///
  /// - Parameter keyPath: a stored property, by which SQL sorts and divides; or a computed
  ///   property. The request's order must then keep rows with equal values together. See
  ///   ``SectionKey``.
  /// - Throws: the same as `init(database:request:sectionedBy:)` with a `SectionKey`.
  public convenience init<Key: ColumnValue>(
    database: Database, request: FetchRequest<Record>,
    sectionedBy keyPath: any KeyPath<Record, Key> & Sendable
  ) throws {
    try self.init(database: database, request: request, sectionedBy: .property(keyPath))
  }

  /// Shows the next version.
  ///
  /// - Parameters:
  ///   - way: how it is reached.
  ///   - isDelivered: whether to keep the old content until *did* has returned.
  func show(_ next: ResultUpdate, by way: Way, isDelivered: Bool) {
    if case .set(let fetch, _) = way { self.fetch = fetch }
    lacksRows = lacksRows && !hasAllRows(next.version)
    let old = content
    // Whoever shows these rows reads them from the newer version from now on.
    if case .advance = way, next.changes.isEmpty, let old { return old.move(to: next.version) }
    if isDelivered { (delivery.previous, delivery.source) = (old, next.source) }
    content = SnapshotReader(next.version, request.description, request.totals)
    if !isDelivered { release(old, replacedBy: way) }
    sectionCache = nil
  }

  /// Frees the old content elsewhere if it shares no rows with the new one: that takes milliseconds for many rows, for which
  /// the caller's actor need not wait.
  func release(_ old: SnapshotReader<Record>?, replacedBy way: Way) {
    guard let old, old.version.layout.count > 10_000 else { return }
    if case .advance = way { return }
    engine.release(old.version)
  }
}

// MARK: - Fetching

extension FetchedResultsProvider {
  /// Fetches the newest version of the result. If an error is thrown, the content stays the same.
  ///
  /// The delegate is not notified, also not of another request that is set meanwhile by the delegate of a
  /// provider that observes together with this one. If the delegate calls this method while it is
  /// notified of changes, the newer changes follow as the next batch.
  ///
  /// All providers that observe together with this one move to the same version: see ``refresh()``.
  ///
  /// Complexity: O(n) if an SQL index has the order, else O(n log n). No record is read, unless the
  /// sections come from a computed property.
  ///
  /// - Throws: `FetchError` with code `.tornSection` if the order separates records of one section, and with code
  ///   `.invalidKey` if a key is not unique; `DatabaseError`. Also the errors of ``refresh()`` if another provider
  ///   cannot move to the version.
  public func performFetch() throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    defer { isUnknownToDelegate = false }
    try group.move(by: step(.fetch(silently: true)))
    // Only a fetch that succeeds supersedes an earlier one.
    engine.begin(.fetch)
    fetches.supersede(by: ())
  }

  /// Fetches the newest version of the result, as ``performFetch()`` does, without blocking the
  /// calling actor.
  ///
  /// If a later fetch begins in the meantime, this call ends as that one does. If another request is set, its result is
  /// fetched.
  ///
  /// - Throws: the same as ``performFetch()``, and `CancellationError` if the task was cancelled.
  public func performFetch(isolation: isolated (any Actor)? = #isolation) async throws {
    guard !isBusy else { return postpone { $0.refresh = true } }
    defer { isUnknownToDelegate = false }
    try await fetchOrFollow(silently: true)
  }

  /// Whether changes from version to version are needed.
  var isTracked: Bool { delegate != nil || observer != nil || group.followsCommits }
}

// MARK: - Observing

extension FetchedResultsProvider {
  /// Moves to the newest version after each commit, and notifies the delegate of the changes.
  ///
  /// The changes are computed on the engine queue. The delegate is notified on the actor that
  /// called this method. If commits are faster than the notifications, several commits become one
  /// batch.
  ///
  /// All providers of one database that observe on one actor move to the same version together. In
  /// `providerWillChangeContent` each provider still shows the old version; from the first change on, all show the new
  /// version. The same is true for a call: ``refresh()`` and ``performFetch()`` of an observing provider move all of
  /// them, or throw and move none.
  ///
  /// A provider that cannot reach the newest version reports the error once and keeps its content.
  /// The other providers then continue without it until it can follow.
  ///
  /// Call it after ``performFetch()``: if nothing has been fetched yet, the result is fetched on the engine queue, and the
  /// delegate is notified of a `reset`.
  ///
  /// Call it on an actor: in an app the main actor. Code without an actor calls ``refresh()`` or iterates
  /// ``FetchedUpdates``. Neither the provider nor the actor is kept alive.
  public func startObserving(isolation: isolated (any Actor) = #isolation) {
    guard !group.followsCommits else { return }
    join(ObservationGroup.shared(of: database, on: isolation))
  }

  /// Ends what ``startObserving(isolation:)`` began. After it returns, no more batches are
  /// delivered.
  ///
  /// If the delegate calls it while it is notified of a batch, the rest of that batch is still
  /// delivered.
  public func stopObserving() {
    guard group.followsCommits else { return }
    join(ObservationGroup(of: database, on: nil, engine: engine))
  }

  private func join(_ next: ObservationGroup) {
    group.remove(self)
    group = next
    next.add(self)
  }
}
