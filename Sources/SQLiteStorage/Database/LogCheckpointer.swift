/// Limits the length of the write-ahead log while versions are held. It never waits for a writer, and never
/// makes one wait.
///
/// ``check(_:newest:)`` is the only entry point. It is called at each ``Occasion``, and decides in
/// `shorten(_:)` what the length of the log calls for.
///
/// Life cycle of the log:
/// 1. *Short.* No log has as many frames as `longLength`. Nothing is done.
/// 2. *Long.* Without a snapshot the log is copied into the database file, and the next writer
///    resets it. With one snapshot, of the newest version, it is copied and left (3). With
///    several, `awaitsRelease` is set, and `SnapshotKeeper` checks again when one is released.
/// 3. *Left.* The newest snapshot reads from the database file only, and `leftLogs` names its logs.
///    The next writer resets the log. Ends when the next version is pinned. A log that another
///    connection has copied is left too, however short it is.
///
/// The log is long *before* the length at which writers copy it by themselves: a version that is held keeps the
/// log from being reset, and beyond that length each commit of such a writer would copy it in vain, and wait for
/// the disk.
///
/// A log is copied only while a version is pinned that reads from it. So nobody can reset the log meanwhile, and
/// SQLite's WAL-reset bug, which loses commits, cannot occur.
///
/// A failure to copy the log is not reported. It is tried again when the log is longer by the
/// threshold: another process may be stopped while it reads, and SQLite sorts all frames of the log
/// before it finds that they cannot be copied.
///
/// If commits follow each other without a pause, or if the holder of the versions is slow, for example because
/// nobody reads its output, the log grows. Then `SnapshotKeeper` makes private copies of the versions: see
/// `overgrownFrameCount`.
///
/// It is part of the state of `SnapshotKeeper`, whose lock protects all of it: its own state, and the use of
/// the connection `monitor`.
///
/// Source: [Write-Ahead Logging](https://www.sqlite.org/wal.html), section "The WAL-Reset Bug".
final class LogCheckpointer {
  /// What may be done to a long log.
  enum Duty {
    /// Nothing: the database was opened for reading, and may not copy the log.
    case none
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
    /// Another version was pinned.
    case versionWasPinned
    /// A write is about to begin or has ended, the newest snapshot is shared, or a snapshot was
    /// released.
    case step
  }

  /// A moment between two steps, in which another process may commit.
  enum Moment {
    /// The mark was read, and nothing is pinned yet.
    case markedBeforePin
    /// A version is pinned, and the mark was not read again.
    case pinned
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
  /// The number of frames from which the log is copied.
  private let longLength: Int

  /// Whether the log is long, and can only be shortened after a snapshot is released.
  private(set) var awaitsRelease = false
  /// The schemas, as positions in `files.pinnedSchemas`, for which the newest snapshot reads only the
  /// database file and not the log.
  private(set) var leftLogs: Set<Int> = []
  /// The lengths of the logs when the newest snapshot was last given another read-mark.
  private var frameCountsAtExchange: [[Int]] = []
  /// The length of the log at the last copying that failed; nil if it did not fail.
  private var uncopiedCount: Int?
  /// Called at each moment in which a commit of another process would do the most harm, so that
  /// tests can commit then.
  var momentPassed: (@Sendable (Moment) -> Void)?

  /// - Parameter monitor: a connection that is never in a transaction.
  init(
    _ duty: Duty, of files: PinnedFiles, monitor: Connection, readers: ReaderPool,
    versions: VersionChain, configuration: Database.Configuration
  ) {
    self.duty = duty
    self.files = files
    self.monitor = monitor
    self.readers = readers
    self.versions = versions
    threshold = configuration.checkpointThreshold
    // Writers copy the log by themselves from the threshold on.
    longLength = max(1, threshold / 4 * 3)
  }

  /// Does what the length of the log calls for.
  ///
  /// - Parameter newest: the newest version that was pinned.
  func check(_ occasion: Occasion, newest: PinnedVersion) {
    switch occasion {
    case .look: leaveCopiedLogs(newest)
    case .versionWasPinned:
      leftLogs = []
      shorten(newest)
    case .step: shorten(newest)
    }
  }

  /// Reads the headers of all logs; nil if one cannot be read.
  private func readLogs() -> [WALIndexHeader]? {
    let logs = files.pinnedSchemas.compactMap { WALIndexHeader(of: monitor, schema: $0) }
    return logs.count == files.pinnedSchemas.count ? logs : nil
  }

