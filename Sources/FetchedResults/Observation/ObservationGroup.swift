internal import SQLiteStorage

/// The providers of one database that one actor observes. They move together: two lists on one
/// screen never show different versions.
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
    guard let database else { return }
    members.removeAll { $0.provider == nil }
    let attempts = members.compactMap { member in
      member.provider?.nextStep().map { Attempt(member: member, step: $0) }
    }
    guard !attempts.isEmpty else { return }
    let steps = attempts.map(\.step)
    let works = steps.map(\.work)
    let result = await engine.run {
      let newest = try database.snapshot()
      for work in works { work(newest) }
    }
    if case .failure(let error) = result { return tell(attempts.map { ($0, error) }) }
    // All of them show the new version before anybody is told what changed.
    if !attempts.map({ $0.begin() }).allSatisfy(\.self) { isAskedAgain = true }
    tell(attempts.compactMap { attempt in attempt.step.failure.map { (attempt, $0) } })
    for step in steps { step.show() }
    for step in steps { step.tell() }
    for step in steps { step.end() }
    for step in steps { step.release() }
  }

  // MARK: - What fails

  /// A member and its way to the newest version.
  private struct Attempt {
    let member: Member
    let step: any ObservationStep

    func begin() -> Bool {
      guard step.begin() else { return false }
      if step.failure == nil { member.failure = nil }
      return true
    }

    func fail(_ error: any Error) {
      let message = "\(error)"
      guard member.failure != message else { return }
      member.failure = message
      step.fail(error)
    }
  }

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
