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

extension ObservationGroup {
  /// A provider, which is not kept alive, and its last error.
  final class Member {
    private(set) weak var provider: (any ObservingProvider)?
    /// The error of the last step; nil if it succeeded. The same error is reported once, however
    /// often the step is retried.
    var failure: ToldError?
    /// Whether the provider is in another group now.
    var hasLeft = false

    init(_ provider: any ObservingProvider) { self.provider = provider }
  }
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
/// Not Sendable: it belongs to the actor of its group. What is done on another thread takes and returns values.
final class ProviderStep {
  /// Finds the next content in a version of the database. It returns nil if the content stays the same, and can run on
  /// any thread.
  typealias Update = @Sendable (Snapshot) throws -> ResultUpdate?

  /// What the work of a step finds.
  ///
  /// Sendable: a plain value.
  struct Found: Sendable {
    /// The version; nil before the work.
    private var snapshot: Snapshot?
    /// Nil if the content stays the same.
    fileprivate var update: ResultUpdate?
    fileprivate var failure: (any Error)?

    /// Finds the next content in a version. In the same version it is found once.
    func next(in newest: Snapshot, by update: Update) -> Found {
      if snapshot === newest { return self }
      do {
        return Found(snapshot: newest, update: try update(newest))
      } catch {
        return Found(snapshot: newest, failure: error)
      }
    }
  }

  /// The provider. The step does not keep it alive, so a list that is no longer shown notifies nobody.
  /// The group keeps it from before *will* until the end of the batch.
  private(set) weak var provider: (any ObservingProvider)?
  /// The member whose step it is; nil before the group has begun it.
  var member: ObservationGroup.Member?
  private let makeUpdate: () -> Update?
  private let prepare: (ResultUpdate) -> ResultUpdate?
  private let enterPhase: (BatchPhase, ResultUpdate) -> Void
  /// The work; nil before ``start()``, and from *will* on, so that the step does not keep the old content.
  fileprivate var update: Update?
  /// The origin that ``update`` was made from; nil as long as that.
  private var base: AnyObject?
  /// What the work has found; empty before it.
  fileprivate var found = Found()
  /// The next content; nil before *will*.
  private var next: ResultUpdate?
  /// Whether anybody is notified of the next content.
  private var isDelivered = false

  /// - Parameters:
  ///   - update: makes the function that finds the next content, from what the provider shows; nil if it was released.
  ///   - prepare: gives the next content the changes that lead to it from what the provider shows.
  ///   - enter: enters a phase of the batch that leads to it.
  init(
    of provider: any ObservingProvider, update: @escaping () -> Update?,
    prepare: @escaping (ResultUpdate) -> ResultUpdate?,
    enter: @escaping (BatchPhase, ResultUpdate) -> Void
  ) {
    self.provider = provider
    makeUpdate = update
    self.prepare = prepare
    enterPhase = enter
  }

  /// Makes ``update`` from the version that the provider shows, unless it was made from that version.
  func start() {
    guard update == nil || !startsFromBase else { return }
    (base, update, found) = (provider?.origin, makeUpdate(), Found())
  }

  /// Whether the provider has left the group, or shows another version than ``update`` was made from. One that was released
  /// is not waited for.
  var isLate: Bool { provider != nil && (hasLeft || !startsFromBase) }

  private var hasLeft: Bool { member?.hasLeft == true }

  private var startsFromBase: Bool { provider?.origin === base }

  /// The error of the work; nil if it succeeded, or the provider has been released.
  var failure: (any Error)? { provider == nil ? nil : found.failure }

  /// The changes; empty if there are none, or before *will*.
  var changes: TableChanges { next?.changes ?? TableChanges() }

  /// Reports that the newest version is reached, if the member's last step has failed.
  func recover() {
    guard failure == nil, let member, member.failure != nil else { return }
    member.failure = nil
    if !hasLeft { provider?.report(nil) }
  }

  /// Enters a phase of the batch. Without changes, the next content is shown and nobody is notified.
  ///
  /// If the provider shows another version at *will* since ``update`` was made, nothing happens: another member's delegate
  /// has moved it in its *will*.
  func enter(_ phase: BatchPhase) {
    if phase == .will { begin() }
    guard isDelivered || phase == .show, let next else { return }
    enterPhase(phase, next)
  }

  private func begin() {
    defer { (base, update) = (nil, nil) }
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
    if !hasLeft { provider?.report(error) }
  }
}

extension [ProviderStep] {
  /// The work of all steps up to one version. It runs on any thread, and returns what each step finds.
  func work(in database: Database) -> @Sendable () throws -> [ProviderStep.Found] {
    let works = map { ($0.update, $0.found) }
    return {
      try database.withSnapshot { newest in
        works.map { update, found in update.map { found.next(in: newest, by: $0) } ?? found }
      }
    }
  }

  /// Gives each step what its work has found.
  func finish(_ found: [ProviderStep.Found]) {
    for (step, found) in zip(self, found) { step.found = found }
  }

  /// The errors of the steps that have failed.
  var failures: [(step: ProviderStep, error: any Error)] {
    compactMap { step in step.failure.map { (step, $0) } }
  }
}
