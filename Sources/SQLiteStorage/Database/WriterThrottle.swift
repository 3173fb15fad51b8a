/// Decides when other writers of a file must wait, so that its log can be reset, and for how long.
///
/// The write lock is taken if the holder of the versions falls behind the writers: then no snapshot is
/// ever both the only one and of the newest version. While it is held, the version that is pinned next
/// stays the newest until the one before is released. Other writers wait as they do for any writer.
///
/// If the lock cannot be taken, the next version tries again. Time, and never the length of the log,
/// decides when to try again after holding it did not help: a machine that is busy for a moment must
/// not let the log grow, since a longer log takes longer to catch up with.
final class WriterThrottle {
  /// What the write lock is taken for.
  enum Purpose {
    /// Releasing the log, so that the next writer resets it.
    case releasingLog
    /// Letting the holder of the versions catch up. The log is not expected to be released.
    case catchingUp
  }

  /// Why a hold ended.
  enum End {
    case logIsLeft
    /// Another connection kept the log from being left.
    case logIsInUse
    /// The version before was not released in time.
    case timeIsOver
  }

  /// The present hold of the lock.
  private struct Hold {
    let purpose: Purpose
    let start = ContinuousClock.now
    /// The length of the log.
    let frameCount: Int
    /// When the log could first be left, if it was not: another connection may be copying it, or
    /// reading an older version.
    var releaseStart: ContinuousClock.Instant?
  }

  /// The last hold.
  private struct PastHold {
    let end: End
    /// The length of the log when it began.
    let frameCount: Int
    /// Whether the log can be reset now.
    var wasOfUse: Bool
    /// When to try again if the log was not reset. Writers lose at most a tenth of their time to
    /// other connections, and half of it to a slow holder of the versions.
    let nextTime: ContinuousClock.Instant

    /// - Parameter previous: the hold before, if the log was not reset since.
    init(_ hold: Hold, _ end: End, after previous: PastHold?) {
      self.end = end
      frameCount = hold.frameCount
      wasOfUse = end == .logIsLeft
      let now = ContinuousClock.now
      let factor =
        switch end {
        // A writer that began to read just before the log was left cannot reset it.
        case .logIsLeft where previous == nil: 0
        case .timeIsOver: 1
        case .logIsLeft, .logIsInUse: 10
        }
      nextTime = now + (now - hold.start) * factor
    }
  }

  private let threshold: Int
  private let limit: Int
  private let busyTimeout: Duration
  private var lock: WriteLock
  /// Nil if the lock is not held.
  private var hold: Hold?
  /// Nil if the log was reset since.
  private var past: PastHold?

  /// - Parameters:
  ///   - path: the resolved path of the file.
  ///   - limit: the number of frames that the log should not reach.
  ///   - open: opens the connection that holds the lock.
  init(
    path: String, limit: Int, configuration: Database.Configuration,
    opening open: @escaping @Sendable () throws -> Connection
  ) {
    self.limit = limit
    threshold = configuration.checkpointThreshold
    busyTimeout = configuration.busyTimeout
    lock = WriteLock(path: path, opening: open)
  }

  var isHeld: Bool { hold != nil }
  /// Whether the lock is held until the log is left.
  var isReleasingLog: Bool { hold?.purpose == .releasingLog }

  /// Whether the last hold did not let the log be reset.
  var wasOfNoUse: Bool { past?.wasOfUse == false }

  /// Whether a hold is the present one.
  func isHeld(as number: Int) -> Bool { lock.hold == number }

  // MARK: - Taking the lock

  /// Why to take the lock; nil if there is no reason.
  ///
  /// - Parameters:
  ///   - logs: the logs now.
  ///   - seen: the logs as the newest version has them; nil for one that is not known.
  func purpose(for logs: [WALIndexHeader], since seen: [WALHeader?]) -> Purpose? {
    let mayBeOfUse = mayBeOfUse(logs)
    let pace = zip(logs, seen).map { self.pace(of: $0, since: $1) }.max()
    // While another database of this process holds the lock, the next version stays the newest too.
    guard let pace, !lock.isHeldInProcess else { return nil }
    if mayBeOfUse { return pace > .none ? .releasingLog : nil }
    return pace == .fast && past?.end != .timeIsOver ? .catchingUp : nil
  }

  /// Whether the last hold helped, or was long enough ago.
  private func mayBeOfUse(_ logs: [WALIndexHeader]) -> Bool {
    guard let past else { return true }
    guard logs.longest >= past.frameCount else {
      // It was reset.
      self.past = nil
      return true
    }
    // A reader of another connection keeps it from being reset.
    if logs.longest > past.frameCount { self.past?.wasOfUse = false }
    return ContinuousClock.now >= past.nextTime
  }

  /// How fast a log grows while the holder of the versions takes one after the other.
  private enum Pace: Comparable {
    /// It does not grow without a pause, or is short: a long transaction after a quiet time is no reason for a hold.
    case none
    /// It would pass the limit before two more versions are pinned.
    ///
    /// The more frames a version adds, the longer its holder takes, and the more frames the next one
    /// adds: they double while the holder falls behind.
    case outrunning
    /// The holder has so much to catch up that comparing all rows may soon cost less.
    case fast
  }

  private func pace(of log: WALIndexHeader, since seen: WALHeader?) -> Pace {
    guard let seen else { return log.frameCount >= limit ? .outrunning : .none }
    guard log.version.isSameLog(as: seen), seen.frameCount >= threshold / 4 else { return .none }
    let added = log.frameCount - seen.frameCount
    if added / 2 >= threshold { return .fast }
    return log.frameCount + 2 * added >= limit ? .outrunning : .none
  }

  /// Takes the lock.
  ///
  /// - Parameter frameCount: the length of the log.
  /// - Returns: a check to be made when the time is over; nil if the lock cannot be taken.
  func take(for purpose: Purpose, frameCount: Int) -> LogCheckpointer.Recheck? {
    // Below the busy timeout, so that other writers with the same timeout do not fail.
    let time = min(WriterThrottle.longestHold, busyTimeout / 2)
    guard time > .zero, let number = lock.take() else { return nil }
    hold = Hold(purpose: purpose, frameCount: frameCount)
    return LogCheckpointer.Recheck(delay: time, occasion: .holdIsOver(number: number))
  }

  // MARK: - Releasing the lock

  /// Whether the lock may still be held for a log that could not be left now.
  func mayRetryLeaving() -> Bool {
    let start = hold?.releaseStart ?? .now
    hold?.releaseStart = start
    return ContinuousClock.now - start < min(WriterThrottle.longestLeave, busyTimeout / 2)
  }

  /// Releases the lock, if it is held.
  func release(_ end: End) {
    if let hold, hold.purpose == .releasingLog || end == .timeIsOver {
      past = PastHold(hold, end, after: past)
    }
    hold = nil
    lock.release()
  }

  /// Keeps the write-ahead log unchanged when the connection is closed.
  func keepLogWhenClosed() { lock.keepLogWhenClosed() }

  /// The maximum time to hold the lock while another connection keeps the log from being released.
  private static var longestLeave: Duration { .milliseconds(250) }
  /// The maximum time to hold the lock.
  private static var longestHold: Duration { .seconds(4) }
}
