internal import Dispatch

/// Where reads run that a task waits for: some at once, the others in the order they came.
///
/// A query may take long and never suspends, so it must not run on Swift's own threads: there are
/// no more of them than cores, and a few queries would stop every task of the process, even those
/// that want to cancel them.
final class ReadQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var runningCount = 0
  }

  private let limit: Int
  private let state = Guarded(State())

  /// - Parameter limit: how many may run at once.
  init(limit: Int) { self.limit = limit }

  /// Runs `work` when its turn has come.
  func async(_ work: @escaping @Sendable () -> Void) {
    let mayBegin = state.withLock { state in
      guard state.runningCount < limit else {
        state.waiting.append(work)
        return false
      }
      state.runningCount += 1
      return true
    }
    guard mayBegin else { return }
    // A serial queue has a thread whatever else is going on. A concurrent one shares as many as
    // there are cores, on some systems with Swift's tasks.
    DispatchQueue(label: "FetchedResults.Reader").async { self.run(work) }
  }

  private func run(_ work: @Sendable () -> Void) {
    work()
    while let next = takeNext() { next() }
  }

  private func takeNext() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.runningCount -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
  }
}
