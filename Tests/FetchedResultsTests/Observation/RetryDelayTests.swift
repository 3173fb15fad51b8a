import SQLiteStorage
import Testing

@testable import FetchedResults

@Suite struct RetryDelayTests {
  private let busy = DatabaseError(.sqlite, "busy", resultCode: .busy)

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
