package import SQLiteStorage
internal import TableData

/// The versions of several results of one database, which move together: all results of an element are
/// of one version of the database.
///
/// ``FetchedUpdates`` describes the elements, the errors and the end. Results that have not changed have no
/// changes, and there is an element also for a version in which none has changed: a consumer that keeps the
/// new results of the last element then keeps the newest version and no older one. If one result cannot
/// move, none does.
///
/// Sendable: each iterator observes separately.
package struct JointUpdates<Record: Sendable>: AsyncSequence, Sendable {
  /// An update of each result, in the order of the requests.
  package typealias Element = [FetchedUpdates<Record>.Element]

  /// The error of one of the results.
  package struct ResultFailure: Error {
    /// The position of the request.
    package let position: Int
    package let error: any Error
  }

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
      ResultLoader(database: database, request: $0.request, sectionKey: $0.sectionKey)
    }
  }

  package func makeAsyncIterator() -> Iterator { Iterator(fetches, of: database) }

  /// Iterates over the versions.
  ///
  /// Not Sendable: it belongs to the task that iterates.
  package struct Iterator: AsyncIteratorProtocol {
    private let database: Database
    private let fetches: [ResultLoader<Record>]
    private let engine: EngineQueue
    private var attempts: ObservationAttempts
    /// The results of the last version; empty before the first.
    private var current: [FetchedSnapshot<Record>] = []

    fileprivate init(_ fetches: [ResultLoader<Record>], of database: Database) {
      self.database = database
      self.fetches = fetches
      engine = EngineQueue(of: database)
      attempts = ObservationAttempts(of: database)
    }

    /// The next version.
    ///
    /// - Throws: ``ResultFailure`` if one of the results cannot be read; `DatabaseError` if the database
    ///   cannot.
    package mutating func next() async throws -> Element? {
      guard await attempts.begin() else { return nil }
      do {
        let element = try await nextElement()
        attempts.end()
        return element
      } catch {
        attempts.end(with: (error as? ResultFailure)?.error ?? error)
        throw error
      }
    }

    private mutating func nextElement() async throws -> Element? {
      while !Task.isCancelled {
        guard let updates = try await step() else {
          guard await attempts.waitForSignal() else { return nil }
          continue
        }
        let element = updates.indices.map { position in
          FetchedUpdates<Record>.Element(
            old: current.isEmpty ? nil : current[position],
            new: FetchedSnapshot(updates[position].version, fetches[position].request.description),
            changes: updates[position].changes, source: updates[position].source)
        }
        current = element.map(\.new)
        return element
      }
      return nil
    }

    /// The results in the newest version; nil if they are the current ones.
    private func step() async throws -> [ResultUpdate]? {
      let versions = current.map(\.version)
      return try await engine.run { [database, fetches] () -> [ResultUpdate]? in
        let newest = try database.snapshot()
        if let version = versions.first, version.origin === newest { return nil }
        return try fetches.indices.map { position in
          do {
            let fetch = fetches[position]
            guard !versions.isEmpty else { return try fetch.fetch(from: newest, isTracked: true) }
            return try fetch.advance(versions[position], to: newest)
              ?? ResultUpdate(version: versions[position])
          } catch {
            throw ResultFailure(position: position, error: error)
          }
        }
      }.get()
    }
  }
}
