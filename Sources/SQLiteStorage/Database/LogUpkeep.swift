/// What is to be done about the length of the write-ahead log while versions are pinned: a state machine without effects.
/// Events go in and actions come out; ``LogCheckpointer`` and ``SnapshotKeeper`` perform them.
///
/// The log is copied into the database file at three quarters of the threshold, since writers copy it by themselves from the
/// threshold on: while a version keeps the log from being reset, each commit would copy it in vain, and wait for the disk.
/// No writer is waited for, and none waits.
///
/// | the log | versions | action |
/// |---|---|---|
/// | is short | any | nothing |
/// | is copied, by whomever | the newest is pinned | ``Action/leave``: the next writer resets the log |
/// | is long | none is pinned | ``Action/copy``; nothing at a look, since writers who commit now copy it themselves |
/// | is long | only the newest is pinned | ``Action/copyAndLeave`` |
/// | is long | several are pinned | ``awaitsRelease``: the next event is the end of one |
/// | is partly copied, and more since | only the newest is pinned | ``Action/exchangeReadMark`` |
/// | is overgrown and grows on, or is not reset for long | some are pinned | ``Action/copyVersions``: they stand in the way of commits without a pause, or their holders are slow |
/// | is overgrown | each becomes a copy at once | ``awaitsReset(_:at:)``: others are pinned in turn, so the next one waits |
///
/// A log is copied only while a version is pinned that reads from it. So nobody can reset the log meanwhile, and
/// SQLite's WAL-reset bug, which loses commits, cannot occur.
///
/// Sources: [Write-Ahead Logging](https://www.sqlite.org/wal.html), section "The WAL-Reset Bug".
struct LogUpkeep {
  enum Event {
    /// Observers look for commits.
    case look
    /// Another version was pinned.
    case versionWasPinned
    /// A write is about to begin or has ended, the newest snapshot is shared, or a snapshot has ended.
    case step
  }

  /// What is known when an event occurs.
  struct Situation {
    /// The number of frames in the log, and how many of them are copied into the database file.
    var frameCount, copiedFrameCount: Int
    /// The number of pages of the database.
    var pageCount: Int
    var pinnedCount: Int
    /// Whether the newest version that was made is pinned, and nothing was committed since.
    var isNewestPinned: Bool
    var now: ContinuousClock.Instant

    var isCopied: Bool { copiedFrameCount == frameCount }
  }

  enum Action: Equatable {
    case nothing
    /// Copy the log while a version is pinned only for that.
    case copy
    /// Copy the log. If all of it could be copied, have the newest version read from the file alone.
    case copyAndLeave
    /// Have the newest version read from the file alone.
    case leave
    /// Pin the newest version again, with another read-mark. There are four for the log. If other readers had all of them,
    /// the version has one of an older version, beyond which the log cannot be copied.
    case exchangeReadMark
    /// Make private copies of all versions, so that nothing reads the log.
    case copyVersions
  }

  /// Whether the log may be copied. A database that was opened for reading may not, unless it is configured to.
  private let mayCopy: Bool
  private let threshold: Int

  /// Whether the log is long, and can only be shortened after a version has ended.
  private(set) var awaitsRelease = false
  /// Whether the newest version reads only the database file, and not the log.
  private(set) var hasLeft = false
  /// The frames in the log and those that are copied, when the read-mark was exchanged last.
  private var countsAtExchange: [Int] = []
  /// The length of the log at the last copying that failed; nil if it did not fail. Another process may be stopped while it
  /// reads, and SQLite sorts all frames of the log before it finds that they cannot be copied.
  private(set) var uncopiedCount: Int?
  /// When the log was first seen to be overgrown, and its length then; nil if it is not.
  private(set) var overgrown: (since: ContinuousClock.Instant, frameCount: Int)?
  /// When versions were last copied, and the length of the log then; 0 if it was reset since.
  private var lastCopying: (time: ContinuousClock.Instant, frameCount: Int)?
  /// Until when a reset of the log is expected, after versions were copied, and the length of that log.
  private var awaitedReset: (end: ContinuousClock.Instant, frameCount: Int)?
  /// The length of the log when a reset was last awaited in vain; nil if it was reset since.
  private var unresetCount: Int?
  /// Whether commits follow each other so fast that each version becomes a private copy at once.
  private(set) var copiesVersions = false

  /// - Parameters:
  ///   - mayCopy: whether the log may be copied.
  ///   - threshold: the length of the log from which writers copy it, in frames.
  init(mayCopy: Bool, threshold: Int) {
    self.mayCopy = mayCopy
    // Multiples of the threshold are numbers too.
    self.threshold = min(threshold, .max / 8)
  }

  /// The number of frames from which a log is overgrown.
  private var overgrownCount: Int { 4 * threshold }

  /// The action that an event calls for.
  mutating func action(for event: Event, in situation: Situation) -> Action {
    if event == .versionWasPinned { hasLeft = false }
    let action = shortening(situation, by: event)
    guard event == .look, action == .nothing else { return action }
    if mustExchangeReadMark(situation) { return .exchangeReadMark }
    return mustCopyVersions(situation) ? .copyVersions : .nothing
  }

  private mutating func mustExchangeReadMark(_ situation: Situation) -> Bool {
    let counts = [situation.frameCount, situation.copiedFrameCount]
    guard situation.isNewestPinned, situation.pinnedCount == 1, counts != countsAtExchange,
      situation.copiedFrameCount > 0, !situation.isCopied
    else { return false }
    countsAtExchange = counts
    return true
  }

