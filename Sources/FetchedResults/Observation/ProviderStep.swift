internal import SQLiteStorage
internal import TableData

/// The way of a provider to the next version, from the content that it starts from.
///
/// Not Sendable, except for ``work``: it belongs to the provider's actor.
final class ProviderStep<Record: Sendable>: ObservationStep {
  let work: @Sendable (Snapshot) -> Void
  private let provider: FetchedResultsProvider<Record>
  private let base: any ResultsContent<Record>
  private let outcome: Outcome
  /// What is told of, from *will* to *did*.
  private var delivered: NextContent<Record>?
  private(set) var failure: (any Error)?

  /// What the work found; nil where there is no newer version.
  private final class Outcome: Sendable {
    let result = Guarded<Result<NextContent<Record>?, any Error>>(.success(nil))
  }

  init(of provider: FetchedResultsProvider<Record>, from base: any ResultsContent<Record>) {
    self.provider = provider
    self.base = base
    let outcome = Outcome()
    self.outcome = outcome
    let advance = base.advance(by: provider.fetch)
    work = { snapshot in
      let result = Result { try advance(snapshot) }
      outcome.result.withLock { $0 = result }
    }
  }

  /// Whether the provider shows something else by now than what this starts from.
  private var isLate: Bool { provider.content !== base || provider.delivery.isRunning }

  func begin() -> Bool {
    guard provider.membership != nil else { return true }
    guard !isLate else { return false }
    switch outcome.result.withLock({ $0 }) {
    case .success(nil): break
    case .success(let next?) where next.changes.isEmpty: provider.show(next)
    case .success(let next?):
      delivered = next
      provider.tellWill()
    case .failure(let error): failure = error
    }
    return true
  }

  func show() {
    if let delivered { provider.showDelivered(delivered) }
  }

  func tell() {
    if let delivered { provider.tellChanges(delivered.changes) }
  }

  func end() {
    if let delivered { provider.tellDid(delivered.changes) }
  }

  func release() {
    if delivered != nil { provider.endDelivery() }
  }

  func fail(_ error: any Error) {
    if provider.membership != nil { provider.tellFailure(error) }
  }
}
