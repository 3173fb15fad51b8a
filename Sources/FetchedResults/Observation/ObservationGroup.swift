internal import SQLiteStorage

/// The providers of one database that observe on one actor.
///
/// The members move together, after a commit or at the request of one member, so two lists on one
/// screen never show different versions.
///
/// The life cycle of one step of the group:
///
/// 1. *Signal.* A commit, a new member or the retry timer calls `catchUp`; `refresh()` and
///    `performFetch()` of a member call `move(by:)`. If `catchUp` is already running, it is only
///    asked to repeat the step (`isAskedAgain`).
/// 2. *Collect.* `begin` drops the members whose provider has been released, and asks each other
///    member for an ``ObservationStep`` from the content that it shows.
/// 3. *Work.* The engine queue takes one snapshot and computes the result of each step up to it. A
///    synchronous `move(by:)` does this on the caller's thread. If a member shows other content
///    afterwards, or is delivering a batch, the group returns to 2. Results from unchanged content
///    stay valid for the same snapshot. If no snapshot can be taken, all members fail.
/// 4. *Will.* `ObservationStep/begin()` of all members: *will*, with the old content. Then each
///    member that has failed reports its error, unless it has reported the same error before.
/// 5. *Show.* All members show the new content.
/// 6. *Notify.* Each member reports its sections, rows and batch.
/// 7. *Did.* Each member reports *did*.
/// 8. *Release.* `isMoving` is false again. The members release the old content, then do the calls
///    that were postponed during the batch.
/// 9. *Retry.* If an error may end without a commit, a task sleeps for `retryDelay` and signals
///    again. A failed member keeps its content and takes part in the next step. `move(by:)` throws
///    an error of its own step, or a new error of another member, before 4: no member moves then.
///
/// Where the state is protected:
///
/// | State | Protected by |
/// |---|---|
/// | `members`, `Member/failure` | the actor of the group |
/// | `isCatchingUp`, `isAskedAgain`, `isMoving`, `postponed` | the actor of the group |
/// | `retry`, `retryDelay` | the actor of the group |
/// | ``ProviderStep``, `FetchedResultsProvider` | the actor of the group |
/// | the closure of `ObservationStep/work` | nothing: it captures only Sendable values |
/// | the result of the work (`ProviderStep/Outcome`) | its lock |
/// | `waiting` | set in `init`, cancelled in `deinit` |
/// | `database`, `actor` | set in `init`, weak |
/// | ``ObservationGroups`` | its lock |
///
/// `@unchecked Sendable`: all methods run on the actor that made the group.
final class ObservationGroup: @unchecked Sendable {
  private weak var database: Database?
  private weak var actor: (any Actor)?
  private let engine = EngineQueue()
  private var members: [Member] = []
  private(set) var isCatchingUp = false
  private var isAskedAgain = false
  /// Whether the members are in the phases from *will* to *did*.
  private var isMoving = false
  /// The providers with calls that were postponed during a batch.
  private var postponed: [any ObservingProvider] = []
  private var waiting: Task<Void, Never>?
  /// The retry after an error.
  private var retry: Task<Void, Never>?
  private var retryDelay = RetryDelay()

  /// A provider, which is not kept alive, and its last error.
  private final class Member {
    private(set) weak var provider: (any ObservingProvider)?
    /// The error of the last step; nil if it succeeded. The same error is reported once, however
    /// often the step is retried.
    var failure: String?

    init(_ provider: any ObservingProvider) { self.provider = provider }
  }

  /// A provider's membership. The last membership keeps the group alive.
  struct Membership {
    let group: ObservationGroup
  }

  init(of database: Database, on actor: any Actor) {
    self.database = database
    self.actor = actor
    let commits = database.commits
    // While the task waits, it keeps neither the group nor the actor alive: the actor may own the
    // providers.
    waiting = Task { [weak self] in
      for await _ in commits {
        guard let self, let actor = self.actor else { return }
        await self.catchUp(isolation: actor)
      }
    }
  }

  deinit {
    waiting?.cancel()
    retry?.cancel()
  }

  /// Whether the group belongs to `actor`, not to an earlier actor at the same address.
  func isOn(_ actor: any Actor) -> Bool { self.actor === actor }

  /// Adds a provider and updates it.
  func add(_ provider: any ObservingProvider, isolation: isolated any Actor) -> Membership {
    members.append(Member(provider))
    Task { [weak self] in await self?.catchUp(isolation: isolation) }
    return Membership(group: self)
  }

  /// Removes a provider. It takes no part in further steps.
  func remove(_ provider: any ObservingProvider) {
    members.removeAll { $0.provider == nil || $0.provider === provider }
  }

  /// Moves all members to the newest version.
  private func catchUp(isRetry: Bool = false, isolation: isolated any Actor) async {
    isAskedAgain = true
    // The retry task runs this method and must not cancel itself.
    if isRetry { retry = nil }
    // A step that is under way continues with another one.
    guard !isCatchingUp else { return }
    isCatchingUp = true
    while isAskedAgain {
      isAskedAgain = false
      await moveToNewest(isolation: isolation)
    }
    isCatchingUp = false
  }

