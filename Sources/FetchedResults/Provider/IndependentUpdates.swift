public import SQLiteStorage

/// The versions of any number of results of one database, which move together, for a consumer that shows the errors of
/// each.
///
/// ```swift
/// let lists = IndependentUpdates(
///   database: database,
///   requests: genres.map { genre in (Track.all.where { $0.genre == genre }, nil) })
/// for try await results in lists {
///   for (genre, result) in zip(genres, results) {
///     switch result {
///     case .success(let update): print(genre, update.new.numberOfRows)
///     case .failure(let error): print(genre, error)
///     }
///   }
/// }
/// ```
///
/// All updates of an element lead to one version of the database. The first element has the current results. A later one has
/// the changes since the element before; those of a result that has not changed are empty. A version in which none has
/// changed is an element too. A result that cannot follow has its error in the element; its next update leads from the
/// version that it kept. If it has none yet, it is fetched, and its first update has no old version.
///
/// If the number of results is known, and they are of different records, use ``JointUpdates``.
///
/// Sendable: each iterator observes separately.
public struct IndependentUpdates<Record: Sendable>: AsyncSequence, Sendable {
  /// The update or the error of each result, in the order of the requests.
  public typealias Element = [Result<FetchedUpdate<Record>, any Error>]

  private let fetches: [ResultLoader<Record>]
  private let database: Database

  /// Makes the sequence for one or more requests, each with the key that divides its result; nil for one section.
  public init(
    database: Database,
    requests: [(request: FetchRequest<Record>, sectionKey: SectionKey<Record>?)]
  ) {
    precondition(!requests.isEmpty, "There is at least one request.")
    self.database = database
    fetches = requests.map {
      ResultLoader(looping: $0.request, sectionKey: $0.sectionKey, in: database)
    }
  }

  /// Makes an iterator, whose first element is the results at the time of the first `next()`. It throws `DatabaseError` if the
  /// database cannot be read, or was replaced.
  public func makeAsyncIterator() -> VersionIterator<Element> {
    VersionIterator(fetches, of: database, .othersMove) { [fetches] steps, last in
      let current = last?.map { try? $0.get().new }
      let element: Element = steps.indices.map { position in
        steps[position].map {
          FetchedUpdate(from: current?[position], by: $0, of: fetches[position])
        }
      }
      // The next update of a result that has failed leads from the version that it has kept.
      let kept = element.indices.map { position in
        let reached = element[position].map(\.asFirst)
        return reached.error == nil ? reached : last?[position] ?? reached
      }
      return JointElement(element, isNew: true, keeping: kept)
    }
  }
}
