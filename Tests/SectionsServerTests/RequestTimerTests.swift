import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import SectionsServer

/// The time in which a connection must send its next request, by a clock that only the tests advance.
@Suite final class RequestTimerTests {
  private let channel = EmbeddedChannel(handler: RequestTimer(.seconds(10)))

  init() throws {
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
  }

  deinit {
    // A channel that is open keeps itself. What a test has left in it is of no interest.
    _ = try? channel.finish(acceptAlreadyClosed: true)
  }

  private func request() throws {
    try channel.writeInbound(
      HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
    try channel.writeInbound(HTTPServerRequestPart.end(nil))
  }

  /// Queues an answer; `flush` sends it to its end.
  private func answer() {
    channel.write(
      HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)), promise: nil)
    channel.write(HTTPServerResponsePart.end(nil), promise: nil)
  }

  private func isClosed(after time: TimeAmount) -> Bool {
    channel.embeddedEventLoop.advanceTime(by: time)
    return !channel.isActive
  }

  @Test(arguments: [false, true])
  func aConnectionWithoutACompleteRequestIsClosed(hasHead: Bool) throws {
    #expect(!isClosed(after: .seconds(9)))
    if hasHead {
      try channel.writeInbound(
        HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
    }
    #expect(isClosed(after: .seconds(1)))
  }

  @Test func anAnswerMayTakeAnyTime() throws {
    try request()
    #expect(!isClosed(after: .hours(1)))
  }

  /// The time for the next request ran from the moment at which the answer was queued.
  @Test func anAnswerThatIsReadSlowlyIsComplete() throws {
    try request()
    answer()
    #expect(!isClosed(after: .hours(1)))
    channel.flush()
    #expect(!isClosed(after: .seconds(9)))
    #expect(isClosed(after: .seconds(1)))
  }

  @Test func theNextRequestHasItsTimeFromTheAnswer() throws {
    for _ in 0..<3 {
      #expect(!isClosed(after: .seconds(9)))
      try request()
      answer()
      channel.flush()
    }
    #expect(isClosed(after: .seconds(10)))
  }

  /// A request that was sent early is not one that the client does not send.
  @Test func requestsThatWaitForTheirAnswersAreNotClosed() throws {
    try request()
    try request()
    answer()
    channel.flush()
    #expect(!isClosed(after: .hours(1)))
    answer()
    channel.flush()
    #expect(isClosed(after: .seconds(10)))
  }
}
