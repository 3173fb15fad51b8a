/// What is to be done about the length of the write-ahead log while versions are pinned: a state machine without effects.
/// Events go in and actions come out; ``LogCheckpointer`` performs them.
///
/// The log is copied into the database file at three quarters of the threshold, since writers copy it by themselves from the
/// threshold on: while a version keeps the log from being reset, each commit would copy it in vain, and wait for the disk.
/// No writer is waited for, and none waits.
///
/// | the log | versions | action |
/// |---|---|---|
/// | is short | any | nothing |
/// | is copied, by whomever | the newest is pinned, or a private copy | ``Action/leave``: the next writer resets the log, and a private copy is given up |
/// | is long | none is pinned | ``Action/copy``; nothing at a look, or while a reset is awaited, since other writers who commit now copy it themselves |
/// | is long | only the newest is pinned | ``Action/copyAndLeave`` |
/// | is long | several are pinned | ``awaitsRelease``: the next event is the end of one |
/// | is partly copied, and more since | only the newest is pinned | ``Action/exchangeReadMark`` |
///
/// ``LogOvergrowth`` says what is done about a log that grows on all the same.
///
/// A log is copied only while a version is pinned that reads from it. So nobody can reset the log meanwhile, and
/// SQLite's WAL-reset bug, which loses commits, cannot occur; except if ``Database/suspend()`` releases the version at that
/// moment.
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
    var pinnedCount: Int
    /// Whether the newest version that was made is pinned in the file, and nothing was committed since.
    var isNewestPinned: Bool
    /// Whether it is a private copy instead. That does not count as pinned.
    var isNewestCopied = false
    /// Whether no version is pinned before a writer has reset the log: see ``LogOvergrowth``.
    var isResetAwaited = false

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
  }

  /// Whether the log may be copied. A database that was opened for reading may not, unless it is configured to.
  private let mayCopy: Bool
  /// Whether this database writes: nobody else copies the log of its commits.
  private let writes: Bool
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

  /// - Parameters:
  ///   - mayCopy: whether the log may be copied.
  ///   - writes: whether the database was opened for writing.
  ///   - threshold: the length of the log from which writers copy it, in frames.
  init(mayCopy: Bool, writes: Bool, threshold: Int) {
    self.mayCopy = mayCopy
    self.writes = writes
    self.threshold = threshold
  }

  /// The action that an event calls for.
  mutating func action(for event: Event, in situation: Situation) -> Action {
    if event == .versionWasPinned { hasLeft = false }
    let action = shortening(situation, by: event)
    guard event == .look, action == .nothing else { return action }
    return mustExchangeReadMark(situation) ? .exchangeReadMark : .nothing
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
    if situation.isCopied {
      let isNewest = situation.isNewestPinned || situation.isNewestCopied
      return isNewest && !hasLeft ? .leave : .nothing
    }
    guard mayCopy, situation.frameCount >= threshold / 4 * 3 else { return .nothing }
    switch situation.pinnedCount {
    case 0:
      // Nothing is in the way of other writers who commit now: they copy the log themselves.
      return event != .look && (writes || !situation.isResetAwaited) && mayCopyNow(situation)
        ? .copy : .nothing
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

  /// Whether a writer of this process should wait until its observers have caught up: only then can the log be reset.
  func isWaitOfUse(_ situation: Situation) -> Bool {
    mayCopy && situation.pinnedCount > 0 && !hasLeft
      && situation.frameCount >= LogOvergrowth.count(threshold)
  }
}
