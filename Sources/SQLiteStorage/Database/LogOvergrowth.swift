/// What is to be done about a log that is overgrown: a state machine without effects, one for all databases of this process
/// that read the log. ``SharedLog`` performs what it decides.
///
/// SQLite resets the log with the first commit that finds no reader in it. If commits leave no pause, there is none only if
/// no version is pinned at that moment. A single list could see to that alone. Of ten, one is always pinned. So they make
/// room together: all versions become private copies, and nobody pins the next one before the log was reset.
///
/// | the log | versions | what happens |
/// |---|---|---|
/// | is overgrown, and grows on or is not reset for long | some are pinned | they make room: commits leave no pause, or their holders are slow |
/// | is overgrown | each becomes a copy at once | they make room |
/// | a reset is awaited | some are pinned | they are becoming copies; the next ones wait, for five seconds |
/// | a reset is awaited | none is pinned | the next ones wait a quarter of a second longer |
/// | was reset | any | nobody waits |
/// | was not reset in time | any | nobody waits. Room is made again at the next turn |
///
/// Several processes do not know of each other, so each may have a version pinned while another makes room. They have a clock
/// in common. After a wait in vain, the next turn is the first half of a full second, then of an even one, then of one that four
/// and eight divide, and room is left until the end of that second.
struct LogOvergrowth {
  /// What is known when a database looks at the log.
  struct Situation {
    /// The number of frames in the log.
    var frameCount: Int
    /// The number of versions that the databases of this process have pinned.
    var pinnedCount: Int
    var now: ContinuousClock.Instant
    /// The time since 1970, which is the same for all processes.
    var systemTime: Duration
  }

  /// A reset that is awaited, of a log of this length.
  private struct Awaited {
    let frameCount: Int
    /// The end of the second in which other processes are expected to make room, so that it is not left earlier.
    let endOfTurn: ContinuousClock.Instant
    var end: ContinuousClock.Instant
    /// Whether a moment was seen at which no version was pinned.
    var hasRoom = false
  }

  /// When the log was first seen to be overgrown, and its length then; nil if it is not.
  private var overgrown: (since: ContinuousClock.Instant, frameCount: Int)?
  private var awaited: Awaited?
  /// How often a reset was awaited in vain, and the length of the log at last; nil if it was reset since.
  private var unreset: (count: Int, frameCount: Int)?

  /// The length from which a log is overgrown, in frames.
  ///
  /// - Parameter threshold: the length from which writers copy it.
  static func count(_ threshold: Int) -> Int { 4 * min(threshold, .max / 4) }

  /// Whether a reset of the log is awaited, so that no version is to be pinned.
  var isResetAwaited: Bool { awaited != nil }

  /// Whether versions must make room for a log that grows although it is copied whenever that is possible. It takes an
  /// eighth of the room of a private copy or more.
  ///
  /// - Parameter pageCount: the number of pages of the database.
  mutating func mustMakeRoom(
    in situation: Situation, threshold: Int, pageCount: Int
  ) -> Bool {
    guard situation.frameCount >= max(LogOvergrowth.count(threshold), pageCount / 8) else {
      overgrown = nil
      return false
    }
    let first = overgrown ?? (situation.now, situation.frameCount)
    overgrown = first
    guard situation.pinnedCount > 0,
      situation.frameCount - first.frameCount >= threshold
        || situation.now - first.since >= LogOvergrowth.slowness
    else { return false }
    return awaitReset(situation)
  }

  /// Whether versions must make room for a log that is overgrown although a version has become a copy as soon as it was
  /// pinned: others were pinned whenever a writer could have reset it.
  mutating func mustMakeRoom(in situation: Situation, threshold: Int) -> Bool {
    situation.frameCount >= LogOvergrowth.count(threshold) && awaitReset(situation)
  }

  /// - Returns: whether the reset is awaited from now on.
  private mutating func awaitReset(_ situation: Situation) -> Bool {
    guard awaited == nil else { return false }
    if let unreset, situation.frameCount < unreset.frameCount { self.unreset = nil }
    var endOfTurn = situation.now
    if let unreset {
      guard LogOvergrowth.isTurn(situation, after: unreset.count) else { return false }
      endOfTurn += situation.restOfSecond
    }
    awaited = Awaited(
      frameCount: situation.frameCount, endOfTurn: endOfTurn,
      end: situation.now + LogOvergrowth.slowness)
    return true
  }

  /// Whether it is a turn of all processes. It comes ever less often: if a writer does not reset its log, as one with
  /// `wal_autocheckpoint = 0`, room is of no use.
  ///
  /// - Parameter count: how often a reset was awaited in vain.
  private static func isTurn(_ situation: Situation, after count: Int) -> Bool {
    let period = Int64(1) << min(count - 1, longestPeriod)
    return situation.systemTime.components.seconds.isMultiple(of: period)
      && situation.restOfSecond > .milliseconds(500)
  }

  /// There was no space for a copy, so a version stays pinned.
  mutating func didFail() {
    awaited = nil
    overgrown = nil
  }

  /// Whether the next version is pinned later, since a writer is expected to reset the log first.
  mutating func awaitsReset(_ situation: Situation) -> Bool {
    guard var awaited else { return false }
    guard situation.frameCount >= awaited.frameCount else {
      self.awaited = nil
      unreset = nil
      return false
    }
    if situation.pinnedCount == 0, !awaited.hasRoom {
      awaited.hasRoom = true
      awaited.end = max(situation.now + LogOvergrowth.resetTime, awaited.endOfTurn)
      self.awaited = awaited
    }
    if situation.now < awaited.end { return true }
    self.awaited = nil
    unreset = ((unreset?.count ?? 0) + 1, situation.frameCount)
    return false
  }

  /// How long an overgrown log may wait for the holders of versions, and the next version until they are copies.
  private static var slowness: Duration { .seconds(5) }

  /// How long the next version waits for a writer to reset the log once no version is pinned.
  private static var resetTime: Duration { .milliseconds(250) }

  /// The binary logarithm of the longest time between two turns, in seconds.
  private static var longestPeriod: Int { 3 }
}

extension LogOvergrowth.Situation {
  /// The time until the next full second.
  fileprivate var restOfSecond: Duration {
    .seconds(systemTime.components.seconds + 1) - systemTime
  }
}
