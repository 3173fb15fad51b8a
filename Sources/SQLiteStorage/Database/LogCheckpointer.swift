/// Copies the write-ahead log into the database file, and moves versions off it, as ``LogUpkeep`` decides.
///
/// A failure to copy the log is not an error: the log stays complete, and it is tried again when it has grown.
///
/// It is part of the state of `SnapshotKeeper`, whose lock protects the use of the connection `monitor`.
final class LogCheckpointer {
  /// A moment between two steps, in which another process may commit.
  enum Moment {
    /// The mark was read, and nothing is pinned yet.
    case markedBeforePin
    /// A version is pinned, and the mark was not read again.
    case pinned
    /// A version is pinned that reads from the log, which is about to be copied.
    case beforeCopy
    /// The log is copied, and the replacement connection has not begun its transaction.
    case copiedLog
    /// The replacement connection has begun its transaction, and the mark was not read again.
    case leftLog
  }

  private let files: DatabaseFiles
  private let readers: ReaderPool
  private let monitor: Connection
  private var upkeep: LogUpkeep
  /// The versions that are held.
  private let versions: VersionChain
  private let shared: SharedLog
  private let threshold: Int
  /// Whether commits follow each other so fast that each version becomes a private copy at once.
  private(set) var copiesVersions = false
  /// Called at each moment in which a commit of another process would do the most harm, so that
  /// tests can commit then.
  var momentPassed: (@Sendable (Moment) -> Void)?

  /// - Parameters:
  ///   - mayCopy: whether the log may be copied.
  ///   - writes: whether the database was opened for writing.
  ///   - threshold: the length of the log from which writers copy it, in frames.
  ///   - monitor: a connection that is never in a transaction.
  init(
    mayCopy: Bool, writes: Bool, threshold: Int, of files: DatabaseFiles, monitor: Connection,
    readers: ReaderPool, versions: VersionChain
  ) {
    upkeep = LogUpkeep(mayCopy: mayCopy, writes: writes, threshold: threshold)
    shared = SharedLog.of(files.main)
    self.threshold = threshold
    self.files = files
    self.monitor = monitor
    self.readers = readers
    self.versions = versions
  }

  deinit { shared.remove(versions) }

  /// Joins the other databases of the process.
  ///
  /// - Parameter makeRoom: makes private copies of all versions, on another thread.
  func join(makeRoom: @escaping @Sendable () -> Void) { shared.add(versions, makeRoom: makeRoom) }

  /// Whether the log is long, and can only be shortened after a version has ended.
  var awaitsRelease: Bool { upkeep.awaitsRelease }

  /// Whether the newest version reads only the database file, and not the log.
  var hasLeft: Bool { upkeep.hasLeft }

  /// Does what an event calls for.
  ///
  /// - Parameters:
  ///   - newest: the newest version that was made.
  ///   - log: the header of the log; nil if it must be read.
  func handle(_ event: LogUpkeep.Event, newest: NewestVersion, _ log: WALIndexHeader? = nil) {
    guard let log = log ?? WALIndexHeader(of: monitor) else { return }
    // What it pins protects the copying.
    let snapshot = newest.snapshot
    defer { withExtendedLifetime(snapshot) {} }
    switch upkeep.action(for: event, in: situation(log, newest)) {
    case .nothing: if event == .look { shared.look(log, threshold: threshold) }
    case .copy: copyPinned(log)
    case .copyAndLeave: if copy(log) { leave(newest) }
    case .leave: leave(newest)
    case .exchangeReadMark: _ = exchangeConnection(of: newest)
    }
  }

  /// Whether a writer of this process should wait until its observers have caught up.
  func isWaitOfUse(newest: NewestVersion) -> Bool {
    WALIndexHeader(of: monitor).map { upkeep.isWaitOfUse(situation($0, newest)) } == true
  }

  private func situation(_ log: WALIndexHeader, _ newest: NewestVersion) -> LogUpkeep.Situation {
    let current = newest.isCurrent(at: log.version) ? newest.snapshot : nil
    return LogUpkeep.Situation(
      frameCount: log.frameCount, copiedFrameCount: log.backfilledFrameCount,
      pinnedCount: versions.pinnedCount, isNewestPinned: current?.isInFile == true,
      isNewestCopied: current?.isPrivateCopy == true,
      isResetAwaited: shared.awaitsReset { log })
  }

