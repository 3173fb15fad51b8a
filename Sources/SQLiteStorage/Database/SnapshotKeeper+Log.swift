internal import CFetchedResultsSQLite
internal import Dispatch
internal import Synchronization

/// Limits the length of the write-ahead log while versions are held.
extension SnapshotKeeper {
  /// Prepares the log to be started over if it is longer than the threshold and no snapshot needs
  /// its older frames.
  ///
  /// A caller usually takes the next snapshot before it releases the one before. So this is tried
  /// before and after each write too, not only when a snapshot is made. A failure is not reported:
  /// the next call tries again.
  func shortenLog() {
    guard logDuty != .none else { return }
    state.withLock { shortenLog(&$0) }
  }

  func shortenLog(_ state: inout State) {
    let limit = configuration.checkpointThreshold
    guard logDuty != .none,
      let headers = headers(state, from: logDuty == .full ? limit : limit * Self.longLogFactor)
    else { return endThrottle(&state) }
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
        state.leastThrottledCount = 0
      } else if state.activeThrottle != nil {
        // Another connection may be copying the log.
        return lookAgain()
      }
    default:
      return isShorteningDue.store(true, ordering: .releasing)
    }
    endThrottle(&state)
  }

  /// The headers of all WAL-indexes; nil if no log has at least `frameCount` frames.
  private func headers(_ state: State, from frameCount: Int) -> [WALIndexHeader]? {
    let headers = files.pinnedSchemas.compactMap { WALIndexHeader(of: state.monitor, schema: $0) }
    guard headers.count == files.pinnedSchemas.count,
      headers.contains(where: { $0.frameCount >= frameCount })
    else { return nil }
    return headers
  }

  // MARK: - Many commits in a row

  /// Holds the write lock for a moment if the log has become far longer than the threshold.
  ///
  /// Under constant commits no snapshot is ever both the only one and of the newest version, so the
  /// log is never started over. While the write lock is held, the next snapshot stays the newest
  /// until the one before is released. Other writers wait as they do for any writer.
  func throttleWritersIfNeeded(_ state: inout State) {
    let limit = max(
      configuration.checkpointThreshold * Self.longLogFactor, state.leastThrottledCount)
    // If older versions are held too, the log would not be started over anyway.
    guard logDuty == .full, state.activeThrottle == nil,
      liveCount.value.load(ordering: .acquiring) == 1,
      let headers = headers(state, from: limit), let count = headers.map(\.frameCount).max()
    else { return }
    // The holder of the version before gets more time the longer the log is. But the time stays
    // below the busy timeout, so that other writers with the same timeout do not fail.
    let length =
      Double(count) / Double(max(configuration.checkpointThreshold * Self.longLogFactor, 1))
    let time = min(Self.throttle * length, Self.longestThrottle, configuration.busyTimeout / 2)
    guard time > .zero else { return }
    do {
      let throttle = try state.throttle ?? openThrottle()
      state.throttle = throttle
      guard try takeWriteLock(on: throttle) else { return }
    } catch {
      return  // Tried again with the next version.
    }
    state.throttleCount += 1
    let number = state.throttleCount
    state.activeThrottle = number
    queue.asyncAfter(deadline: .now() + time / .seconds(1)) { [weak self] in
      self?.state.withLock { state in
        guard state.activeThrottle == number else { return }
        state.leastThrottledCount = 2 * count
        self?.endThrottle(&state)
      }
    }
  }

  /// Tries to take the write lock every millisecond. SQLite's busy handler waits longer after each
  /// try: under constant commits it would rarely get the lock, and the log would grow.
  ///
  /// - Returns: false if other connections held the lock until the time was over.
  private func takeWriteLock(on throttle: Connection) throws -> Bool {
    try throttle.setBusyTimeout(.zero)
    let end = ContinuousClock.now + Self.throttleTimeout
    repeat {
      do {
        try throttle.execute("BEGIN IMMEDIATE")
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

  private func endThrottle(_ state: inout State) {
    isShorteningDue.store(false, ordering: .releasing)
    guard state.activeThrottle != nil else { return }
    state.activeThrottle = nil
    // Closing the connection ends its transaction too.
    do { try state.throttle?.execute("ROLLBACK") } catch { state.throttle = nil }
  }

  // MARK: - Copying

  /// Moves the newest snapshot off each log that is completely copied, however short the log is.
  ///
  /// A connection that starts the log over (`wal_checkpoint(RESTART)`, `TRUNCATE`) first copies it,
  /// and then waits for all its readers. If the snapshot kept reading the log, that connection
  /// would wait until its timeout.
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

  /// Moves the newest snapshot off copied logs, if it is still of the newest version.
  ///
  /// A reader of the log prevents it from being started over. So another connection is pinned
  /// before the first is released. SQLite gives it the read-mark for "all in the file, none in the
  /// log". The next writer starts the log over.
  private func leave(_ logs: Set<Int>, _ state: inout State) {
    guard let snapshot = state.newest, let mark = state.newestMark,
      let replacement = try? readers.take()
    else { return }
    state.momentPassed?(.copiedLog)
    let hasBegun = (try? begin(on: replacement)) != nil
    state.momentPassed?(.leftLog)
    // If another connection has committed since, the replacement would show other content.
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
    // A lost log must not be copied over what other connections have written since.
    files.lostFile(seenBy: state.monitor) == nil
      && files.pinnedSchemas.reduce(true) { state.monitor.checkpoint($1) && $0 }
  }

  /// Keeps the last connection, when it is closed, from copying a log that was removed or replaced:
  /// SQLite would overwrite what other connections have written since, and remove their log.
  ///
  /// - Returns: whether there is such a log.
  @discardableResult
  func keepLogs(_ state: State) -> Bool {
    guard files.lostFile(seenBy: state.monitor) != nil else { return false }
    // Fails only if the connection is closed.
    for connection in [state.monitor, state.throttle] { try? connection?.keepLogWhenClosed() }
    return true
  }

  /// The multiple of the threshold from which a log counts as far too long.
  private static var longLogFactor: Int { 8 }
  /// How long to try to take the write lock.
  private static var throttleTimeout: Duration { .milliseconds(100) }
  /// How long to hold the write lock, if the log is just long enough for it.
  private static var throttle: Duration { .milliseconds(500) }
  /// The maximum time to hold the write lock.
  private static var longestThrottle: Duration { .seconds(4) }
  /// How long to wait for another connection that copies the log.
  private static var lookDelay: Duration { .milliseconds(5) }
}
