internal import SQLiteStorage
internal import SectionedData

/// A provider in its group, without the type of its records.
protocol ObservingProvider: AnyObject {
  /// What ``update(as:)`` starts from: the ``ResultsVersion`` that is shown, or before the first fetch the request.
  var origin: AnyObject { get }
  /// Whether the provider is a member of a group.
  var isObserving: Bool { get }
  /// Whether the provider is between *will* and *did*.
  var isDelivering: Bool { get }
  /// A function that finds the next content from the version that is shown. It returns nil if the
  /// content stays the same. It can run on any thread.
  func update(as kind: ProviderStep.Kind) -> @Sendable (Snapshot) throws -> ResultUpdate?

  /// The changes that lead to the next content.
  func changes(to next: ResultUpdate, as kind: ProviderStep.Kind) -> TableChanges
  /// Enters a phase of the batch that leads to the next content.
  func enter(_ phase: BatchPhase, of next: ResultUpdate, as kind: ProviderStep.Kind)
  /// Does the calls that were postponed during a batch.
  func doPostponed()
  /// Reports why the newest version cannot be reached; nil if it is reached again.
  func report(_ error: (any Error)?)
}

/// The phases of a batch, in order. Providers that move together are in the same phase at the same time.
enum BatchPhase: CaseIterable {
  /// Notifies that the content is about to change.
  case will
  /// Shows the next content. If there are changes, the old content is kept until the end.
  case show
  /// Notifies of the changes: sections, rows, the batch as a whole.
  case changes
  /// Notifies that the content has changed.
  case did
  /// Releases the old content, and does the calls that were postponed.
  case end
}

/// The step of one provider to the next version. Each ``BatchPhase`` is entered for all providers that move together
/// before the next one.
///
/// Not Sendable, except for ``work``: it belongs to the actor of its group.
final class ProviderStep {
  /// How the provider reaches the version.
  enum Kind {
    /// From the version that is shown. The delegate is notified of the changes; of a reset if nothing is shown.
    case advance
    /// By a new fetch, which is delivered as a reset, to the delegate unless it is silent.
    case fetch(silently: Bool)
    /// As a fetch of another request: by the provider's `ResultLoader` of that.
    case set(any AnyObject & Sendable, silently: Bool)

    /// What the caller awaits.
    var purpose: EngineQueue.Purpose {
      switch self {
      case .advance: .refresh
      case .fetch: .fetch
      case .set: .request
      }
    }

    /// Whether only the observer is notified.
    var isSilent: Bool {
      switch self {
      case .advance: false
      case .fetch(let silently), .set(_, let silently): silently
      }
    }
  }

  let provider: any ObservingProvider
  /// The member whose step it is; nil before the group has begun it.
  var member: ObservationGroup.Member?
  private let kind: Kind
  /// The origin that ``work`` was made from.
  private var base: AnyObject?
  /// The result of the work, for a version; nil before ``start()``. Nothing is found if the version
  /// is already shown.
  private var outcome: Locked<(Snapshot, Result<ResultUpdate?, any Error>)?>?
  /// The next content; nil before *will*.
  private var next: ResultUpdate?

  init(of provider: any ObservingProvider, as kind: Kind) {
    self.provider = provider
    self.kind = kind
  }

  /// Makes ``work`` from the version that the provider shows, unless it was made from that version.
  func start() {
    guard outcome == nil || !startsFromBase else { return }
    base = provider.origin
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
  var isLate: Bool { !startsFromBase || provider.isDelivering }

  private var startsFromBase: Bool { provider.origin === base }

  /// The error of the work; nil if it succeeded or has not run.
  var failure: (any Error)? {
    if case .failure(let error) = found { error } else { nil }
  }

  private var found: Result<ResultUpdate?, any Error>? { outcome?.withLock { $0?.1 } }

  /// Whether only the observer is notified.
  var isSilent: Bool { kind.isSilent }

  /// The changes; empty if there are none, or before *will*.
  var changes: TableChanges { next?.changes ?? TableChanges() }

  /// Reports that the newest version is reached, if the member's last step has failed.
  func recover() {
    guard failure == nil, let member, member.failure != nil else { return }
    member.failure = nil
    if provider.isObserving { provider.report(nil) }
  }

  /// Enters a phase of the batch.
  ///
  /// If the provider shows another version at *will* since the work was made, nothing happens: another member's delegate
  /// has moved it in its *will*.
  func enter(_ phase: BatchPhase) {
    if phase == .will { begin() }
    if let next { provider.enter(phase, of: next, as: kind) }
  }

  private func begin() {
    guard provider.isObserving, startsFromBase, case .success(var next?) = found else { return }
    next.changes = provider.changes(to: next, as: kind)
    self.next = next
  }

  /// Reports that the newest version cannot be reached, unless the member's last step had the same
  /// error.
  func fail(_ error: any Error) {
    let told = ToldError(error)
    guard member?.failure != told else { return }
    member?.failure = told
    if provider.isObserving { provider.report(error) }
  }
}
