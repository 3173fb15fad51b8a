internal import SQLiteStorage
internal import SectionedData

/// A provider in its group, without the type of its records.
protocol ObservingProvider: AnyObject {
  /// The version of the result that is shown; nil before the first fetch.
  var shownVersion: ResultsVersion? { get }
  /// Whether the provider is a member of a group.
  var isObserving: Bool { get }
  /// Whether the provider is between *will* and *did*.
  var isDelivering: Bool { get }
  /// A function that finds the next content from the version that is shown. It returns nil if the
  /// content stays the same. It can run on any thread.
  func update(as kind: ProviderStep.Kind) -> @Sendable (Snapshot) throws -> ResultUpdate?

  // The phases of a batch, in order.

  /// The changes that lead to the next content.
  func changes(to next: ResultUpdate, as kind: ProviderStep.Kind) -> TableChanges
  /// Notifies that the content is about to change.
  func notifyWill(silently: Bool)
  /// Shows the next content. If it is delivered, the old content is kept until ``endDelivery()``.
  func show(_ next: ResultUpdate, isDelivered: Bool)
  /// Notifies of the changes.
  func notify(of changes: TableChanges)
  /// Notifies that the content has changed.
  func notifyDid(_ changes: TableChanges)
  /// Releases the old content.
  func endDelivery()

  /// Does the calls that were postponed during a batch.
  func doPostponed()
  /// Reports that the newest version cannot be reached.
  func report(_ error: any Error)
  /// Reports that the newest version is reached again.
  func reportRecovery()
}

/// The step of one provider to the next version. The methods are called in the order of their
/// declaration, each for all providers that move together before the next one.
///
/// Not Sendable, except for ``work``: it belongs to the actor of its group.
final class ProviderStep {
  /// How the provider reaches the version.
  enum Kind {
    /// From the version that is shown. The delegate is notified of the changes.
    case advance
    /// By a new fetch, which is delivered as a reset, to the delegate unless it is silent.
    case fetch(silently: Bool)

    /// What the caller awaits.
    var purpose: EngineQueue.Purpose {
      switch self {
      case .advance: .refresh
      case .fetch: .fetch
      }
    }
  }

  let provider: any ObservingProvider
  /// The member whose step it is; nil before the group has begun it.
  var member: ObservationGroup.Member?
  private let kind: Kind
  /// The version that ``work`` was made from.
  private var base: ResultsVersion?
  /// The result of the work, for a version; nil before ``start()``. Nothing is found if the version
  /// is already shown.
  private var outcome: Locked<(Snapshot, Result<ResultUpdate?, any Error>)?>?
  /// The next content; nil before ``begin()``.
  private var next: ResultUpdate?

  init(of provider: any ObservingProvider, as kind: Kind) {
    self.provider = provider
    self.kind = kind
  }

  /// Makes ``work`` from the version that the provider shows, unless it was made from that version.
  func start() {
    guard outcome == nil || !isShowing(base) else { return }
    base = provider.shownVersion
    let outcome = Locked<(Snapshot, Result<ResultUpdate?, any Error>)?>(nil)
    self.outcome = outcome
    let update = provider.update(as: kind)
    work = { snapshot in
      guard outcome.withLock({ $0?.0 }) !== snapshot else { return }
      let result = Result { try update(snapshot) }
      outcome.withLock { $0 = (snapshot, result) }
    }
  }

  /// Computes the update to a version and stores it. Can be called on any thread. The update to the
  /// same version is computed only once.
  private(set) var work: @Sendable (Snapshot) -> Void = { _ in }

  /// Whether the provider now shows another version than ``work`` was made from, or is delivering a
  /// batch.
  var isLate: Bool { !isShowing(base) || provider.isDelivering }

  private func isShowing(_ version: ResultsVersion?) -> Bool {
    provider.shownVersion === version
  }

  /// The error of the work; nil if it succeeded or has not run.
  var failure: (any Error)? {
    if case .failure(let error) = found { error } else { nil }
  }

  private var found: Result<ResultUpdate?, any Error>? { outcome?.withLock { $0?.1 } }

  /// The changes; empty if there are none, or before ``begin()``.
  var changes: TableChanges { next?.changes ?? TableChanges() }

  private var isDelivered: Bool { !changes.isEmpty }

  /// Reports that the newest version is reached, if the member's last step has failed.
  func recover() {
    guard failure == nil, let member, member.failure != nil else { return }
    member.failure = nil
    if provider.isObserving { provider.reportRecovery() }
  }

  /// Notifies that the content is about to change, if it is.
  ///
  /// If the provider shows another version since the work was made, nothing happens: another member's
  /// delegate has moved it in its *will*.
  func begin() {
    guard provider.isObserving, isShowing(base), case .success(var next?) = found else { return }
    next.changes = provider.changes(to: next, as: kind)
    switch kind {
    case .advance where next.changes.isEmpty: break
    case .advance: provider.notifyWill(silently: false)
    case .fetch(let silently): provider.notifyWill(silently: silently)
    }
    self.next = next
  }

  /// Shows the new content.
  func show() {
    if let next { provider.show(next, isDelivered: isDelivered) }
  }

  /// Notifies of the changes.
  func notify() {
    if isDelivered { provider.notify(of: changes) }
  }

  /// Notifies that the content has changed.
  func end() {
    if isDelivered { provider.notifyDid(changes) }
  }

  /// Releases the old content.
  func release() {
    if isDelivered { provider.endDelivery() }
  }

  /// Reports that the newest version cannot be reached, unless the member's last step had the same
  /// error.
  func fail(_ error: any Error) {
    let message = "\(error)"
    guard member?.failure != message else { return }
    member?.failure = message
    if provider.isObserving { provider.report(error) }
  }
}
