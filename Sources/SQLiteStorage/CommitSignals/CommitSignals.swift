/// Notifies all observers of commits.
final class CommitSignals: Sendable {
  private struct State {
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastID = 0
  }

  private let state = Locked(State())
  /// Finds the commits that are not reported by this process's writer.
  private let watch: CommitWatch

  init(watch: CommitWatch) { self.watch = watch }

  /// Returns a new stream for one observer.
  ///
  /// Commits made while the observer is busy become one element: it reads the newest version
  /// anyway.
  func stream() -> AsyncStream<Void> {
    // Before the observer is added: every commit after this mark is reported.
    let seen = watch.newestMark()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      if state.observers.isEmpty { watch.start(after: seen) { [weak self] in self?.notify() } }
      state.lastID += 1
      state.observers[state.lastID] = continuation
      return state.lastID
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  /// Notifies every observer of a commit of this process.
  ///
  /// - Parameter mark: the mark of the version after the commit.
  func commitEnded(at mark: VersionMark) {
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

  /// Ends all streams. No stream may be requested afterwards.
  func finish() {
    let observers = state.withLock { state in
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
