import Basics
import TableData

/// A loader whose requests wait until the test answers them.
final class PageServer: Sendable {
  typealias Page = LoadedPage<Item, Int>

  struct Failure: Error {}

  private struct State {
    var waiting: [(request: PageRequest<Int>, answer: CheckedContinuation<Page, any Error>)] = []
    var requests: [PageRequest<Int>] = []
    var cancelled = 0
    var hasEnded = false
    /// Those who wait for a number of requests.
    var watchers: [(count: Int, watcher: CheckedContinuation<Void, Never>)] = []

    mutating func takeReady() -> [CheckedContinuation<Void, Never>] {
      let ready = watchers.filter { $0.count <= waiting.count }
      watchers.removeAll { $0.count <= waiting.count }
      return ready.map(\.watcher)
    }
  }

  private let state = Locked(State())

  /// Waits for an answer. It does not react to a cancellation, as a careless loader.
  @Sendable func load(_ request: PageRequest<Int>) async throws -> Page {
    defer { if Task.isCancelled { state.withLock { $0.cancelled += 1 } } }
    return try await withCheckedThrowingContinuation { answer in
      let watchers: [CheckedContinuation<Void, Never>]? = state.withLock {
        $0.requests.append(request)
        if $0.hasEnded { return nil }
        $0.waiting.append((request, answer))
        return $0.takeReady()
      }
      guard let watchers else { return answer.resume(throwing: Failure()) }
      for watcher in watchers { watcher.resume() }
    }
  }

  /// Answers all requests with an error, the later ones too: a task that waits for ever is a leak.
  func end() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for request in waiting { request.answer.resume(throwing: Failure()) }
  }

  /// All requests so far.
  var requests: [PageRequest<Int>] { state.withLock { $0.requests } }
  /// The number of requests that wait for an answer.
  var waitingCount: Int { state.withLock { $0.waiting.count } }
  /// The number of answered requests whose task was cancelled.
  var cancelledCount: Int { state.withLock { $0.cancelled } }

  /// Waits until this number of requests wait.
  func waitForRequests(_ count: Int) async {
    await withCheckedContinuation { watcher in
      let watchers = state.withLock {
        $0.watchers.append((count, watcher))
        return $0.takeReady()
      }
      for watcher in watchers { watcher.resume() }
    }
  }

  /// Answers a request: the first that waits, or the one at an index.
  func answer(_ index: Int = 0, _ result: (PageRequest<Int>) -> Result<Page, any Error>) {
    let waiting = state.withLock { $0.waiting.remove(at: index) }
    waiting.answer.resume(with: result(waiting.request))
  }

  /// The edge of a request that waits.
  func edge(at index: Int) -> PageEdge { state.withLock { $0.waiting[index].request.edge } }
}
