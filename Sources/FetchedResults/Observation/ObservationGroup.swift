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
  private var members: [WeakMember] = []
  private(set) var isCatchingUp = false
  private var isAskedAgain = false
  private var waiting: Task<Void, Never>?
  /// The next try after one that failed, and how many have failed in a row.
  private var retry: Task<Void, Never>?
  private var failureCount = 0
  /// What was told of the tries since the last commit.
  private var toldFailures: Set<String> = []

  /// A provider, which is not kept alive.
  private struct WeakMember {
    weak var provider: (any ObservingProvider)?
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
    members.append(WeakMember(provider: provider))
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
    if isRetry {
      // It is this that runs: it must not cancel itself.
      retry = nil
    } else {
      toldFailures = []
    }
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
    let steps = members.compactMap { $0.provider?.nextStep() }
    guard !steps.isEmpty else { return }
    let works = steps.map(\.work)
    let result = await engine.run {
      let newest = try database.snapshot()
      for work in works { work(newest) }
    }
    if case .failure(let error) = result { return tell(steps.map { ($0, error) }) }
    // All of them show the new version before anybody is told what changed.
    if !steps.map({ $0.begin() }).allSatisfy(\.self) { isAskedAgain = true }
    tell(steps.compactMap { step in step.failure.map { (step, $0) } })
    for step in steps { step.show() }
    for step in steps { step.tell() }
    for step in steps { step.end() }
    for step in steps { step.release() }
  }

  // MARK: - What fails

  /// Tells the members that cannot go on, and tries again after a while where that may help.
  private func tell(_ failures: [(step: any ObservationStep, error: any Error)]) {
    let messages = failures.map { "\($0.error)" }
    for (failure, message) in zip(failures, messages) where !toldFailures.contains(message) {
      failure.step.fail(failure.error)
    }
    toldFailures.formUnion(messages)
    retry?.cancel()
    if failures.contains(where: { ObservationGroup.mayPass($0.error) }) {
      tryAgainLater()
    } else {
      failureCount = 0
    }
  }

  /// Whether it may go away without a commit, as a lack of memory, of descriptors or of rights does.
  private static func mayPass(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError, error.code == .sqlite else { return false }
    // That of SQL stays until somebody changes the schema.
    return !(.error ~= error.resultCode)
  }

  private func tryAgainLater() {
    let delay = ObservationGroup.firstDelay * (1 << min(failureCount, 5))
    failureCount += 1
    retry = Task { [weak self] in
      guard (try? await Task.sleep(for: delay)) != nil, let self, let actor = self.actor else {
        return
      }
      await self.catchUp(isRetry: true, isolation: actor)
    }
  }

  /// Each further delay is twice as long, up to eight seconds.
  private static var firstDelay: Duration { .milliseconds(250) }
}
