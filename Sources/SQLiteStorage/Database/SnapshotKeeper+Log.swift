internal import Dispatch
internal import Synchronization

// Who waits for whom when the log is long, and when versions are copied or released.

extension SnapshotKeeper {
  /// Lets the log be shortened.
  ///
  /// - Parameter header: the header of the log; nil if it must be read.
  func handle(_ event: LogUpkeep.Event, _ state: inout State, _ header: WALIndexHeader? = nil) {
    guard let log = state.source.log else { return }
    log.handle(event, newest: state.newest, header)
    isReleaseAwaited.store(log.awaitsRelease, ordering: .sequentiallyConsistent)
    // A snapshot may have ended between the check and the store.
    if log.awaitsRelease, versions.pinnedCount < 2 { checkLogLater() }
  }

  /// Checks the log on the queue, since `state` may be locked now.
  func checkLogLater() {
    queue.async { [weak self] in
      guard let self else { return }
      state.withLock { self.handle(.step, &$0) }
    }
  }

  /// Releases the versions that snapshots hold, without `state`: a reader of a snapshot may wait for it.
  ///
  /// Those who need a version are waited for.
  func releaseVersions() {
    for snapshot in state.withLock({ $0.held }) {
      while snapshot.object.map({ !$0.release() }) == true {
        SnapshotKeeper.wait(.milliseconds(1))
      }
    }
  }

  /// Makes room for a writer to reset the log, together with the other databases of this process.
  func joinSharedLog() {
    state.withLock { state in
      state.source.log?.join { [weak self, releaseQueue] in
        releaseQueue.async { [weak self] in self?.makeRoom() }
      }
    }
  }

  private func makeRoom() {
    state.withLock { $0.source.log?.willCopyVersions() }
    if !copyVersions() { state.withLock { $0.source.log?.didFailToCopy() } }
  }

  /// Replaces a version that was just pinned by a private copy.
  func copyNewVersion(_ snapshot: Snapshot) {
    do {
      try leaveFile(snapshot)
      state.withLock { $0.source.log?.didCopyVersion() }
    } catch {
      // The version stays pinned, and the log grows until there is space for a copy.
      state.withLock { $0.source.log?.didFailToCopy() }
    }
  }

  /// Replaces the versions that snapshots hold by private copies, all at once, so that the log grows for as long as one copy
  /// takes. It is done without `state`: a reader of a snapshot may wait for it.
  ///
  /// - Returns: whether there was space for all copies.
  private func copyVersions() -> Bool {
    let held = state.withLock { $0.held }
    let areCopied = Atomic(true)
    DispatchQueue.concurrentPerform(iterations: held.count) { number in
      do {
        try held[number].object.map(leaveFile)
      } catch {
        // There may be more space at the next look.
        areCopied.store(false, ordering: .sequentiallyConsistent)
      }
    }
    return areCopied.load(ordering: .sequentiallyConsistent)
  }

  func leaveFile(_ snapshot: Snapshot) throws {
    try snapshot.leaveFile { try copy(of: snapshot, $0) }
  }

  /// - Parameter connection: sees the version of the snapshot.
  func copy(of snapshot: Snapshot, _ connection: Connection) throws -> Connection {
    let copy = try configuration.privateCopy(of: connection, at: snapshot.stamp)
    interrupters.add(copy.interrupter)
    return copy
  }

  /// Waits until a writer has reset a log for which versions have made room, if that is expected.
  ///
  /// - Parameter isPatient: whether it waits for as long as it is of use.
  func waitForReset(isPatient: Bool) {
    let end = ContinuousClock.now + SnapshotKeeper.longestWait
    while !isClosed, state.withLock({ $0.source.log?.awaitsReset() == true }),
      isPatient || .now < end
    { SnapshotKeeper.wait(SnapshotKeeper.pause) }
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

  private func mustWaitForObservers(since start: ContinuousClock.Instant) -> Bool {
    let time = min(SnapshotKeeper.longestWait, configuration.busyTimeout / 2)
    return state.withLock { state in
      guard start >= state.nextWait, state.source.log?.isWaitOfUse(newest: state.newest) == true
      else { return false }
      handle(.step, &state)
      let now = ContinuousClock.now
      guard now - start >= time else { return true }
      state.nextWait = now + time * 10
      return false
    }
  }

  /// How long a write may wait for observers, and an app's thread for a snapshot.
  private static var longestWait: Duration { .milliseconds(250) }

  /// The time between two looks at the log while something waits for it.
  private static var pause: Duration { .milliseconds(1) }

  // MARK: - Another process that waits for the locks

  /// Releases the locks of the process if another process has waited for them for some time. From then on versions are not
  /// pinned.
  ///
  /// A connection to a file in WAL mode holds a read lock for as long as it is open. Who writes the
  /// file in WAL mode does not wait for it. Who writes its pages in place does, as the follower of a
  /// replica, and other readers wait for them.
  func checkWaitingWriter(_ state: inout State) {
    if state.former != nil { return closeFormerLater() }
    guard let process = state.source.pendingLock?.owner() else {
      state.waiting = nil
      return
    }
    let now = ContinuousClock.now
    if state.waiting?.process != process { state.waiting = (process, now) }
    guard let waiting = state.waiting, now - waiting.since >= SnapshotKeeper.patience else {
      return lookLater(&state)
    }
    guard let next = try? state.source.releasing() else { return }
    release(next, &state)
    closeFormerLater()
  }

  private func lookLater(_ state: inout State) {
    guard !state.isLookPlanned else { return }
    state.isLookPlanned = true
    let delay = SnapshotKeeper.patience / 10 / .seconds(1)
    queue.asyncAfter(deadline: .now() + delay) { [weak self] in
      self?.state.withLock { $0.isLookPlanned = false }
      _ = self?.newestMark()
    }
  }

  private func closeFormerLater() {
    releaseQueue.async { [weak self] in
      guard let self else { return }
      releaseVersions()
      guard versions.pinnedCount == 0 else { return }
      state.withLock { state in
        state.former?.close()
        state.former = nil
      }
      didEnd()
    }
  }

  /// How long another process waits, at each look, before the file is released. Also in WAL mode a connection takes the lock
  /// for a moment, to try whether it is the only one. On a busy machine it may be out of a processor at that moment.
  private static var patience: Duration { .milliseconds(250) }
}
