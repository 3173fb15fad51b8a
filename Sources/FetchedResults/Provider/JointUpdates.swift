internal import SQLiteStorage
internal import SectionedData

/// The versions of several results of one database, which move together: for a server or a screen whose lists must agree.
///
/// ```swift
/// let tracks = FetchedUpdates(database: database, request: Track.all, sectionedBy: \.genre)
/// let albums = FetchedUpdates(database: database, request: Album.all)
/// for try await (tracks, albums) in JointUpdates(tracks, albums) {
///   print(tracks.changes, albums.changes, tracks.new.databaseSnapshot === albums.new.databaseSnapshot)
/// }
/// ```
///
/// All updates of an element lead to one version of the database, from which anything else can be read:
/// ``FetchedSnapshot/databaseSnapshot``. The first element has the current results. A later one has the changes since the
/// element before; those of a result that has not changed are empty. A transaction that changes none of the results
/// gives no element. Otherwise it is as ``FetchedUpdates``.
///
/// If one result cannot follow, its error ends the iteration, and no result has moved: call `next()` again to continue from
/// the last element.
///
/// Sendable: each iterator observes separately.
public struct JointUpdates<Element: Sendable>: AsyncSequence, Sendable {
  private let fetches: [any VersionLoading]
  private let database: Database
  private let makeElement: MakeElement

  /// Makes an element of the updates of all results, and the element before; nil for the first.
  fileprivate typealias MakeElement = @Sendable ([ResultUpdate], Element?) -> Element

  /// Joins sequences of one database. An element is a tuple with an update for each of them.
  ///
  /// The sequence is generic over the tuple, and not over the records: Swift 6.3 cannot take apart a tuple of a
  /// parameter pack in a `for` loop.
  public init<each Record: Sendable>(
    _ lists: repeat FetchedUpdates<each Record>
  ) where Element == (repeat FetchedUpdate<each Record>) {
    var fetches: [any VersionLoading] = []
    var databases: [Database] = []
    for list in repeat each lists {
      fetches.append(list.fetch)
      databases.append(list.fetch.database)
    }
    precondition(
      !databases.isEmpty && databases.allSatisfy { $0 === databases[0] },
      "JointUpdates needs lists of one Database")
    (self.fetches, database) = (fetches, databases[0])
    let loaders = (repeat (each lists).fetch)
    makeElement = { updates, last in
      var updates = updates[...]
      if let last {
        return (repeat update(of: each loaders, &updates, from: (each last).new))
      }
      return (repeat update(of: each loaders, &updates, from: nil))
    }
  }

  /// Makes an iterator, whose first element has the results at the time of the first `next()`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(steps: VersionSteps(fetches, of: database, .allStay), makeElement: makeElement)
  }

  /// Iterates over the versions.
  ///
  /// Not Sendable: it belongs to the task that iterates.
  public struct Iterator: AsyncIteratorProtocol {
    private var steps: VersionSteps
    private let makeElement: MakeElement
    /// The last element; nil before the first.
    private var last: Element?

    fileprivate init(steps: VersionSteps, makeElement: @escaping MakeElement) {
      (self.steps, self.makeElement) = (steps, makeElement)
    }

    /// The next version.
    ///
    /// - Throws: `FetchError` and `DatabaseError`.
    public mutating func next() async throws -> Element? {
      while let results = try await steps.next() {
        let updates = try results.map { try $0.get() }
        let isFirst = last == nil
        let element = makeElement(updates, last)
        last = element
        if isFirst || updates.contains(where: { !$0.changes.isEmpty }) { return element }
      }
      return nil
    }
  }
}

/// Takes the first of some updates.
private func update<Record>(
  of fetch: ResultLoader<Record>, _ updates: inout ArraySlice<ResultUpdate>,
  from old: FetchedSnapshot<Record>?
) -> FetchedUpdate<Record> { FetchedUpdate(from: old, by: updates.removeFirst(), of: fetch) }
