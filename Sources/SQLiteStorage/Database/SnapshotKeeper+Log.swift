internal import CFetchedResultsSQLite
internal import Dispatch
internal import Synchronization

/// Keeps the write-ahead log from growing without bound under the versions that are held.
extension SnapshotKeeper {
  /// Lets the log be started over where it has grown past the threshold and no snapshot needs its
  /// older frames. Whoever holds one snapshot lets go of it only after it has the next: so this is
  /// tried not just when a snapshot is made, but before and after each write too.
  ///
  /// Nothing that anybody asked for fails where it cannot be done: it is tried again.
  func shortenLog() {
    guard logDuty != .none else { return }
    state.withLock { shortenLog(&$0) }
  }

  func shortenLog(_ state: inout State) {
    let limit = configuration.checkpointThreshold
    guard logDuty != .none,
      let headers = headers(state, from: logDuty == .full ? limit : limit * Self.patience)
    else { return letGo(&state) }
    let isCopied = headers.allSatisfy { $0.backfilledFrameCount == $0.frameCount }
    switch liveCount.value.load(ordering: .acquiring) {
    case 0:
      if !isCopied { _ = checkpoint(state) }
    case 1:
      let all = Set(headers.indices)
      if state.leftLogs != all, isNewestPinned(state), isCopied || checkpoint(state) {
        leave(all, &state)
      }
      if state.leftLogs == all {
        state.leastBrakedCount = 0
      } else if state.braking != nil {
        // Somebody else may be copying the log just now.
        return lookAgain()
      }
    default:
      return isShorteningDue.store(true, ordering: .releasing)
    }
    letGo(&state)
  }

  /// What the indexes of all logs say; nil if none has so many frames.
  private func headers(_ state: State, from frameCount: Int) -> [WALIndexHeader]? {
    let headers = files.pinnedSchemas.compactMap { WALIndexHeader(of: state.monitor, schema: $0) }
    guard headers.count == files.pinnedSchemas.count,
      headers.contains(where: { $0.frameCount >= frameCount })
    else { return nil }
    return headers
  }

  // MARK: - A storm of commits

  /// Keeps others from committing for a moment, where the log has grown far past the threshold.
  ///
  /// In a storm of commits no snapshot is ever the only one and of the newest version, so the log is
  /// never started over. With the write lock held, the next snapshot stays the newest until the one
  /// before it is let go of. Those who commit meanwhile wait, as for any other who writes.
  func brakeWhereNeeded(_ state: inout State) {
    let limit = max(configuration.checkpointThreshold * Self.patience, state.leastBrakedCount)
    // With an older version held besides, the log would not be started over all the same.
    guard logDuty == .full, state.braking == nil, liveCount.value.load(ordering: .acquiring) == 1,
      let headers = headers(state, from: limit), let count = headers.map(\.frameCount).max()
    else { return }
    // Whoever holds the version before may take his time; the longer the log, the more of it. But
    // nobody who waits as long as this database does should give up.
    let length = Double(count) / Double(max(configuration.checkpointThreshold * Self.patience, 1))
    let time = min(Self.brake * length, Self.longestBrake, configuration.busyTimeout / 2)
    guard time > .zero else { return }
    do {
      let brake = try state.brake ?? openBrake()
      state.brake = brake
      guard try takeWriteLock(on: brake) else { return }
    } catch {
      return  // It is tried again with the next version.
    }
    state.brakeCount += 1
    let number = state.brakeCount
    state.braking = number
    queue.asyncAfter(deadline: .now() + time / .seconds(1)) { [weak self] in
      self?.state.withLock { state in
        guard state.braking == number else { return }
        state.leastBrakedCount = 2 * count
        self?.letGo(&state)
      }
    }
  }

  /// Asks for the write lock far more often than SQLite does by itself, which waits longer each time:
  /// in a storm somebody has the lock whenever it asks, and meanwhile the log grows.
  ///
  /// - Returns: false where others always were quicker.
  private func takeWriteLock(on brake: Connection) throws -> Bool {
    try brake.setBusyTimeout(.zero)
    let end = ContinuousClock.now + Self.brakeTimeout
    repeat {
      do {
        try brake.execute("BEGIN IMMEDIATE")
        return true
      } catch let error as DatabaseError where .busy ~= error.resultCode {
        sqlite3_sleep(1)
      }
    } while ContinuousClock.now < end
    return false
  }

