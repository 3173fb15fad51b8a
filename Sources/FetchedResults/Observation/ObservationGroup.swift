internal import SQLiteStorage

/// The providers of one database that observe on one actor; or one provider that does not observe.
///
/// The members move together, after a commit or at the request of one member, so two lists on one
/// screen never show different versions.
///
/// The life cycle of one step of the group:
///
/// 1. *Signal.* A commit, a new member or a retry wakes the group's task by
///    ``ObservationSignals``; `refresh()` and `performFetch()` of a member call `move(by:)`.
/// 2. *Collect.* `begin` drops the members whose provider has been released, and makes a
///    ``ProviderStep`` for each other member from the version that it shows.
/// 3. *Work.* The engine queue takes one snapshot and computes the result of each step up to it. A
///    synchronous `move(by:)` does this on the caller's thread. If a member is delivering a batch, the group waits for its
///    end. If a member has joined or left since 2, shows another version, or waits for a request in this queue, the group
///    returns to 2. Results from an unchanged version stay valid for the same snapshot. If no
///    snapshot can be taken, all members fail.
/// 4. The phases of `BatchPhase`, each for all members whose provider has not been released; until their end, the group
///    keeps the providers. Before *will*, a member that has failed before and succeeds now
///    reports that. After it, each member that has failed reports its error, unless it has reported the same error before.
///    Before the end, `isMoving` is false again.
/// 5. *Retry.* If an error may end without a commit, `ObservationSignals` wakes the task again after
///    a delay. A failed member keeps its content and takes part in the next step. `move(by:)` throws
///    an error of its own step, or a new error of another member, before 4: no member moves then.
///
/// Where the state is protected:
///
/// | State | Protected by |
/// |---|---|
/// | `members`, `Member/failure` | the actor of the group |
/// | `joinCount`, `isCatchingUp`, `isMoving`, `postponed`, `settling`, `pendingRequestCount` | the actor of the group |
/// | ``ProviderStep``, `FetchedResultsProvider` | the actor of the group |
/// | the retry of ``ObservationSignals`` | its lock |
/// | `signals`, `waiting` | set in `init`, cancelled in `deinit` |
/// | `database`, `actor` | set in `init`, weak |
/// | the groups of `shared(of:on:)` | their lock |
///
/// `@unchecked Sendable`: all methods run where the members are used, on the actor of the group if it has one.
final class ObservationGroup: @unchecked Sendable {
  private weak var database: Database?
  private weak var actor: (any Actor)?
  /// Where the steps of the members are computed, one after the other.
  let engine: EngineQueue
  /// Nil in the group of a provider that does not observe.
  private let signals: ObservationSignals?
  private var waiting: Task<Void, Never>?
  /// In the order in which they have joined.
  private var members: [Member] = []
  /// The number of members that have ever joined.
  private var joinCount = 0
  /// Whether a member was added, or a signal arrived, and the step for it has not ended.
  private(set) var isCatchingUp = false
  /// The number of requests that are computed in ``engine``, for which commits wait.
  var pendingRequestCount = 0
  /// Whether the members are in the phases from *will* to *did*.
  private var isMoving = false
  /// The providers with calls that were postponed during a batch.
  private var postponed: [any ObservingProvider] = []
  /// What waits until no member is delivering a batch.
  private var settling: [CheckedContinuation<Void, Never>] = []

  /// Makes a group, which follows the commits if it has an actor.
  init(of database: Database, on actor: (any Actor)?, engine: EngineQueue) {
    self.database = database
    self.actor = actor
    self.engine = engine
    signals = actor == nil ? nil : ObservationSignals(of: database)
    guard let signals else { return }
    // While the task waits, it keeps neither the group nor the actor alive: the actor may own the
    // providers.
    waiting = Task { [weak self, stream = signals.stream] in
      for await _ in stream {
        guard let self, let actor = self.actor else { return }
        await self.moveToNewest(isolation: actor)
      }
    }
  }

  deinit { waiting?.cancel() }

  /// Whether the members move after each commit.
  var followsCommits: Bool { signals != nil }

  /// Adds a provider, and updates it if the group follows the commits. The group lives as long as one of its providers
  /// keeps it.
  func add(_ provider: any ObservingProvider) {
    members.append(Member(provider))
    joinCount += 1
    guard let signals else { return }
    isCatchingUp = true
    signals.signal()
  }

  /// Removes a provider. It takes no part in further steps.
  func remove(_ provider: any ObservingProvider) {
    for member in members where member.provider === provider { member.hasLeft = true }
    members.removeAll { $0.provider == nil || $0.hasLeft }
    // It may have been the one that delivered a batch, which it began in another group.
    resumeSettled()
  }

  /// Tries again to reach the newest version, if a member has not: it may with another request.
  func retry() {
    if members.contains(where: { $0.failure != nil }) { signals?.signal() }
  }

  /// Moves all members to the newest version.
  private func moveToNewest(isolation: isolated any Actor) async {
    isCatchingUp = true
    defer { isCatchingUp = false }
    var steps: [ProviderStep] = []
    var joined = joinCount
    repeat {
      steps = begin(steps)
      joined = joinCount
      guard !steps.isEmpty, let work = database.map(steps.work) else { return }
      let result = await engine.run(work)
      await settled()
      do {
        steps.finish(try result.get())
      } catch {
        // When the database is resumed, it wakes the task again.
        if (error as? DatabaseError)?.code == .closed { return }
        return report(steps.map { ($0, error) })
      }
    } while pendingRequestCount > 0 || areLate(steps, since: joined)
    move(steps)
  }

  // MARK: - Requests of a member

