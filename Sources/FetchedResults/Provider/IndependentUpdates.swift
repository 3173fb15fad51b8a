package import SQLiteStorage

/// The versions of any number of results of one database, which move together, for a consumer that shows the errors of
/// each: all updates of an element lead to one version of the database.
///
/// ``FetchedUpdates`` describes the updates and the end, ``VersionSteps`` the steps. A result that cannot follow has its
/// error in the element; its next update leads from the version that it kept. If it has none yet, it is fetched, and its
/// first update has no old version. Not for results whose number is known: see ``JointUpdates``.
///
/// Sendable: each iterator observes separately.
package struct IndependentUpdates<Record: Sendable>: AsyncSequence, Sendable {
  /// The update or the error of each result, in the order of the requests.
  package typealias Element = [Result<FetchedUpdate<Record>, any Error>]

  private let fetches: [ResultLoader<Record>]
  private let database: Database

  /// Makes the sequence for one or more requests.
  package init(
    database: Database,
    requests: [(request: FetchRequest<Record>, sectionKey: SectionKey<Record>?)]
  ) {
    precondition(!requests.isEmpty, "There is at least one request.")
    self.database = database
    fetches = requests.map {
      ResultLoader(looping: $0.request, sectionKey: $0.sectionKey, in: database)
    }
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(
      steps: VersionSteps(fetches, of: database, .othersMove), fetches: fetches,
      current: fetches.map { _ in nil })
  }

  /// Iterates over the versions.
  ///
  /// Not Sendable: it belongs to the task that iterates.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var steps: VersionSteps
    fileprivate let fetches: [ResultLoader<Record>]
    /// The version that each result has reached; nil before its first one.
    fileprivate var current: [FetchedSnapshot<Record>?]

    /// The next version.
    ///
    /// - Throws: `DatabaseError` if the database cannot be read, or was replaced.
    package mutating func next() async throws -> Element? {
      guard let steps = try await steps.next() else { return nil }
      let element = steps.indices.map { position in
        steps[position].map {
          FetchedUpdate(from: current[position], by: $0, of: fetches[position])
        }
      }
      current = element.indices.map { (try? element[$0].get())?.new ?? current[$0] }
      return element
    }
  }
}
