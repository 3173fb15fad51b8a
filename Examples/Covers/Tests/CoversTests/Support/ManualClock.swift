/// A clock that goes on when the test says so.
final actor ManualClockState {
  private var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var count = 0

  func sleep() async throws {
    count += 1
    let number = count
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        sleepers[number] = continuation
        for waiter in waiting { waiter.resume() }
        waiting = []
      }
    } onCancel: {
      Task { await self.wake(number, throwing: CancellationError()) }
    }
  }

  private func wake(_ number: Int, throwing error: any Error) {
    sleepers.removeValue(forKey: number)?.resume(throwing: error)
  }

  /// Waits until somebody sleeps, and wakes all who do.
  func wakeAll() async {
    if sleepers.isEmpty { await withCheckedContinuation { waiting.append($0) } }
    for sleeper in sleepers.values { sleeper.resume() }
    sleepers = [:]
  }
}

/// The clock in front of its state.
struct ManualClock: Clock {
  typealias Instant = ContinuousClock.Instant
  let state = ManualClockState()
  /// It stands still: who sleeps is woken by the test.
  let now = ContinuousClock.now
  let minimumResolution = Duration.zero

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try await state.sleep()
  }
}
