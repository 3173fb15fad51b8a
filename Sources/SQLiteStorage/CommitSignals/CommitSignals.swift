internal import Dispatch

/// Notifies all observers of commits.
final class CommitSignals: Sendable {
  private struct State {
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastID = 0
    /// Whether the file is closed, so that it is not watched.
    var isPaused = false
    /// Whether no commits will be reported any more.
    var isFinished = false
  }

  private let state = Locked(State())
  /// Finds the commits that are not reported by this process's writer.
  let watch: CommitWatch

  init(watch: CommitWatch) { self.watch = watch }

  /// Returns a new stream for one observer, and the continuation by which the observer wakes itself.
  ///
  /// Commits made while the observer is busy become one element: it reads the newest version
  /// anyway.
  func observe() -> (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation) {
    // Before the observer is added: every commit after this mark is reported.
    let seen = watch.newestMark()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state -> Int? in
      guard !state.isFinished else { return nil }
      state.lastID += 1
      if state.observers.isEmpty, !state.isPaused { start(after: seen) }
      state.observers[state.lastID] = continuation
      return state.lastID
    }
    if let id {
      continuation.onTermination = { [weak self] _ in self?.remove(id) }
    } else {
      continuation.finish()
    }
    return (stream, continuation)
  }

  /// Notifies every observer of a commit of this process.
  ///
  /// - Parameter mark: the mark of the version after the commit; nil if it is not known.
  func commitEnded(at mark: VersionMark?) {
    let observers = state.withLock { Array($0.observers.values) }
    guard !observers.isEmpty else { return }
    // Otherwise the watch would report the commit again.
    watch.didSee(mark)
    for observer in observers { observer.yield() }
  }

  /// Notifies every observer if there was a commit that was not reported.
  func look() {
    if state.withLock({ !$0.observers.isEmpty }) { watch.look() }
  }

  private func start(after seen: VersionMark?) {
    watch.start(after: seen) { [weak self] in self?.notify() }
  }

  /// Ends the watch of the files until ``resume()``.
  func pause() {
    state.withLock { $0.isPaused = true }
    watch.stopAndWait()
  }

  /// Watches the files again, and notifies every observer.
  func resume() {
    state.withLock { state in
      state.isPaused = false
      if !state.observers.isEmpty { start(after: nil) }
    }
  }

  /// Ends all streams, also those that are requested later.
  func finish() {
    let observers = state.withLock { state in
      state.isFinished = true
      defer { state.observers.removeAll() }
      return Array(state.observers.values)
    }
    for observer in observers { observer.finish() }
    watch.stopAndWait()
  }

  private func notify() {
    // Without the lock: an observer that is resumed may call this object at once.
    for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
  }

  private func remove(_ id: Int) {
    state.withLock { state in
      guard state.observers.removeValue(forKey: id) != nil else { return }
      if state.observers.isEmpty { watch.stop() }
    }
  }
}

/// Finds the commits of other connections and processes.
///
/// The operating system reports writes to the log. Since not every file system does, the watch also
/// polls. A check reads a few bytes of shared memory. The watch runs only while there are
/// observers.
///
/// `@unchecked Sendable`: `events`, `timer`, `isPaused`, `series` and `tell` are used only on
/// `queue`, which is serial.
final class CommitWatch: @unchecked Sendable {
  private let paths: [String]
  private let interval: Duration?
  /// Returns the mark of the newest version; nil if it is not known at present.
  let newestMark: @Sendable () -> VersionMark?
  private let seen = Locked<VersionMark?>(nil)

  private let queue = DispatchQueue(label: "FetchedResults.CommitWatch")
  private var tell: (@Sendable () -> Void)?
  private var events: FileEvents?
  private var isPaused = false
  private var timer: (any DispatchSourceTimer)?
  /// The number of the current series of checks after an event. An older series ends.
  private var series = 0