  private mutating func shortening(_ situation: Situation, by event: Event) -> Action {
    awaitsRelease = false
    guard situation.frameCount > 0 else { return .nothing }
    if situation.isCopied { return situation.isNewestPinned && !hasLeft ? .leave : .nothing }
    guard mayCopy, situation.frameCount >= threshold / 4 * 3 else { return .nothing }
    switch situation.pinnedCount {
    case 0:
      // Nothing is in the way of writers who commit now: they copy the log themselves.
      return event != .look && awaitedReset == nil && mayCopyNow(situation) ? .copy : .nothing
    case 1:
      return situation.isNewestPinned && mayCopyNow(situation) ? .copyAndLeave : .nothing
    default:
      awaitsRelease = true
      return .nothing
    }
  }

  private func mayCopyNow(_ situation: Situation) -> Bool {
    guard let count = uncopiedCount else { return true }
    return situation.frameCount < count || situation.frameCount - count >= threshold
  }

  /// A log is overgrown if it is very long, and takes an eighth of the room of a private copy or more.
  private mutating func mustCopyVersions(_ situation: Situation) -> Bool {
    guard situation.frameCount >= max(overgrownCount, situation.pageCount / 8) else {
      lastCopying?.frameCount = 0
      overgrown = nil
      return false
    }
    let first = overgrown ?? (situation.now, situation.frameCount)
    overgrown = first
    guard situation.pinnedCount > 0,
      situation.frameCount - first.frameCount >= threshold
        || situation.now - first.since >= LogUpkeep.slowness
    else { return false }
    // If no writer has reset the log since, more copies would not help.
    if let last = lastCopying {
      guard situation.now - last.time >= LogUpkeep.copyingInterval,
        LogUpkeep.isOfUse(at: situation.frameCount, after: last.frameCount)
      else { return false }
    }
    lastCopying = (situation.now, situation.frameCount)
    copiesVersions = true
    // A version that is pinned meanwhile would not be copied, and keep the log from being reset.
    awaitedReset = (situation.now + LogUpkeep.slowness, situation.frameCount)
    return true
  }

  /// Whether what did not shorten a log is worth another attempt: the log was reset since, or is twice as long.
  private static func isOfUse(at frameCount: Int, after earlier: Int) -> Bool {
    frameCount < earlier || frameCount / 2 >= earlier
  }

  // MARK: - What became of an action

  /// The log was copied, as far as that was possible.
  ///
  /// - Parameters:
  ///   - checkpoint: what became of it. Another connection that copies the log is no reason to wait for a longer log.
  ///   - hasAdvanced: whether more of it is copied than before.
  mutating func didCopy(_ frameCount: Int, _ checkpoint: Checkpoint, hasAdvanced: Bool) {
    uncopiedCount = checkpoint == .partial && !hasAdvanced ? frameCount : nil
  }

  /// The newest version reads only the database file now.
  mutating func didLeave() { hasLeft = true }

  /// The versions are private copies, or there was no space for them.
  mutating func didCopyVersions(_ areCopied: Bool, at now: ContinuousClock.Instant) {
    if areCopied {
      awaitedReset?.end = now + LogUpkeep.resetTime
    } else {
      lastCopying?.frameCount = 0
      awaitedReset = nil
    }
  }

  /// A version has become a private copy as soon as it was pinned. If the log is overgrown all the same, other versions were
  /// pinned whenever a writer could have reset it, as those of other databases of this process. Then the next version waits, in
  /// each of them. If that was in vain, it does so again when the log is twice as long.
  mutating func didCopyVersion(_ frameCount: Int, at now: ContinuousClock.Instant) {
    if let count = unresetCount {
      guard LogUpkeep.isOfUse(at: frameCount, after: count) else { return }
      unresetCount = nil
    }
    if frameCount >= overgrownCount { awaitedReset = (now + LogUpkeep.resetTime, frameCount) }
  }

  /// Two versions have followed each other closely. So versions stay in the file again.
  mutating func commitsLeavePauses() { copiesVersions = false }

  // MARK: - Who waits

  /// Whether the next version is pinned later, since a writer is expected to reset the log first: if it were pinned at once,
  /// commits without a pause would never leave a moment for that.
  mutating func awaitsReset(
    _ frameCount: @autoclosure () -> Int, at now: @autoclosure () -> ContinuousClock.Instant
  ) -> Bool {
    guard let awaited = awaitedReset else { return false }
    let count = frameCount()
    if count >= awaited.frameCount, now() < awaited.end { return true }
    awaitedReset = nil
    unresetCount = count < awaited.frameCount ? nil : count
    return false
  }

  /// Whether a writer of this process should wait until its observers have caught up: only then can the log be reset.
  func isWaitOfUse(_ situation: Situation) -> Bool {
    mayCopy && situation.pinnedCount > 0 && !hasLeft && situation.frameCount >= overgrownCount
  }

  /// How long an overgrown log may wait for the holders of versions.
  private static var slowness: Duration { .seconds(5) }

  /// The minimum time between two copyings of all versions.
  private static var copyingInterval: Duration { .milliseconds(250) }

  /// How long the next version waits for a writer to reset the log.
  private static var resetTime: Duration { .milliseconds(250) }
}
