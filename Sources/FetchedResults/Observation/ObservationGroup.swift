internal import SQLiteStorage

/// The providers of one database that one actor observes. They move together, whether a commit or one
/// of them asks for it: two lists on one screen never show different versions.
///
/// `@unchecked Sendable`: the members and what is said about them are touched only on the actor that
/// made the group, by the methods that are isolated to it.
final class ObservationGroup: @unchecked Sendable {
  private weak var database: Database?
  private weak var actor: (any Actor)?
  private let engine = EngineQueue()
  private var members: [Member] = []
  private(set) var isCatchingUp = false
  private var isAskedAgain = false
  /// Whether all members are between *will* and *did*.
  private var isMoving = false
  /// The providers that were asked for something meanwhile.
  private var postponed: [any ObservingProvider] = []
  private var waiting: Task<Void, Never>?
  /// The next try after one that failed.
  private var retry: Task<Void, Never>?
  private var retryDelay = RetryDelay()

  /// A provider, which is not kept alive, and what it was told.
  private final class Member {
    private(set) weak var provider: (any ObservingProvider)?
    /// Why it could not go on at the last try; nil where it could. It is told of that once, however
    /// often it is tried.
    var failure: String?

    init(_ provider: any ObservingProvider) { self.provider = provider }
  }

  /// A provider's place in its group: the group goes with the last of them.
  struct Membership {
    let group: ObservationGroup
  }

  init(of database: Database, on actor: any Actor) {
    self.database = database
    self.actor = actor
    let commits = database.commits
    // It keeps neither the group nor the actor, which may own the providers, while it waits.
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

  /// Whether the group is that of `actor`, and not of one that was there before at its address.
  func isOn(_ actor: any Actor) -> Bool { self.actor === actor }

  /// Takes a provider in, and brings it up to date.
  func add(_ provider: any ObservingProvider, isolation: isolated any Actor) -> Membership {
    members.append(Member(provider))
    Task { [weak self] in await self?.catchUp(isolation: isolation) }
    return Membership(group: self)
  }

  /// Leaves a provider out from now on.
  func remove(_ provider: any ObservingProvider) {
    members.removeAll { $0.provider == nil || $0.provider === provider }
  }

  /// Moves all members to the newest version.
  private func catchUp(isRetry: Bool = false, isolation: isolated any Actor) async {
    isAskedAgain = true
    // It is this that runs: it must not cancel itself.
    if isRetry { retry = nil }
    // Whoever is at it goes on when it is done.
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

  // MARK: - What a member asks for

  /// The version that the members show.
  var shownVersion: Snapshot? {
    members.lazy.filter { $0.failure == nil }.compactMap { $0.provider?.databaseSnapshot }.first
  }

  /// Whether a member is between *will* and *did*, or all of them are.
  var isTelling: Bool { isMoving || members.contains { $0.provider?.isDelivering == true } }

  /// Moves all members to the newest version on the spot, one of them by a step of its own.
  ///
  /// - Throws: what keeps that one from it; and what keeps another one from it that has not failed
  ///   before, which is told of it too. Then none has moved.
  func move(by step: any ObservationStep) throws {
    let attempts = begin([], step)
    try work(of: attempts)?()
    try move(attempts, by: step)
  }

  /// Moves all members, as ``move(by:)`` does, without keeping the calling actor busy.
  ///
  /// - Parameter check: throws where that is no longer wanted.
  /// - Returns: false where the one that asked is no member any more; then none has moved.
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

  /// Lets a member do what it was asked for while a batch was told, as soon as none is told.
  func settle(_ provider: any ObservingProvider) {
    postponed.append(provider)
    settle()
  }

  private func settle() {
    while !isTelling, !postponed.isEmpty { postponed.removeFirst().doPostponed() }
  }

  // MARK: - The steps of all members

  /// A member and its way to the newest version.
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

  /// The ways of all members from what they show now.
  ///
  /// - Parameters:
  ///   - earlier: attempts of which those hold whose providers still show the same.
  ///   - own: the step of the member that asked.
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

  /// Finds the ways of all to one version; nil where the database is gone.
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
    // One that has been told of a failure is known to stay behind. This one is not yet.
    let late = attempts.filter { $0.step.failure != nil && $0.member.failure == nil }
    if let failure = late.first?.step.failure {
      tell(failures(of: attempts))
      throw failure
    }
    move(attempts)
  }

  /// Goes through the phases with all members.
  private func move(_ attempts: [Attempt]) {
    isMoving = true
    // All of them show the new version before any is told what changed.
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

  // MARK: - What fails

  /// Tells the members that cannot go on, where that is new to them, and tries again after a while
  /// where that may help.
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
