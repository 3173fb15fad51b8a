internal import SQLiteStorage
internal import TableData

/// The step of a provider from its content to the next version.
///
/// Not Sendable, except for ``work``: it belongs to the provider's actor.
final class ProviderStep<Record: Sendable>: ObservationStep {
  /// How the provider reaches the version.
  enum Way {
    /// From the content that is shown. The delegate is notified of the changes.
    case advance
    /// By a new fetch, which is delivered as a reset, to the delegate unless it is silent.
    case fetch(silently: Bool)
  }

  private let provider: FetchedResultsProvider<Record>
  private let way: Way
  private var base: SnapshotReader<Record>?
  private(set) var work: @Sendable (Snapshot) -> Void = { _ in }
  /// The result of the work; nil before ``start()``.
  private var outcome: Outcome?
  /// The next content; nil before ``begin()``.
  private var next: ResultUpdate?

  private final class Outcome: Sendable {
    /// The result for a version. Its content is nil if the version is already shown.
    let found = Locked<(Snapshot, Result<ResultUpdate?, any Error>)?>(nil)
  }

  init(of provider: FetchedResultsProvider<Record>, by way: Way) {
    self.provider = provider
    self.way = way
  }

  /// The changes; empty if there are none, or before ``begin()``.
  var changes: TableChanges { next?.changes ?? TableChanges() }

  var failure: (any Error)? {
    if case .failure(let error) = found { error } else { nil }
  }

  private var found: Result<ResultUpdate?, any Error>? {
    outcome?.found.withLock { $0?.1 }
  }

  func isStep(of provider: any ObservingProvider) -> Bool { self.provider === provider }

  func start() {
    guard outcome == nil || provider.content !== base else { return }
    base = provider.content
    let outcome = Outcome()
    self.outcome = outcome
    let find = makeWork()
    work = { snapshot in
      guard outcome.found.withLock({ $0?.0 }) !== snapshot else { return }
      let result = Result { try find(snapshot) }
      outcome.found.withLock { $0 = (snapshot, result) }
    }
  }

  private func makeWork() -> @Sendable (Snapshot) throws -> ResultUpdate? {
    let fetch = provider.fetch
    switch way {
    case .advance:
      guard let base else { return { _ in nil } }
      let version = base.version
      return { try fetch.advance(version, to: $0) }
    case .fetch:
      let isTracked = provider.isTracked
      return { try fetch.fetch(from: $0, isTracked: isTracked) }
    }
  }

  var isLate: Bool { provider.content !== base || provider.isDelivering }

  func begin() {
    guard provider.membership != nil, case .success(var next?) = found else { return }
    switch way {
    case .advance where next.changes.isEmpty: break
    case .advance: provider.tellWill()
    case .fetch(let silently):
      next.changes = provider.reset(to: next)
      provider.tellWill(silently: silently)
    }
    self.next = next
  }

  func show() {
    guard let next else { return }
    if isTold { provider.showDelivered(next) } else { provider.show(next) }
  }

  func tell() {
    if isTold { provider.tellChanges(changes) }
  }

  func end() {
    if isTold { provider.tellDid(changes) }
  }

  func release() {
    if isTold { provider.endDelivery() }
  }

  private var isTold: Bool { !changes.isEmpty }

  func fail(_ error: any Error) {
    if provider.membership != nil { provider.tellFailure(error) }
  }
}
