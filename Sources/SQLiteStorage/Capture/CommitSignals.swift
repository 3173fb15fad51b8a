/// Wakes all who wait for commits.
final class CommitSignals: Sendable {
  private struct State {
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastID = 0
    var isFinished = false
  }

  private let state = Guarded(State())
  /// Finds the commits that nobody tells.
  private let watch: CommitWatch

  init(watch: CommitWatch) { self.watch = watch }

  /// A stream for one more observer.
  ///
  /// What comes while the observer is busy is one element: it looks at the newest version anyway.
  func stream() -> AsyncStream<Void> {
    // Before there is an observer: what is committed after this is told.
    let seen = watch.newestMark()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state -> Int? in
      guard !state.isFinished else { return nil }
      if state.observers.isEmpty { watch.start(after: seen) { [weak self] in self?.notify() } }
      state.lastID += 1
      state.observers[state.lastID] = continuation
      return state.lastID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(id) }
    return stream
  }

  /// Tells every observer of a commit of this process.
  ///
  /// - Parameter mark: that of what it left.
  func commitEnded(at mark: VersionMark) {
    let observers = state.withLock { Array($0.observers.values) }
    guard !observers.isEmpty else { return }
    // Otherwise the watch would tell of it once more.
    watch.didSee(mark)
    for observer in observers { observer.yield() }
  }

  /// Tells every observer where there was a commit that was not told of.
  func look() {
    if state.withLock({ !$0.observers.isEmpty }) { watch.look() }
  }

  /// Ends all streams, and every later one at once.
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
    // Not under the lock: whoever is woken may come back here at once.
    for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
  }

  private func remove(_ id: Int) {
    state.withLock { state in
      guard state.observers.removeValue(forKey: id) != nil else { return }
      if state.observers.isEmpty { watch.stop() }
    }
  }
}
