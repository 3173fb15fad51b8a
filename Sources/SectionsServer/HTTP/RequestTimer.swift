import NIOCore
import NIOHTTP1

/// Closes a connection on which no request is completed for some time, or none is begun.
final class RequestTimer: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let time: TimeAmount
  private var timer: Scheduled<Void>?
  /// The number of requests whose answers have not been sent to their ends.
  private var unanswered = 0

  init(_ time: Duration) { self.time = TimeAmount(time) }

  func handlerAdded(context: ChannelHandlerContext) { start(context) }

  func handlerRemoved(context: ChannelHandlerContext) { stop() }

  func channelInactive(context: ChannelHandlerContext) {
    stop()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) {
      unanswered += 1
      stop()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else {
      return context.write(data, promise: promise)
    }
    let promise = promise ?? context.eventLoop.makePromise()
    promise.futureResult.assumeIsolated().whenSuccess { self.answered(context) }
    context.write(data, promise: promise)
  }

  /// Begins to wait for the next request, unless it is there already.
  private func answered(_ context: ChannelHandlerContext) {
    unanswered -= 1
    if unanswered == 0 { start(context) }
  }

  private func start(_ context: ChannelHandlerContext) {
    stop()
    let channel = context.channel
    timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  private func stop() {
    timer?.cancel()
    timer = nil
  }
}
