/// Limits the length of the write-ahead log while versions are held.
///
/// ``check(_:newest:)`` is the only entry point. It is called at each ``Occasion``, and decides in
/// `shorten(_:newest:)` what the length of the log calls for.
///
/// Life cycle of the log:
/// 1. *Short.* No log has as many frames as the threshold. Nothing is done.
/// 2. *Long.* Without a snapshot the log is copied into the database file, and the next writer
///    starts it over. With one snapshot, of the newest version, it is copied and left (3). With
///    several, `awaitsRelease` is set, and `SnapshotKeeper` checks again when one is released.
/// 3. *Left.* The newest snapshot reads from the database file only, and `leftLogs` names its logs.
///    The next writer starts the log over. Ends when the next version is pinned. A log that another
///    connection has copied is left too, however short it is.
/// 4. *Throttled.* Commits follow each other without a pause. Either the log is long, since no snapshot
///    is ever both the only one and of the newest version: the lock is taken while the holder of the
///    snapshots is almost up to date, or if the log is far too long. Or the holder falls behind: the
///    more commits it has to show at once, the longer it takes, and the more there are then.
///    `writeLock` is held, so that the next snapshot stays the newest until the one
///    before is released. Other writers wait as they do for any writer. Ends when the log is left or
///    is short again and only one snapshot is held, when no snapshot is held, when another connection
///    keeps the log from being left for 100 or 500 ms, or when the time is over. It was of use if the log is
///    started over then. If not, or if the lock could not be taken, it is not tried again before the log
///    has `leastThrottledCount` frames, unless versions are late.
///
/// A failure to copy the log is not reported. It is tried again when the log is longer by the
/// threshold: another process may be stopped while it reads, and SQLite sorts all frames of the log
/// before it finds that they cannot be copied.
///
/// If the holder of the versions is slow, as a program whose output is not read, or writers may not be
/// made to wait, the log may become as long as the database. Then `SnapshotKeeper` makes private copies
/// of the versions: see `overgrownFrameCount`.
///
/// The value is part of the state of `SnapshotKeeper`, whose lock protects all of it: its own state,
/// and the use of the connections `monitor` and that of `writeLock`.
struct LogCheckpointer {
  /// What may be done to a long log.
  enum Duty {
    /// Nothing: the file cannot be written.
    case none
    /// Copy the log into the database file when it is far too long. For databases opened for
    /// reading: writers copy the log too, but cannot start it over while a version is held.
    case rare
    /// Copy the log as soon as it is long.
    case full
  }

  /// A reason to check the log.
  ///
  /// A caller usually takes the next snapshot before it releases the one before. So it is not enough
  /// to check when a snapshot is made.
  enum Occasion {
    /// Observers look for commits. Only logs that another connection has copied are left.
    case look
    /// Another version is about to be pinned.
    case versionIsNeeded
    /// Another version was pinned.
    case versionWasPinned
    /// A write is about to begin or has ended, the newest snapshot is shared, a snapshot was
    /// released, or the delay of a ``Recheck`` is over.
    case step
    /// The time is over for which the write lock was to be held, since the log had `frameCount`
    /// frames.
    case holdIsOver(number: Int, frameCount: Int)
  }

  /// A check to be made later.
  struct Recheck {
    let delay: Duration
    let occasion: Occasion
  }

  /// A moment between two steps, in which another process may commit.
  enum Moment {
    /// The log is copied, and the replacement connection has not begun its transaction.
    case copiedLog
    /// The replacement connection has begun its transaction, and the mark was not read again.
    case leftLog
  }

  private let duty: Duty
  private let files: PinnedFiles
  // Before `monitor`, which must be the last connection to be closed: see `SnapshotKeeper`.
  private let readers: ReaderPool
  private let monitor: Connection
  /// The versions that are held.
  private let versions: VersionChain
  private let threshold: Int
  private let busyTimeout: Duration
  private let delaysWriters: Bool

  /// Whether the log is long, and can only be shortened after a snapshot is released.
  private(set) var awaitsRelease = false
  /// The positions, in `files.pinnedSchemas`, of the schemas of which the newest snapshot reads only
  /// the database file and not the log.
  private(set) var leftLogs: Set<Int> = []
  /// The lengths of the logs when the newest snapshot was last given another read-mark.
  private var frameCountsAtExchange: [[Int]] = []
  private var writeLock: WriteLock
  /// The length of the log at the last hold of the write lock, which was of no use so far; nil if the log
  /// has been started over since.
  private var uselessHoldCount: Int?
  /// When the log could first be left during the present hold of the write lock, if it was not: another
  /// connection may be copying it, or reading an older version.
  private var leaveStart: ContinuousClock.Instant?
  /// The length of the log at the last copying that failed; nil if it did not fail.
  private var uncopiedCount: Int?
  /// How many versions in a row were pinned with many frames since the one before.
  private var lateCount = 0
  /// How many versions in a row were pinned while the log was long.
  private var longCount = 0
  /// When a version was last pinned.
  private var lastPin = ContinuousClock.now
  /// Called at each moment in which a commit of another process would do the most harm, so that
  /// tests can commit then.
  var momentPassed: (@Sendable (Moment) -> Void)?

