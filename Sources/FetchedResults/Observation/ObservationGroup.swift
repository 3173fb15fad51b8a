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
  private var isCatchingUp = false
  private var isAskedAgain = false
  private var waiting: Task<Void, Never>?

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

  deinit { waiting?.cancel() }

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
  private func catchUp(isolation: isolated any Actor) async {
    isAskedAgain = true
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
    if case .failure(let error) = result { return steps.forEach { $0.fail(error) } }
    // All of them show the new version before anybody is told what changed.
    if !steps.map({ $0.begin() }).allSatisfy(\.self) { isAskedAgain = true }
    for step in steps { step.show() }
    for step in steps { step.tell() }
    for step in steps { step.end() }
    for step in steps { step.release() }
  }
}
