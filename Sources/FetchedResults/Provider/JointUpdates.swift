package import SQLiteStorage
internal import SectionedData

/// The versions of several results of one database, which move together: all updates of an element lead to
/// one version of the database.
///
/// ``FetchedUpdates`` describes the updates and the end. Results that have not changed have no changes, and
/// there is an element also for a version in which none has changed: a consumer that keeps the new results of
/// the last element then keeps the newest version and no older one.
///
/// A result that cannot follow has its error in the element, and keeps its version; the others move. It is
/// tried again for each later version, and its next update leads from the version that it kept. If it has none
/// yet, it is fetched, and its first update has no old version.
///
/// Sendable: each iterator observes separately.
package struct JointUpdates<Record: Sendable>: AsyncSequence, Sendable {
  /// The update or the error of each result, in the order of the requests.
  package typealias Element = [Result<FetchedUpdates<Record>.Element, any Error>]

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
      var request = $0.request
      // A consumer may read each version until it asks for the next one.
      request.keepsRows = true
      return ResultLoader(database: database, request: request, sectionKey: $0.sectionKey)
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
    /// The version that each result has reached; nil before its first one.
    private var current: [FetchedSnapshot<Record>?]
    /// What each result shares with other loops over an equal request.
    private var shared: [SharedResult?]

    /// How long it may take to reach a version. Then all statements of the database are interrupted, so it is for
    /// a database that nothing else reads.
    var timeLimit: Duration?

    fileprivate init(_ fetches: [ResultLoader<Record>], of database: Database) {
      self.database = database
      self.fetches = fetches
      engine = EngineQueue(of: database)
      attempts = ObservationAttempts(of: database)
      current = fetches.map { _ in nil }
      shared = fetches.map { _ in nil }
    }

    /// The next version.
    ///
    /// - Throws: `DatabaseError` if the database cannot be read, or was replaced.
    package mutating func next() async throws -> Element? {
      guard await attempts.begin() else { return nil }
      do {
        let element = try await nextElement()
        attempts.end(with: element?.compactMap(\.error) ?? [])
        return element
      } catch {
        attempts.end(with: [error])
        throw error
      }
    }

    private mutating func nextElement() async throws -> Element? {
      while !Task.isCancelled {
        guard let steps = try await stepUnlessClosed() else {
          guard await attempts.waitForSignal() else { return nil }
          continue
        }
        let element = steps.indices.map { position in
          steps[position].map { step in
            FetchedUpdates<Record>.Element(
              old: current[position],
              new: FetchedSnapshot(step.update.version, fetches[position].request.description),
              changes: step.update.changes, source: step.update.source)
          }
        }
        shared = steps.indices.map { (try? steps[$0].get())?.shared ?? shared[$0] }
        current = element.indices.map { (try? element[$0].get())?.new ?? current[$0] }
        return element
      }
      return nil
    }

    /// A step; nil if the database is suspended or closed. When it is resumed, there is a signal.
    private mutating func stepUnlessClosed() async throws -> [Result<SharedUpdate, any Error>]? {
      do {
        return try await step()
      } catch let error as DatabaseError where error.code == .closed {
        return nil
      }
    }

    /// The results in the newest version; nil if all are of it already.
    private mutating func step() async throws -> [Result<SharedUpdate, any Error>]? {
      if fetches.count == 1, current[0] == nil {
        shared[0] = try await engine.run { [database, fetch = fetches[0]] in
          try database.withSnapshot { try fetch.shared(in: $0) }
        }.get()
      }
      let versions = current.map { $0?.version }
      // Loops over equal requests take turns on one queue, so that no thread waits for another.
      let queue = fetches.count == 1 ? shared[0]?.engine ?? engine : engine
      return try await queue.run { [database, fetches, shared, timeLimit] in
        let limit = timeLimit.map { TimeLimit($0, database) }
        defer { limit?.end() }
        let reached = versions.compactMap { $0?.snapshot }
        let known = shared.lazy.compactMap { $0?.newest(in: database, after: reached) }.first
        func steps(to newest: Snapshot) throws -> [Result<SharedUpdate, any Error>]? {
          if versions.allSatisfy({ $0?.snapshot === newest }) { return nil }
          return try fetches.indices.map { position in
            try Self.step(fetches[position], versions[position], shared[position], to: newest)
          }
        }
        do {
          if let known { return try known.whileReadable { try steps(to: known) } }
        } catch let error as DatabaseError where error.code == .versionExpired {
          // The version of the other loop was released, and is no longer the newest.
        }
        return try database.withSnapshot(steps)
      }.get()
    }

    private static func step(
      _ fetch: ResultLoader<Record>, _ version: ResultsVersion?, _ shared: SharedResult?,
      to newest: Snapshot
    ) throws -> Result<SharedUpdate, any Error> {
      do {
        guard let version else { return .success(try fetch.fetchShared(from: newest)) }
        return .success(try fetch.advance(version, of: shared, to: newest))
      } catch let error as DatabaseError where error.code == .fileReplaced {
        // Concerns the database, and so all results.
        throw error
      } catch {
        return .failure(error)
      }
    }
  }
}

extension Result {
  /// The error; nil after a success.
  package var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