  /// - Parameters:
  ///   - monitor: a connection that is never in a transaction.
  ///   - openThrottle: opens another connection like `monitor`.
  init(
    _ duty: Duty, of files: PinnedFiles, monitor: Connection, readers: ReaderPool,
    versions: VersionChain, configuration: Database.Configuration,
    openThrottle: @escaping @Sendable () throws -> Connection
  ) {
    self.duty = duty
    self.files = files
    self.monitor = monitor
    self.readers = readers
    self.versions = versions
    threshold = configuration.checkpointThreshold
    busyTimeout = configuration.busyTimeout
    delaysWriters = configuration.delaysWriters
    writeLock = WriteLock(path: monitor.path, opening: openThrottle)
  }

  /// Does what the length of the log calls for.
  ///
  /// - Parameter newest: the newest version that was pinned.
  /// - Returns: a check to be made later; nil if none is needed.
  mutating func check(_ occasion: Occasion, newest: PinnedVersion) -> Recheck? {
    switch occasion {
    case .look:
      leaveCopiedLogs(newest)
      return nil
    case .versionIsNeeded: return holdWriteLock(newest)
    case .versionWasPinned:
      lastPin = .now
      leftLogs = []
      return shorten(newest)
    case .step: return shorten(newest)
    case .holdIsOver(let number, let frameCount):
      guard writeLock.hold == number else { return nil }
      uselessHoldCount = frameCount
      releaseWriteLock()
      return nil
    }
  }

  // MARK: - Length

  private enum Length: Comparable {
    case short, long, farTooLong
  }

  /// Reads the headers of all logs; nil if one cannot be read.
  private func readLogs() -> [WALIndexHeader]? {
    let logs = files.pinnedSchemas.compactMap { WALIndexHeader(of: monitor, schema: $0) }
    return logs.count == files.pinnedSchemas.count ? logs : nil
  }

  /// Forgets that a hold was of no use if the log was started over since.
  private mutating func forgetUselessHold(_ logs: [WALIndexHeader]) {
    if let count = uselessHoldCount, logs.longest < count { uselessHoldCount = nil }
  }

  /// The minimum length of the log for a hold of the write lock to keep the log short: half as long
  /// again as at a hold of no use. From the far limit to twice that, it is longer by the threshold only, so
  /// that a log does not double between two holds.
  private var leastThrottledCount: Int {
    guard let count = uselessHoldCount else { return 0 }
    let later = count / 2 * 3
    return count / 2 < farLimit ? min(later, max(farLimit, count + min(threshold, count))) : later
  }

  private func length(of logs: [WALIndexHeader]) -> Length {
    switch logs.longest {
    case max(farLimit, leastThrottledCount)...: .farTooLong
    // While the write lock is held, all of the log can be copied, and left.
    case (duty == .full || writeLock.hold != nil ? threshold : farLimit)...: .long
    default: .short
    }
  }

  /// The number of frames from which a log is far too long.
  private var farLimit: Int {
    let (limit, isTooGreat) = threshold.multipliedReportingOverflow(by: Self.farFactor)
    return isTooGreat ? Int.max : limit
  }

  // MARK: - Copying

  /// Copies a long log, and moves the newest snapshot off it if no other is held.
  private mutating func shorten(_ newest: PinnedVersion) -> Recheck? {
    guard duty != .none, let logs = readLogs(), length(of: logs) > .short else {
      // The holder of the version before is catching up.
      awaitsRelease = writeLock.hold != nil && versions.count > 1
      return awaitsRelease ? nil : finish()
    }
    let all = Set(logs.indices)
    let isCopied = logs.allSatisfy(\.isCopied)
    switch versions.count {
    case 0:
      if !isCopied { _ = copyLogs(logs) }
    case 1:
      if leftLogs != all, isNewest(newest), isCopied || copyLogs(logs) { leave(all, newest) }
      guard writeLock.hold != nil, logs.longest >= leastThrottledCount else { break }
      if leftLogs != all {
        let start = leaveStart ?? .now
        leaveStart = start
        let limit = length(of: logs) == .farTooLong ? Self.mediumHold : Self.shortHold
        if ContinuousClock.now - start < min(limit, busyTimeout / 2) {
          awaitsRelease = false
          return Recheck(delay: Self.leaveDelay, occasion: .step)
        }
      }
      uselessHoldCount = logs.longest
    default:
      awaitsRelease = true
      return nil
    }
    return finish()
  }