  /// The version that the members other than one show; nil if there are none.
  func versionShown(beside provider: any ObservingProvider) -> Snapshot? {
    members.lazy.filter { $0.failure == nil && $0.provider !== provider }
      .compactMap { ($0.provider?.origin as? ResultsVersion)?.snapshot }.first
  }

  /// Whether any member is between *will* and *did*.
  var isDelivering: Bool { isMoving || members.contains { $0.provider?.isDelivering == true } }

  /// Moves all members to the newest version before it returns, one of them by the given step.
  ///
  /// - Throws: the error of the given step, or of another member that has not failed before, which
  ///   reports it too. Then no member has moved.
  func move(by step: ProviderStep) throws {
    let steps = begin([], step)
    if let database { steps.finish(try steps.work(in: database)()) }
    try move(steps, by: step)
  }

  /// Moves all members, as ``move(by:)`` does, without blocking the calling actor.
  ///
  /// - Parameter check: throws if the move is no longer wanted.
  /// - Returns: false if the provider of the given step is no longer a member; then no member has
  ///   moved.
  func move(
    by step: ProviderStep, isolation: isolated (any Actor)? = #isolation,
    _ check: @escaping @Sendable () throws -> Void
  ) async throws -> Bool {
    var steps: [ProviderStep] = []
    var joined = joinCount
    repeat {
      steps = begin(steps, step)
      joined = joinCount
      guard steps.contains(where: { $0 === step }), let work = database.map(steps.work) else {
        return false
      }
      let result = await engine.run {
        try check()
        return try work()
      }
      await settled()
      try Task.checkCancellation()
      try check()
      steps.finish(try result.get())
    } while areLate(steps, since: joined)
    try move(steps, by: step)
    return true
  }

  /// Does the postponed calls of a member as soon as no member is delivering a batch.
  func settle(_ provider: any ObservingProvider) {
    postponed.append(provider)
    settle()
  }

  /// Does the postponed calls of the members if none is delivering a batch.
  func settle() {
    while !postponed.isEmpty, !isDelivering { postponed.removeFirst().doPostponed() }
    resumeSettled()
  }

  private func resumeSettled() {
    guard !settling.isEmpty, !isDelivering else { return }
    for continuation in settling { continuation.resume() }
    settling = []
  }

  /// Returns when no member is delivering a batch. One may be if its delegate runs the actor's other work, as a dialog does
  /// that runs the main run loop.
  func settled(isolation: isolated (any Actor)? = #isolation) async {
    while isDelivering { await withCheckedContinuation { settling.append($0) } }
  }

  // MARK: - The steps of all members

  /// The steps of all members from the versions that they show.
  ///
  /// - Parameters:
  ///   - earlier: the steps of the last round. A step is reused.
  ///   - own: the step of the member that asked; nil if none asked.
  private func begin(_ earlier: [ProviderStep], _ own: ProviderStep? = nil) -> [ProviderStep] {
    // The members have kept their order, and those that have joined since are the last.
    var earlier = earlier[...]
    var steps: [ProviderStep] = []
    steps.reserveCapacity(members.count)
    for member in members {
      guard let provider = member.provider else { continue }
      earlier = earlier.drop { $0.member !== member }
      let step =
        if let own, own.provider === provider { own } else {
          earlier.first ?? provider.advancing()
        }
      step.member = member
      step.start()
      steps.append(step)
    }
    if steps.count < members.count { members.removeAll { $0.provider == nil } }
    return steps
  }

  /// Whether the members must be collected again after the work: one has joined or left since, or shows
  /// another version than its step was computed from.
  ///
  /// - Parameter joined: ``joinCount`` when they were collected.
  private func areLate(_ steps: [ProviderStep], since joined: Int) -> Bool {
    joinCount != joined || steps.contains { $0.isLate }
  }

  private func move(_ steps: [ProviderStep], by step: ProviderStep) throws {
    if let failure = step.failure { throw failure }
    // A member that has already reported an error stays behind. A new error stops the move.
    let late = steps.first { $0.failure != nil && $0.member?.failure == nil }
    if let failure = late?.failure {
      report(steps.failures)
      throw failure
    }
    move(steps)
  }

  /// Moves all members through the phases.
  private func move(_ steps: [ProviderStep]) {
    // A provider that was released during the work notifies nobody. One that a delegate releases from now on notifies until
    // the end.
    let providers = steps.map(\.provider)
    defer { withExtendedLifetime(providers) {} }
    isMoving = true
    // All members show the new version before any of them reports changes.
    for step in steps { step.recover() }
    for phase in BatchPhase.allCases {
      if phase == .show { report(steps.failures) }
      if phase == .end { isMoving = false }
      for step in steps { step.enter(phase) }
    }
    settle()
  }

  /// Reports each new error to its member, and schedules a retry if one is due.
  private func report(_ failures: [(step: ProviderStep, error: any Error)]) {
    for (step, error) in failures { step.fail(error) }
    signals?.attemptEnded(with: failures.map(\.error))
  }
}

extension ObservationGroup {
  /// The group of an actor, made if there is none. The groups are stored with the database.
  static func shared(of database: Database, on actor: any Actor) -> ObservationGroup {
    database.attachment { Locked<[ObjectIdentifier: Weak<ObservationGroup>]>([:]) }.withLock {
      groups in
      let id = ObjectIdentifier(actor)
      // An earlier actor may have had the same address.
      if let group = groups[id]?.object, group.actor === actor { return group }
      groups = groups.filter { $0.value.object != nil }
      let group = ObservationGroup(
        of: database, on: actor, engine: EngineQueue(of: database))
      groups[id] = Weak(group)
      return group
    }
  }
}
