import SQLiteStorage
import Testing

@testable import FetchedResults

@Suite(.timeLimit(.minutes(5))) struct ObservationSignalsTests {
  private let busy = DatabaseError(.sqlite, "busy", resultCode: .busy)

  @Test func anErrorThatMayEndWakesTheObserverWithoutACommit() async throws {
    let database = try Track.store()
    let signals = ObservationSignals(of: database)
    var wakeUps = signals.stream.makeAsyncIterator()
    signals.attemptEnded(with: [busy])
    await wakeUps.next()
    signals.attemptEnded(with: [])
  }

  @Test func signalsWhileTheObserverIsBusyAreOne() async throws {
    let signals: ObservationSignals
    do {
      let database = try Track.store()
      signals = ObservationSignals(of: database)
      for _ in 0..<3 { signals.signal() }
      try database.run("DELETE FROM track WHERE id = 1")
    }
    // The stream ends with the database.
    var count = 0
    for await _ in signals.stream { count += 1 }
    #expect(count == 1)
  }

  @Test func eachTryWaitsTwiceAsLongUpToALimit() {
    var delay = RetryDelay()
    let delays = (0..<9).map { _ in delay.next(after: [busy]) }
    let expected = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000]
    #expect(delays == expected.map { .milliseconds($0) })
  }

  @Test func whatStaysIsNotTriedAgain() {
    var delay = RetryDelay()
    #expect(delay.next(after: [DatabaseError(.sqlite, "no table", resultCode: .error)]) == nil)
    #expect(delay.next(after: [DatabaseError(.fileReplaced, "gone")]) == nil)
    #expect(delay.next(after: [CancellationError()]) == nil)
    #expect(delay.next(after: []) == nil)
    #expect(delay.next(after: [CancellationError(), busy]) != nil)
  }

  @Test func itBeginsAnewAfterASuccess() {
    var delay = RetryDelay()
    for _ in 0..<4 { _ = delay.next(after: [busy]) }
    #expect(delay.next(after: []) == nil)
    #expect(delay.next(after: [busy]) == .milliseconds(250))
  }
}