  private mutating func finish() -> Recheck? {
    awaitsRelease = false
    releaseWriteLock()
    return nil
  }

  private mutating func releaseWriteLock() {
    leaveStart = nil
    writeLock.release()
  }

  /// Copies the logs, unless that failed not long ago.
  ///
  /// - Returns: whether all of each log was copied into its database.
  private mutating func copyLogs(_ logs: [WALIndexHeader]) -> Bool {
    if let count = uncopiedCount, writeLock.hold == nil, logs.longest >= count,
      logs.longest - count < threshold
    {
      return false
    }
    // A lost log must not be copied over what other connections have written since.
    let isCopied =
      files.lostFile(seenBy: monitor) == nil
      && files.pinnedSchemas.reduce(true) { monitor.checkpoint($1) && $0 }
    uncopiedCount = isCopied ? nil : logs.longest
    return isCopied
  }

  /// The length of a log that takes more room than private copies of the versions would; nil if none
  /// does.
  var overgrownFrameCount: Int? {
    readLogs()?.lazy.filter { [farLimit] in
      $0.frameCount >= max(farLimit, Int($0.version.pageCount)) && $0.frameCount >= farLimit / 2 * 3
    }.map(\.frameCount).max()
  }

  /// Whether the write lock is not held to keep the log short, or a hold was of no use.
  var leavesLogsLong: Bool { duty == .none || !delaysWriters || uselessHoldCount != nil }

  // MARK: - Leaving

  /// Moves the newest snapshot off each log that is completely copied, however short the log is.
  ///
  /// A connection that starts the log over (`wal_checkpoint(RESTART)`, `TRUNCATE`) first copies it,
  /// and then waits for all its readers. If the snapshot kept reading the log, that connection
  /// would wait until its timeout.
  private mutating func leaveCopiedLogs(_ newest: PinnedVersion) {
    guard files.isStamped, newest.snapshot != nil, let logs = readLogs() else { return }
    let copied = logs.indices.filter { logs[$0].isCopied }
    if copied.contains(where: { logs[$0].frameCount > 0 && !leftLogs.contains($0) }) {
      if isNewest(newest) { leave(Set(copied), newest) }
    } else if logs.contains(where: { !$0.isCopied && $0.backfilledFrameCount > 0 }),
      logs.map(\.frameCounts) != frameCountsAtExchange, versions.count == 1, isNewest(newest)
    {
      // There are four read-marks for the log. If other readers had all of them, this one shares one
      // of an older version, and the log cannot be copied beyond that.
      frameCountsAtExchange = logs.map(\.frameCounts)
      exchangeConnection(of: newest)
    }
  }

  /// Moves the newest snapshot off copied logs, if it is still of the newest version.
  ///
  /// A reader of the log prevents it from being started over. So another connection is pinned
  /// before the first is released. SQLite gives it the read-mark for "all in the file, none in the
  /// log", unless a checkpoint still holds its lock: then the next check tries again. The next writer
  /// starts the log over.
  private mutating func leave(_ logs: Set<Int>, _ newest: PinnedVersion) {
    let canReadFilesAlone = logs.allSatisfy { log in
      WALIndex(handle: monitor.handle, schema: files.pinnedSchemas[log])?.canReadFileAlone == true
    }
    if canReadFilesAlone, exchangeConnection(of: newest) { leftLogs = logs }
  }

  /// Gives the newest snapshot a connection that begins its transaction now, if the snapshot is still of
  /// the newest version and is not being read.
  ///
  /// - Returns: whether it has the connection.
  @discardableResult
  private func exchangeConnection(of newest: PinnedVersion) -> Bool {
    guard let snapshot = newest.snapshot, let replacement = try? readers.take() else {
      return false
    }
    momentPassed?(.copiedLog)
    let hasBegun = (try? files.begin(on: replacement)) != nil
    momentPassed?(.leftLog)
    // If another connection has committed since, the replacement would show other content.
    guard hasBegun, isNewest(newest) else {
      readers.checkIn(replacement)
      return false
    }
    let spare = snapshot.exchange(for: replacement)
    readers.checkIn(spare)
    return spare !== replacement
  }

