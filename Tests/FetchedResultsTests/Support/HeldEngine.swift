import Dispatch

@testable import FetchedResults

/// An engine queue that does nothing until it is released.
struct HeldEngine {
  private let released = DispatchSemaphore(value: 0)
  private let work: Task<Void, Never>

  /// Returns when the queue waits.
  init(_ engine: EngineQueue) async {
    let (arrivals, arrival) = AsyncStream<Never>.makeStream()
    work = Task { [released] in
      _ = await engine.run {
        arrival.finish()
        released.wait()
      }
    }
    for await _ in arrivals {}
  }

  func release() async {
    released.signal()
    await work.value
  }
}
