internal import SQLiteStorage
internal import SectionedData

/// A provider in its group, without the type of its records.
protocol ObservingProvider: AnyObject {
  /// What a step starts from: the ``ResultsVersion`` that is shown, or before the first fetch the request.
  var origin: AnyObject { get }
  /// Whether the provider is between *will* and *did*.
  var isDelivering: Bool { get }
  /// The step to the newest version.
  func advancing() -> ProviderStep
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
  /// Finds the next content in a version of the database. It returns nil if the content stays the same, and can run on
  /// any thread.
  typealias Update = @Sendable (Snapshot) throws -> ResultUpdate?

  let provider: any ObservingProvider
  /// The member whose step it is; nil before the group has begun it.
  var member: ObservationGroup.Member?
  private let makeUpdate: () -> Update
  private let changesTo: (ResultUpdate) -> TableChanges
  private let enterPhase: (BatchPhase, ResultUpdate) -> Void
  /// The origin that ``work`` was made from; nil from *will* on, so that the step does not keep the old content.
  private var base: AnyObject?
  /// The result of the work, for a version; nil before ``start()``. Nothing is found if the version
  /// is already shown.
  private var outcome: Locked<(Snapshot, Result<ResultUpdate?, any Error>)?>?
  /// The next content; nil before *will*.
  private var next: ResultUpdate?

  /// - Parameters:
  ///   - update: makes the function that finds the next content, from what the provider shows.
  ///   - changes: the changes that lead to the next content.
  ///   - enter: enters a phase of the batch that leads to it.
  init(
    of provider: any ObservingProvider, update: @escaping () -> Update,
    changes: @escaping (ResultUpdate) -> TableChanges,
    enter: @escaping (BatchPhase, ResultUpdate) -> Void
  ) {
    self.provider = provider
    makeUpdate = update
    changesTo = changes
    enterPhase = enter
  }

  /// Makes ``work`` from the version that the provider shows, unless it was made from that version.
  func start() {
    guard outcome == nil || !startsFromBase else { return }
    base = provider.origin
    let outcome = Locked<(Snapshot, Result<ResultUpdate?, any Error>)?>(nil)
    self.outcome = outcome
    let update = makeUpdate()
    work = { snapshot in
      guard outcome.withLock({ $0?.0 }) !== snapshot else { return }
      let result = Result { try update(snapshot) }
      outcome.withLock { $0 = (snapshot, result) }
    }
  }

  /// Computes the update to a version and stores it. Can be called on any thread. The update to the
  /// same version is computed only once.
  private(set) var work: @Sendable (Snapshot) -> Void = { _ in }

  /// Whether the provider has left the group, shows another version than ``work`` was made from, or is delivering a
  /// batch.
  var isLate: Bool { hasLeft || !startsFromBase || provider.isDelivering }

  private var hasLeft: Bool { member?.hasLeft == true }

  private var startsFromBase: Bool { provider.origin === base }

  /// The error of the work; nil if it succeeded or has not run.
  var failure: (any Error)? {
    if case .failure(let error) = found { error } else { nil }
  }

  private var found: Result<ResultUpdate?, any Error>? { outcome?.withLock { $0?.1 } }

  /// The changes; empty if there are none, or before *will*.
  var changes: TableChanges { next?.changes ?? TableChanges() }

  /// Reports that the newest version is reached, if the member's last step has failed.
  func recover() {
    guard failure == nil, let member, member.failure != nil else { return }
    member.failure = nil
    if !hasLeft { provider.report(nil) }
  }

  /// Enters a phase of the batch.
  ///
  /// If the provider shows another version at *will* since the work was made, nothing happens: another member's delegate
  /// has moved it in its *will*.
  func enter(_ phase: BatchPhase) {
    if phase == .will { begin() }
    if let next { enterPhase(phase, next) }
  }

  private func begin() {
    defer { base = nil }
    guard !hasLeft, startsFromBase, case .success(var next?) = found else { return }
    next.changes = changesTo(next)
    self.next = next
  }

  /// Reports that the newest version cannot be reached, unless the member's last step had the same
  /// error.
  func fail(_ error: any Error) {
    let told = ToldError(error)
    guard member?.failure != told else { return }
    member?.failure = told
    if !hasLeft { provider.report(error) }
  }
}
