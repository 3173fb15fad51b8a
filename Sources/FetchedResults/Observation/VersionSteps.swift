internal import SQLiteStorage

/// What a loop over versions needs of a ``ResultLoader``, without the type of its records.
protocol VersionLoading: Sendable {
  /// The result that loops over equal requests share; nil if it is not known which are equal.
  func shared(in origin: Snapshot) throws -> SharedResult?
  func fetchShared(from origin: Snapshot) throws -> SharedUpdate
  /// Advances a version to a newer one, or shares the step.
  func advance(
    _ version: ResultsVersion, of shared: SharedResult?, to origin: Snapshot
  ) throws -> SharedUpdate
}

extension ResultLoader: VersionLoading {}

/// The steps of several results of one database from version to version, which they take together: for a loop.
///
/// There is a step also to a version in which no result has changed: who keeps the results of the last step then
/// keeps the newest version and no older one.
///
/// Not Sendable: it belongs to the task that iterates.
struct VersionSteps {
  /// What happens if a result cannot follow. It is tried again with the next version.
  enum FailurePolicy {
    /// All results keep their versions, and the error is thrown.
    case allStay
    /// The result has its error, and keeps its version; the others move.
    case othersMove
  }

  private let database: Database
  private let fetches: [any VersionLoading]
  private let policy: FailurePolicy
  private let engine: EngineQueue
  private let attempts: ObservationAttempts
  /// The version that each result has reached; nil before its first one.
  private var current: [ResultsVersion?]
  /// What each result shares with other loops over an equal request.
  private var shared: [SharedResult?]

  /// How long it may take to reach a version. Then all statements of the database are interrupted, so it is for
  /// a database that nothing else reads.
  var timeLimit: Duration?

  init(_ fetches: [any VersionLoading], of database: Database, _ policy: FailurePolicy) {
    self.database = database
    self.fetches = fetches
    self.policy = policy
    engine = EngineQueue(of: database)
    attempts = ObservationAttempts(of: database)
    current = fetches.map { _ in nil }
    shared = fetches.map { _ in nil }
  }

  /// The next step of each result, as the element of a loop; nil if the task is cancelled.
  ///
  /// - Parameter makeElement: makes the element. If it throws, no result has moved.
  /// - Throws: `DatabaseError` if the database cannot be read, or was replaced; if all stay, the error of a result too; and
  ///   what `makeElement` throws. The same error is thrown once, until an attempt succeeds.
  mutating func next<Element>(
    _ makeElement: ([Result<ResultUpdate, any Error>]) throws -> Element
  ) async throws -> Element? {
    try await attempts.element {
      guard let steps = try await attempts.step({ try await step() }) else { return nil }
      let errors = steps.compactMap(\.error)
      if case .allStay = policy, let error = errors.first { throw error }
      let element = try makeElement(steps.map { $0.map(\.update) })
      shared = steps.indices.map { (try? steps[$0].get())?.shared ?? shared[$0] }
      current = steps.indices.map { (try? steps[$0].get())?.update.version ?? current[$0] }
      return (element, errors)
    }
  }

  /// The results in the newest version; nil if all are of it already.
  private mutating func step() async throws -> [Result<SharedUpdate, any Error>]? {
    if fetches.count == 1, current[0] == nil {
      shared[0] = try await engine.run { [database, fetch = fetches[0]] in
        try database.withSnapshot { try fetch.shared(in: $0) }
      }.get()
    }
    // Loops over equal requests take turns on one queue, so that no thread waits for another.
    let queue = fetches.count == 1 ? shared[0]?.engine ?? engine : engine
    return try await queue.run { [database, fetches, shared, timeLimit, current] in
      let limit = timeLimit.map { TimeLimit($0, database) }
      defer { limit?.end() }
      let reached = current.compactMap { $0?.snapshot }
      let known = shared.lazy.compactMap { $0?.newest(in: database, after: reached) }.first
      func steps(to newest: Snapshot) throws -> [Result<SharedUpdate, any Error>]? {
        if current.allSatisfy({ $0?.snapshot === newest }) { return nil }
        return try fetches.indices.map { position in
          try Self.step(fetches[position], current[position], shared[position], to: newest)
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
    _ fetch: any VersionLoading, _ version: ResultsVersion?, _ shared: SharedResult?,
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

extension Result {
  /// The error; nil after a success.
  package var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