  private func lookAgain() {
    queue.asyncAfter(deadline: .now() + Self.lookDelay / .seconds(1)) { [weak self] in
      self?.shortenLog()
    }
  }

  private func letGo(_ state: inout State) {
    isShorteningDue.store(false, ordering: .releasing)
    guard state.braking != nil else { return }
    state.braking = nil
    // Closing it would end its transaction as well.
    do { try state.brake?.execute("ROLLBACK") } catch { state.brake = nil }
  }

  // MARK: - Copying

  /// Moves the newest snapshot off each log of which all is copied, however short it is.
  ///
  /// Another connection that wants to start the log over (`wal_checkpoint(RESTART)`, `TRUNCATE`)
  /// first copies it, and then waits for all who read from it. A snapshot that stayed on the log
  /// would make it wait until it gives up.
  func leaveCopiedLogs(_ state: inout State) {
    guard files.isStamped, state.newest != nil, let headers = headers(state, from: 1)
    else { return }
    let copied = headers.indices.filter {
      headers[$0].backfilledFrameCount == headers[$0].frameCount
    }
    guard copied.contains(where: { headers[$0].frameCount > 0 && !state.leftLogs.contains($0) }),
      isNewestPinned(state)
    else { return }
    leave(Set(copied), &state)
  }

  /// Moves the newest snapshot off logs that are copied, if it is still the newest version.
  ///
  /// A reader that is always there keeps the log from being started over. So another connection is
  /// pinned, to which SQLite hands the read-mark for "all in the file, none in the log", before the
  /// first is released. The next writer starts the log over.
  private func leave(_ logs: Set<Int>, _ state: inout State) {
    guard let snapshot = state.newest, let mark = state.newestMark,
      let replacement = try? readers.take()
    else { return }
    state.momentPassed?(.copiedLog)
    let hasBegun = (try? begin(on: replacement)) != nil
    state.momentPassed?(.leftLog)
    // Taking over a version that another connection has committed since would change the content.
    guard hasBegun, isNewest(mark, state) else { return release(replacement) }
    let spare = snapshot.exchange(for: replacement)
    if spare !== replacement { state.leftLogs = logs }
    release(spare)
  }

  /// Whether the newest snapshot is of the newest version.
  private func isNewestPinned(_ state: State) -> Bool {
    state.newestMark.map { isNewest($0, state) } ?? false
  }

  private func isNewest(_ mark: VersionMark, _ state: State) -> Bool {
    (try? files.mark(seenBy: state.monitor))?.hasSameContent(as: mark) == true
  }

  /// - Returns: whether all of each log was copied into its database.
  private func checkpoint(_ state: State) -> Bool {
    // A log that is lost must not be copied over what others have written since.
    files.lostFile(seenBy: state.monitor) == nil
      && files.pinnedSchemas.reduce(true) { state.monitor.checkpoint($1) && $0 }
  }

  /// Keeps the last connection that is closed from copying a log that was removed or replaced: SQLite
  /// would write over what others have written since, and remove their log.
  ///
  /// - Returns: whether there is such a log.
  @discardableResult
  func keepLogs(_ state: State) -> Bool {
    guard files.lostFile(seenBy: state.monitor) != nil else { return false }
    // It fails only for a connection that is closed.
    for connection in [state.monitor, state.brake] { try? connection?.keepLogWhenClosed() }
    return true
  }

  /// How many times longer than it should be a log is that cannot be left alone.
  private static var patience: Int { 8 }
  /// How long to try to get the write lock.
  private static var brakeTimeout: Duration { .milliseconds(100) }
  /// How long to hold it, where the log is just long enough for it.
  private static var brake: Duration { .milliseconds(500) }
  /// How long to hold it at most.
  private static var longestBrake: Duration { .seconds(4) }
  /// How long to wait for somebody else who copies the log.
  private static var lookDelay: Duration { .milliseconds(5) }
}