  // MARK: - Making room

  /// Called before all versions become private copies.
  func willCopyVersions() { copiesVersions = true }

  /// Called when there was no space for a copy. It is tried again when the log has grown.
  func didFailToCopy() {
    copiesVersions = false
    shared.didFail()
  }

  /// Called when a version has become a private copy as soon as it was pinned.
  func didCopyVersion() {
    if let log = WALIndexHeader(of: monitor) { shared.didCopyVersion(log, threshold: threshold) }
  }

  /// Called when two versions have followed each other closely: so they stay in the file again.
  func commitsLeavePauses() { copiesVersions = false }

  /// Whether the next version is pinned later, since a writer is expected to reset the log first.
  func awaitsReset() -> Bool { shared.awaitsReset { WALIndexHeader(of: monitor) } }

  // MARK: - Copying

  /// Copies the log while a version is pinned that reads from it, and that nobody else needs.
  private func copyPinned(_ log: WALIndexHeader) {
    guard let connection = try? readers.take() else { return }
    defer { readers.checkIn(connection) }
    guard (try? files.begin(on: connection)) != nil, let pinned = WALIndexHeader(of: monitor),
      // A log that is not copied now was not when the version was pinned, so it is read by it.
      pinned.version == log.version, !pinned.isCopied
    else { return }
    copy(pinned)
  }

  /// - Returns: whether all of the log was copied.
  @discardableResult
  private func copy(_ log: WALIndexHeader) -> Bool {
    momentPassed?(.beforeCopy)
    // A lost log must not be copied over what other connections have written since.
    let checkpoint = files.lostFile == nil ? monitor.checkpoint() : .partial
    let now = WALIndexHeader(of: monitor) ?? log
    // A writer may have reset the log since. Then it was copied.
    let hasAdvanced =
      now.backfilledFrameCount > log.backfilledFrameCount
      || !now.version.isSameLog(as: log.version)
    upkeep.didCopy(now.frameCount, checkpoint, hasAdvanced: hasAdvanced)
    return checkpoint == .complete
  }

  // MARK: - Leaving

  /// Moves the newest snapshot off a copied log, if it is still of the newest version.
  ///
  /// A reader of the log prevents it from being reset, and a connection that resets it (`wal_checkpoint(RESTART)`,
  /// `TRUNCATE`) waits for all its readers. So another connection is pinned before the first is released. SQLite gives it
  /// the read-mark for "all in the file, none in the log", unless a checkpoint still holds its lock: then the next event
  /// tries again. The next writer resets the log.
  private func leave(_ newest: NewestVersion) {
    guard monitor.walIndex?.canReadFileAlone == true else { return }
    if exchangeConnection(of: newest) { upkeep.didLeave() }
  }

  /// Gives the newest snapshot a connection that begins its transaction now, if the snapshot is still of
  /// the newest version and is not being read.
  ///
  /// - Returns: whether it has the connection.
  private func exchangeConnection(of newest: NewestVersion) -> Bool {
    guard let snapshot = newest.snapshot, let replacement = try? readers.take() else {
      return false
    }
    momentPassed?(.copiedLog)
    let hasBegun = (try? files.begin(on: replacement)) != nil
    momentPassed?(.leftLog)
    // If another connection has committed since, the replacement would show other content.
    guard hasBegun, let known = newest.mark,
      files.mark(seenBy: monitor)?.hasSameContent(as: known) == true
    else {
      readers.checkIn(replacement)
      return false
    }
    let spare = snapshot.exchange(for: replacement)
    readers.checkIn(spare)
    return spare !== replacement
  }

  // MARK: - Closing

  /// Keeps the last connection, when it is closed, from copying a log that was removed or replaced:
  /// SQLite would overwrite what other connections have written since, and remove their log.
  ///
  /// - Returns: whether there is such a log.
  @discardableResult
  func keepLostLogs() -> Bool {
    guard files.lostFile != nil else { return false }
    // Fails only if the connection is closed.
    try? monitor.keepLogWhenClosed()
    return true
  }
}
