internal import Dispatch

/// A queue for asynchronous reads: a limited number runs at once, the others wait in order.
///
/// A query may take long and never suspends, so it must not run on Swift's cooperative threads.
/// There are no more of those than cores: a few queries would block every task of the process, even
/// one that is to cancel them.
final class ReadQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var runningCount = 0
  }

  private let limit: Int
  private let state = Locked(State())

  /// - Parameter limit: the maximum number of reads at once.
  init(limit: Int) { self.limit = limit }

  /// Runs `work` as soon as fewer than `limit` reads run.
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
    // A serial queue always gets a thread. Concurrent queues share as many threads as there are
    // cores, on some systems with Swift's tasks.
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