  private func moveToNewest(isolation: isolated any Actor) async {
    var attempts: [Attempt] = []
    repeat {
      attempts = begin(attempts)
      guard !attempts.isEmpty, let work = work(of: attempts) else { return }
      if case .failure(let error) = await engine.run(work) {
        return tell(attempts.map { ($0, error) })
      }
    } while isTelling || attempts.contains { $0.step.isLate }
    move(attempts)
  }

  // MARK: - Requests of a member

  /// The version that the members show.
  var shownVersion: Snapshot? {
    members.lazy.filter { $0.failure == nil }.compactMap { $0.provider?.databaseSnapshot }.first
  }

  /// Whether any member is between *will* and *did*.
  var isTelling: Bool { isMoving || members.contains { $0.provider?.isDelivering == true } }

  /// Moves all members to the newest version before it returns, one of them by the given step.
  ///
  /// - Throws: the error of the given step, or of another member that has not failed before, which
  ///   reports it too. Then no member has moved.
  func move(by step: any ObservationStep) throws {
    let attempts = begin([], step)
    try work(of: attempts)?()
    try move(attempts, by: step)
  }

  /// Moves all members, as ``move(by:)`` does, without blocking the calling actor.
  ///
  /// - Parameter check: throws if the move is no longer wanted.
  /// - Returns: false if the provider of the given step is no longer a member; then no member has
  ///   moved.
  func move(
    by step: any ObservationStep, isolation: isolated (any Actor)? = #isolation,
    _ check: @escaping @Sendable () throws -> Void
  ) async throws -> Bool {
    var attempts: [Attempt] = []
    repeat {
      attempts = begin(attempts, step)
      guard attempts.contains(where: { $0.step === step }), let work = work(of: attempts) else {
        return false
      }
      let result = await engine.run {
        try check()
        try work()
      }
      try Task.checkCancellation()
      try check()
      try result.get()
    } while isTelling || attempts.contains { $0.step.isLate }
    try move(attempts, by: step)
    return true
  }

  /// Does the postponed calls of a member as soon as no member is delivering a batch.
  func settle(_ provider: any ObservingProvider) {
    postponed.append(provider)
    settle()
  }

  private func settle() {
    while !isTelling, !postponed.isEmpty { postponed.removeFirst().doPostponed() }
  }

  // MARK: - The steps of all members

  /// A member with its step to the newest version.
  private struct Attempt {
    let member: Member
    let step: any ObservationStep

    func fail(_ error: any Error) {
      let message = "\(error)"
      guard member.failure != message else { return }
      member.failure = message
      step.fail(error)
    }
  }

  /// The steps of all members from the content that they show.
  ///
  /// - Parameters:
  ///   - earlier: the attempts of the last round. A step is reused if its provider shows the same
  ///     content.
  ///   - own: the step of the member that asked; nil if none asked.
  private func begin(
    _ earlier: [Attempt], _ own: (any ObservationStep)? = nil
  ) -> [Attempt] {
    members.removeAll { $0.provider == nil }
    return members.compactMap { member in
      guard let provider = member.provider else { return nil }
      let step =
        if let own, own.isStep(of: provider) { own } else {
          earlier.first { $0.member === member }?.step ?? provider.nextStep()
        }
      step?.start()
      return step.map { Attempt(member: member, step: $0) }
    }
  }

  /// The work of all steps up to one version; nil if the database has been released.
  private func work(of attempts: [Attempt]) -> (@Sendable () throws -> Void)? {
    guard let database else { return nil }
    let works = attempts.map(\.step.work)
    return {
      let newest = try database.snapshot()
      for work in works { work(newest) }
    }
  }

  private func move(_ attempts: [Attempt], by step: any ObservationStep) throws {
    if let failure = step.failure { throw failure }
    // A member that has already reported an error stays behind. A new error stops the move.
    let late = attempts.filter { $0.step.failure != nil && $0.member.failure == nil }
    if let failure = late.first?.step.failure {
      tell(failures(of: attempts))
      throw failure
    }
    move(attempts)
  }

  /// Moves all members through the phases.
  private func move(_ attempts: [Attempt]) {
    isMoving = true
    // All members show the new version before any of them reports changes.
    for attempt in attempts {
      attempt.step.begin()
      if attempt.step.failure == nil { attempt.member.failure = nil }
    }
    tell(failures(of: attempts))
    for attempt in attempts { attempt.step.show() }
    for attempt in attempts { attempt.step.tell() }
    for attempt in attempts { attempt.step.end() }
    isMoving = false
    for attempt in attempts { attempt.step.release() }
    settle()
  }

  private func failures(of attempts: [Attempt]) -> [(attempt: Attempt, error: any Error)] {
    attempts.compactMap { attempt in attempt.step.failure.map { (attempt, $0) } }
  }

  // MARK: - Errors

  /// Reports each new error to its member. Schedules a retry if an error may end without a commit.
  private func tell(_ failures: [(attempt: Attempt, error: any Error)]) {
    for (attempt, error) in failures { attempt.fail(error) }
    retry?.cancel()
    retry = retryDelay.next(after: failures.map(\.error)).map(tryAgain)
  }

  private func tryAgain(after delay: Duration) -> Task<Void, Never> {
    Task { [weak self] in
      guard (try? await Task.sleep(for: delay, clock: .suspending)) != nil, let self,
        let actor = self.actor
      else { return }
      await self.catchUp(isRetry: true, isolation: actor)
    }
  }
}
