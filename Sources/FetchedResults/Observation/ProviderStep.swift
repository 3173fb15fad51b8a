internal import SQLiteStorage
internal import SectionedData

/// A provider in its group, without the type of its records.
protocol ObservingProvider: AnyObject {
  /// What a step starts from: the ``ResultsVersion`` that is shown, or before the first fetch the request.
  var origin: AnyObject { get }
  /// Whether the provider is between *will* and *did*.
  var isDelivering: Bool { get }
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
/// Not Sendable, except for ``Work``: it belongs to the actor of its group.
final class ProviderStep {
  /// Finds the next content in a version of the database. It returns nil if the content stays the same, and can run on
  /// any thread.
  typealias Update = @Sendable (Snapshot) throws -> ResultUpdate?

  /// The part of a step that is done on any thread.
  ///
  /// Sendable: a lock protects what it finds.
  struct Work: Sendable {
    fileprivate let update: Update
    fileprivate let found: Locked<Found>

    /// Finds the update to a version. That to the same version is found once.
    func find(in snapshot: Snapshot) {
      guard found.withLock({ $0.snapshot !== snapshot }) else { return }
      let result = Result { try update(snapshot) }
      found.withLock {
        switch result {
        case .success(let update): $0 = Found(snapshot: snapshot, update: update)
        case .failure(let error): $0 = Found(snapshot: snapshot, failure: error)
        }
      }
    }
  }

  fileprivate struct Found {
    /// The version; nil before the work.
    var snapshot: Snapshot?
    /// Nil if the content stays the same.
    var update: ResultUpdate?
    var failure: (any Error)?
  }

  /// What the work has found; empty before ``finish()``.
  private var found = Found()

  let provider: any ObservingProvider
  /// The member whose step it is; nil before the group has begun it.
  var member: ObservationGroup.Member?
  private let makeUpdate: () -> Update
  private let prepare: (ResultUpdate) -> ResultUpdate
  private let enterPhase: (BatchPhase, ResultUpdate) -> Void
  /// What is to be done; nil before ``start()``.
  private(set) var work: Work?
  /// The origin that ``work`` was made from; nil from *will* on, so that the step does not keep the old content.
  private var base: AnyObject?
  /// The next content; nil before *will*.
  private var next: ResultUpdate?
  /// Whether anybody is notified of the next content.
  private var isDelivered = false

  /// - Parameters:
  ///   - update: makes the function that finds the next content, from what the provider shows.
  ///   - prepare: gives the next content the changes that lead to it from what the provider shows.
  ///   - enter: enters a phase of the batch that leads to it.
  init(
    of provider: any ObservingProvider, update: @escaping () -> Update,
    prepare: @escaping (ResultUpdate) -> ResultUpdate,
    enter: @escaping (BatchPhase, ResultUpdate) -> Void
  ) {
    self.provider = provider
    makeUpdate = update
    self.prepare = prepare
    enterPhase = enter
  }

  /// Makes ``work`` from the version that the provider shows, unless it was made from that version.
  func start() {
    guard work == nil || !startsFromBase else { return }
    base = provider.origin
    work = Work(update: makeUpdate(), found: Locked(Found()))
  }

  /// Whether the provider has left the group, shows another version than ``work`` was made from, or is delivering a
  /// batch.
  var isLate: Bool { hasLeft || !startsFromBase || provider.isDelivering }

  private var hasLeft: Bool { member?.hasLeft == true }

  private var startsFromBase: Bool { provider.origin === base }

  /// Takes over what the work has found, which no other thread changes any more.
  func finish() { if let work { found = work.found.withLock { $0 } } }

  /// The error of the work; nil if it succeeded.
  var failure: (any Error)? { found.failure }

  /// The changes; empty if there are none, or before *will*.
  var changes: TableChanges { next?.changes ?? TableChanges() }

  /// Reports that the newest version is reached, if the member's last step has failed.
  func recover() {
    guard failure == nil, let member, member.failure != nil else { return }
    member.failure = nil
    if !hasLeft { provider.report(nil) }
  }

  /// Enters a phase of the batch. Without changes, the next content is shown and nobody is notified.
  ///
  /// If the provider shows another version at *will* since the work was made, nothing happens: another member's delegate
  /// has moved it in its *will*.
  func enter(_ phase: BatchPhase) {
    if phase == .will { begin() }
    guard isDelivered || phase == .show, let next else { return }
    enterPhase(phase, next)
  }

  private func begin() {
    defer { base = nil }
    guard !hasLeft, startsFromBase, let update = found.update else { return }
    next = prepare(update)
    isDelivered = next?.changes.isEmpty == false
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
