internal import Dispatch
internal import Synchronization

// What the keeper does about the length of the log, besides what `LogCheckpointer` decides: who waits for whom, and
// when versions become private copies.

extension SnapshotKeeper {
  func checkLog(_ occasion: LogCheckpointer.Occasion, _ state: inout State) {
    state.source.log?.check(occasion, newest: state.newest)
    let awaitsRelease = state.source.log?.awaitsRelease == true
    isReleaseAwaited.store(awaitsRelease, ordering: .sequentiallyConsistent)
    // A snapshot may have been released between the check and the store.
    if awaitsRelease, versions.count < 2 { checkLogLater() }
  }

  /// Checks the log on the queue, since `state` may be locked now.
  func checkLogLater() {
    queue.async { [weak self] in
      guard let self else { return }
      state.withLock { self.checkLog(.step, &$0) }
    }
  }

  /// Waits, for a short time, until a writer has reset a log whose versions were copied: if the next version were pinned
  /// at once, commits without a pause would never leave a moment for it.
  func waitForReset() {
    while true {
      let isWaiting = state.withLock { state -> Bool in
        guard let awaited = state.awaitedReset else { return false }
        let length = state.source.log?.longestFrameCount ?? 0
        guard length >= awaited.frameCount, ContinuousClock.now < awaited.end else {
          state.awaitedReset = nil
          return false
        }
        return true
      }
      guard isWaiting else { return }
      SnapshotKeeper.wait(SnapshotKeeper.pause)
    }
  }

  /// Replaces the held versions by private copies if the log is overgrown and either grows on, since commits follow each
  /// other without a pause, or is not reset for long, since the holders of the versions are slow. Otherwise it would grow
  /// without limit.
  func checkLongLog(_ state: inout State) {
    let now = ContinuousClock.now
    guard state.left == nil, !state.source.files.holdsAttachedFiles, let log = state.source.log
    else { return }
    guard let frameCount = log.overgrownFrameCount else {
      // It was reset since the last copying.
      state.lastCopying?.frameCount = .max
      state.overgrown = nil
      return
    }
    let first = state.overgrown ?? (now, frameCount)
    state.overgrown = first
    guard
      frameCount - first.frameCount >= configuration.checkpointThreshold
        || now - first.since >= SnapshotKeeper.slowness
    else { return }
    // If no writer has reset the log since, more copies would not help.
    if let last = state.lastCopying {
      guard now - last.time >= SnapshotKeeper.copyingInterval,
        frameCount < last.frameCount || frameCount / 2 >= last.frameCount
      else { return }
    }
    state.lastCopying = (now, frameCount)
    state.copiesVersions = true
    // A version that is pinned meanwhile would not be copied, and keep the log from being reset.
    state.awaitedReset = (now + configuration.busyTimeout, frameCount)
    copyQueue.async { [weak self] in
      guard let self else { return }
      let areCopied = copyHeldVersions()
      self.state.withLock { state in
        if areCopied {
          state.awaitedReset?.end = .now + SnapshotKeeper.resetTime
        } else {
          state.lastCopying?.frameCount = .max
          state.awaitedReset = nil
        }
      }
    }
  }

  /// Whether only a little was written between two versions: less than a writer resets the log for.
  func isClose(_ mark: VersionMark?, to earlier: VersionMark?) -> Bool {
    guard let logs = mark?.stamp?.logs, let others = earlier?.stamp?.logs else { return false }
    return zip(logs, others).allSatisfy { log, other in
      log.isSameLog(as: other)
        && log.frameCount - other.frameCount < configuration.checkpointThreshold
    }
  }

  // MARK: - Writes of this database

  /// Lets observers catch up before a write if the log is long: only then can it be reset. No other process waits.
  ///
  /// The wait ends after some time, since observers may need the thread of the writer. Then the next one comes ten times
  /// that later.
  func waitForObservers() {
    let start = ContinuousClock.now
    while mustWaitForObservers(since: start) { SnapshotKeeper.wait(SnapshotKeeper.pause) }
  }

  /// The same without blocking the thread.
  func waitForObservers() async throws {
    let start = ContinuousClock.now
    while mustWaitForObservers(since: start) { try await Task.sleep(for: SnapshotKeeper.pause) }
  }

  private func mustWaitForObservers(since start: ContinuousClock.Instant) -> Bool {
    let time = min(SnapshotKeeper.longestWait, configuration.busyTimeout / 2)
    return state.withLock { state in
      guard start >= state.nextWait, state.source.log?.isWaitOfUse == true else { return false }
      checkLog(.step, &state)
      let now = ContinuousClock.now
      guard now - start >= time else { return true }
      state.nextWait = now + time * 10
      return false
    }
  }

  /// How long an overgrown log may wait for the holders of versions.
  private static var slowness: Duration { .seconds(5) }

  /// How long a write may wait for observers.
  private static var longestWait: Duration { .milliseconds(250) }

  /// How long the next version waits for a writer to reset the log.
  private static var resetTime: Duration { .milliseconds(250) }

  /// The time between two looks at the log while something waits for it.
  private static var pause: Duration { .milliseconds(1) }

  /// The minimum time between two copyings of all held versions.
  private static var copyingInterval: Duration { .milliseconds(250) }
}
