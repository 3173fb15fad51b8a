internal import Dispatch

/// Looks for commits that nobody tells of: those of other connections and processes.
///
/// It is woken by the operating system when somebody writes to the log, and looks now and then
/// besides, since not every file system tells. What it looks at is a few bytes of shared memory.
/// It works only while somebody observes.
///
/// `@unchecked Sendable`: `events`, `timer`, `isPaused`, `series` and `tell` are touched only on
/// `queue`, which is serial.
final class CommitWatch: @unchecked Sendable {
  private let paths: [String]
  private let interval: Duration?
  private let mark: @Sendable () -> VersionMark?
  private let seen = Guarded<VersionMark?>(nil)

  private let queue = DispatchQueue(label: "FetchedResults.CommitWatch")
  private var tell: (@Sendable () -> Void)?
  private var events: FileEvents?
  private var isPaused = false
  private var timer: (any DispatchSourceTimer)?
  /// Counts the series of looks after an event, so that an older one ends.
  private var series = 0

  /// - Parameters:
  ///   - paths: the files that a commit or the copying of a log writes to: the databases and logs.
  ///   - interval: how often to look in any case; nil for never.
  ///   - mark: tells the newest version; nil where that is not possible just now.
  init(paths: [String], interval: Duration?, mark: @escaping @Sendable () -> VersionMark?) {
    self.paths = paths
    self.interval = interval
    self.mark = mark
  }

  /// The mark of the newest version.
  func newestMark() -> VersionMark? { mark() }

  /// Begins to look for versions after `seen`.
  func start(after seen: VersionMark?, _ tell: @escaping @Sendable () -> Void) {
    didSee(seen)
    queue.async { [self] in
      self.tell = tell
      events = FileEvents(of: paths, on: queue) { [weak self] in self?.filesChanged() }
      // Somebody may have written before there were events, and since `seen`.
      filesChanged()
      guard let interval else { return }
      let seconds = interval / .seconds(1) * (events == nil ? 1 : CommitWatch.patience)
      let timer = DispatchSource.makeTimerSource(queue: queue)
      // The leeway lets the system wake up for several timers at once.
      timer.schedule(
        deadline: .now() + seconds, repeating: seconds,
        leeway: .milliseconds(Int(seconds * 1_000 / 4)))
      timer.setEventHandler { [weak self] in self?.look() }
      timer.resume()
      self.timer = timer
    }
  }

  /// Ends looking.
  func stop() {
    queue.async { [self] in end() }
  }

  /// Ends looking, and returns when nothing of it runs any more.
  func stopAndWait() {
    queue.sync { end() }
  }

  /// Notes a version that the observers know of.
  func didSee(_ mark: VersionMark?) { seen.withLock { $0 = mark } }

  /// Tells where there is a version that was not seen yet.
  func look() {
    queue.async { [weak self] in _ = self?.lookNow() }
  }
}

// MARK: - On the queue

extension CommitWatch {
  private func end() {
    series += 1
    // A source must not be let go of while it is paused.
    if isPaused { events?.resume() }
    isPaused = false
    events?.cancel()
    events = nil
    timer?.cancel()
    timer = nil
    tell = nil
  }

  /// - Returns: whether there was one.
  private func lookNow() -> Bool {
    guard let tell, let mark = mark() else { return false }
    let isNew = seen.withLock { seen in
      defer { seen = mark }
      return seen.map { !mark.hasSameContent(as: $0) } ?? true
    }
    if isNew { tell() }
    return isNew
  }

  /// Looks at once, and then again and again for a while: the log is written before the commit is
  /// visible, and between the two there may be a sync of the disk.
  private func filesChanged() {
    series += 1
    // The next events would only say the same, one for each page that is written.
    events?.pause()
    isPaused = true
    _ = lookNow()
    lookAgain(after: CommitWatch.firstDelay, in: series)
  }

  private func lookAgain(after microseconds: Int, in series: Int) {
    queue.asyncAfter(deadline: .now() + .microseconds(microseconds)) { [weak self] in
      guard let self, self.series == series else { return }
      if isPaused { events?.resume() }
      isPaused = false
      let hasFound = lookNow()
      if !hasFound, microseconds < CommitWatch.lastDelay {
        lookAgain(after: 2 * microseconds, in: series)
      }
    }
  }

  private static var firstDelay: Int { 500 }
  private static var lastDelay: Int { 128_000 }
  /// How many times longer to wait between two looks where the system tells what is written: it does
  /// not tell that a file was taken away.
  private static var patience: Double { 5 }
}