  /// Whether the newest version that was pinned is the newest version.
  private func isNewest(_ version: PinnedVersion) -> Bool {
    guard let mark = version.mark else { return false }
    return (try? files.mark(seenBy: monitor))?.hasSameContent(as: mark) == true
  }

  // MARK: - Throttling

  /// Holds the write lock for a moment if the log is far too long, or the versions are late.
  private mutating func holdWriteLock(_ newest: PinnedVersion) -> Recheck? {
    guard duty != .none, delaysWriters, let logs = readLogs() else { return nil }
    forgetUselessHold(logs)
    let missed = frameCount(of: logs, since: newest)
    lateCount = missed >= threshold ? lateCount + 1 : 0
    // One late version may follow a long transaction, or a pause of the holder. If it is late after a
    // short time, or several are, the holder falls behind.
    let isRecent = ContinuousClock.now - lastPin < Self.recently
    let isLate = lateCount > 1 || missed / 2 >= threshold && isRecent
    let isTooLong = length(of: logs) == .farTooLong
    // With few frames to catch up, the hold is a short one.
    let isShort = missed <= threshold / 4
    let limit = duty == .full ? farLimit / 4 : farLimit / 2
    longCount = logs.longest >= limit ? longCount + 1 : 0
    // A long log is left at the next pause, if there is one.
    let isWithoutPause =
      longCount > Self.patience || logs.longest / 5 * 4 >= farLimit
    let isDue = isTooLong || isShort && logs.longest >= leastThrottledCount
    // If older versions are held too, the log would not be started over anyway. While another database of
    // this process holds the lock, the next version stays the newest too.
    guard
      isLate || isDue && (isWithoutPause || isTooLong && duty == .full),
      versions.count == 1, !writeLock.isHeldInProcess
    else { return nil }
    // What can be copied now need not be copied while other writers wait.
    if isTooLong { _ = copyLogs(logs) }
    // It is released as soon as the version before is. Its time stays below the busy timeout, so that
    // other writers with the same timeout do not fail.
    let catchUp = isTooLong ? Self.mediumHold : Self.shortHold
    let time = min(isShort ? catchUp : Self.longestHold, busyTimeout / 2)
    guard time > .zero, let number = writeLock.take() else {
      if !writeLock.isHeldInProcess { uselessHoldCount = logs.longest }
      return nil
    }
    return Recheck(
      delay: time, occasion: .holdIsOver(number: number, frameCount: logs.longest))
  }

  /// The number of frames that were written since a version, in the log with most of them.
  private func frameCount(of logs: [WALIndexHeader], since newest: PinnedVersion) -> Int {
    guard newest.snapshot != nil else { return 0 }
    guard let stamp = newest.mark?.stamp, stamp.logs.count == logs.count else { return .max }
    return zip(logs, stamp.logs).map { log, seen in
      log.version.isSameLog(as: seen) ? log.frameCount - seen.frameCount : log.frameCount
    }.max() ?? 0
  }

  // MARK: - Closing

  /// Keeps the last connection, when it is closed, from copying a log that was removed or replaced:
  /// SQLite would overwrite what other connections have written since, and remove their log.
  ///
  /// - Returns: whether there is such a log.
  @discardableResult
  func keepLostLogs() -> Bool {
    guard files.lostFile(seenBy: monitor) != nil else { return false }
    // Fails only if the connection is closed.
    try? monitor.keepLogWhenClosed()
    writeLock.keepLogWhenClosed()
    return true
  }

  /// The multiple of the threshold from which a log counts as far too long.
  private static var farFactor: Int { 8 }
  /// The maximum time to hold the write lock if the holder of the snapshots is almost up to date, or has
  /// caught up.
  private static var shortHold: Duration { .milliseconds(100) }
  /// The same if it has caught up, and the log is far too long.
  private static var mediumHold: Duration { .milliseconds(500) }
  /// The maximum time to hold the write lock.
  private static var longestHold: Duration { .seconds(4) }
  /// How many versions are pinned while the log is long, before commits count as without a pause.
  private static var patience: Int { 16 }
  /// The time in which many frames are taken for a writer that does not pause.
  private static var recently: Duration { .seconds(2) }
  /// How long to wait before the log is tried to be left again.
  private static var leaveDelay: Duration { .milliseconds(5) }
}

extension [WALIndexHeader] {
  /// The number of frames of the longest log.
  fileprivate var longest: Int { map(\.frameCount).max() ?? 0 }
}

extension WALIndexHeader {
  /// All frames, and those that are copied.
  fileprivate var frameCounts: [Int] { [frameCount, backfilledFrameCount] }
}