  // MARK: - Copying

  /// Copies a long log, and moves the newest snapshot off it if no other is held.
  private func shorten(_ newest: PinnedVersion) {
    awaitsRelease = false
    guard duty != .none, let logs = readLogs(), logs.longest >= longLength else { return }
    let all = Set(logs.indices)
    let isCopied = logs.allSatisfy(\.isCopied)
    switch versions.count {
    case 0:
      if !isCopied { copyUnpinnedLogs(logs) }
    case 1:
      guard leftLogs != all, let snapshot = newest.snapshot, isNewest(newest) else { return }
      // The snapshot is kept until the end: what it pins protects the copying.
      withExtendedLifetime(snapshot) {
        if isCopied || copyLogs(logs) { leave(all, newest) }
      }
    default: awaitsRelease = true
    }
  }

  /// Copies the logs while a version is pinned that reads from them.
  private func copyUnpinnedLogs(_ logs: [WALIndexHeader]) {
    guard let connection = try? readers.take() else { return }
    defer { readers.checkIn(connection) }
    guard (try? files.begin(on: connection)) != nil, let pinned = readLogs(),
      // A log that was not copied when the version was pinned is read by it.
      zip(pinned, logs).allSatisfy({
        $0.version == $1.version && ($0.frameCount == 0 || !$0.isCopied)
      })
    else { return }
    _ = copyLogs(pinned)
  }

  /// Copies the logs, unless that failed not long ago.
  ///
  /// - Returns: whether all of each log was copied into its database.
  private func copyLogs(_ logs: [WALIndexHeader]) -> Bool {
    if let count = uncopiedCount, logs.longest >= count,
      logs.longest - count < threshold
    {
      return false
    }
    // A lost log must not be copied over what other connections have written since.
    let isCopied =
      files.lostFile(seenBy: monitor) == nil
      && zip(files.pinnedSchemas, logs).reduce(true) { areCopied, log in
        // What is copied already is not pinned either.
        (log.1.isCopied || monitor.checkpoint(log.0)) && areCopied
      }
    let now = readLogs() ?? logs
    let hasAdvanced = zip(now, logs).contains { $0.backfilledFrameCount > $1.backfilledFrameCount }
    uncopiedCount = isCopied || hasAdvanced ? nil : logs.longest
    return isCopied
  }

  /// The number of frames of the longest log; nil if one cannot be read.
  var longestFrameCount: Int? { readLogs()?.longest }

  /// The length of a log that takes a quarter of the room of a private copy, or more; nil if none does.
  var overgrownFrameCount: Int? {
    let least = multiple(of: threshold, 8)
    return readLogs()?.lazy.filter { $0.frameCount >= max(least, Int($0.version.pageCount) / 4) }
      .map(\.frameCount).max()
  }

  /// Whether the writer of this database should wait until its observers have caught up, so that the log can be
  /// reset.
  var isWaitOfUse: Bool {
    guard duty != .none, versions.count > 0, let logs = readLogs() else { return false }
    return logs.longest >= multiple(of: threshold, 6) && leftLogs != Set(logs.indices)
  }

  // MARK: - Leaving

  /// Moves the newest snapshot off each log that is completely copied, however short the log is.
  ///
  /// A connection that resets the log (`wal_checkpoint(RESTART)`, `TRUNCATE`) first copies it,
  /// and then waits for all its readers. If the snapshot kept reading the log, that connection
  /// would wait until its timeout.
  private func leaveCopiedLogs(_ newest: PinnedVersion) {
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
  /// A reader of the log prevents it from being reset. So another connection is pinned
  /// before the first is released. SQLite gives it the read-mark for "all in the file, none in the
  /// log", unless a checkpoint still holds its lock: then the next check tries again. The next writer
  /// resets the log.
  private func leave(_ logs: Set<Int>, _ newest: PinnedVersion) {
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
    return true
  }
}

/// A multiple of a number of frames, or the greatest number if that is too great.
private func multiple(of count: Int, _ factor: Int) -> Int {
  let (product, isTooGreat) = count.multipliedReportingOverflow(by: factor)
  return isTooGreat ? .max : product
}

extension [WALIndexHeader] {
  /// The number of frames of the longest log.
  var longest: Int { map(\.frameCount).max() ?? 0 }
}

extension WALIndexHeader {
  /// All frames, and those that are copied.
  fileprivate var frameCounts: [Int] { [frameCount, backfilledFrameCount] }
}