  /// - Parameters:
  ///   - paths: the files that a commit or a checkpoint writes to: the databases and logs.
  ///   - interval: the polling interval; nil for no polling.
  init(
    paths: [String], interval: Duration?, mark newestMark: @escaping @Sendable () -> VersionMark?
  ) {
    self.paths = paths
    self.interval = interval
    self.newestMark = newestMark
  }

  func start(after seen: VersionMark?, _ tell: @escaping @Sendable () -> Void) {
    didSee(seen)
    queue.async { [self] in
      self.tell = tell
      watchFiles()
      // A write may have happened after `seen` and before the events were set up.
      filesChanged()
      guard let interval else { return }
      // Dispatch accepts neither less nor much more.
      let seconds =
        min(max(interval / .seconds(1), 0.001), 1e6) * (events == nil ? 1 : CommitWatch.patience)
      let timer = DispatchSource.makeTimerSource(queue: queue)
      // The leeway lets the system fire several timers in one wake-up.
      timer.schedule(
        deadline: .now() + seconds, repeating: seconds,
        leeway: .milliseconds(Int(seconds * 1_000 / 4)))
      timer.setEventHandler { [weak self] in self?.look() }
      timer.resume()
      self.timer = timer
    }
  }

  func stop() {
    queue.async { [self] in end() }
  }

  /// Stops the watch, and returns when none of its code runs.
  func stopAndWait() {
    queue.sync { end() }
  }

  /// Whether the system reports writes. It does not if the processes of the user have all the watches
  /// that it provides; then only polling finds commits.
  var isSignalled: Bool { queue.sync { events != nil } }

  /// Stores the version that the observers were notified of.
  func didSee(_ mark: VersionMark?) { seen.withLock { $0 = mark } }

  /// Notifies if there is a version that was not seen yet.
  func look() {
    queue.async { [weak self] in _ = self?.lookNow() }
  }
}

// MARK: - On the queue

extension CommitWatch {
  private func watchFiles() {
    releaseEvents()
    events = FileEvents(of: paths, on: queue) { [weak self] in self?.filesChanged() }
  }

  private func releaseEvents() {
    // A dispatch source must not be released while it is suspended.
    if isPaused { events?.resume() }
    isPaused = false
    events?.cancel()
    events = nil
  }

  private func end() {
    series += 1
    releaseEvents()
    timer?.cancel()
    timer = nil
    tell = nil
  }

  /// - Returns: whether there was a new version.
  private func lookNow() -> Bool {
    guard let tell, let mark = newestMark() else { return false }
    let isNew = seen.withLock { seen in
      defer { seen = mark }
      return seen.map { !mark.hasSameContent(as: $0) } ?? true
    }
    if isNew { tell() }
    return isNew
  }

  /// Checks at once, and then repeatedly for a while: the log is written before the commit is
  /// visible, and a disk sync may take place between the two.
  private func filesChanged() {
    series += 1
    // Further events would report the same, one for each page written.
    events?.pause()
    isPaused = true
    _ = lookNow()
    lookAgain(after: CommitWatch.firstDelay, in: series)
  }

  private func lookAgain(after microseconds: Int, in series: Int) {
    queue.asyncAfter(deadline: .now() + .microseconds(microseconds)) { [weak self] in
      guard let self, self.series == series else { return }
      if events?.isComplete == false {
        // A missing file may exist now: a log, if another process has put the file in WAL mode.
        watchFiles()
      } else if isPaused {
        events?.resume()
        isPaused = false
      }
      if !lookNow(), microseconds < CommitWatch.lastDelay {
        lookAgain(after: 2 * microseconds, in: series)
      }
    }
  }

  private static var firstDelay: Int { 500 }
  /// Four seconds in all: a slow disk takes long to sync.
  private static var lastDelay: Int { 2_048_000 }
  /// The factor for the polling interval if the system reports writes. Polling is still needed: the
  /// system does not report that a file was removed.
  private static var patience: Double { 5 }
}
