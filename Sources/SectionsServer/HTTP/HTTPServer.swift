import CLibrary
import NIOCore
import NIOHTTP1
import NIOPosix
import SQLiteStorage

/// Accepts connections, reads requests and writes answers, by SwiftNIO.
///
/// A request may not be answered before all of its head was read, so what nobody has authenticated is limited
/// here: the length of a head, the time for a request, and the connections of another machine. All connections
/// together are limited too: Dispatch traps if it needs a descriptor and none is left.
struct HTTPServer: Sendable {
  private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  let limits: ServerLimits
  let answer: @Sendable (HTTPRequestHead) async -> Answer
  private let connections = Locked(ConnectionCounts())

  init(_ limits: ServerLimits, answer: @escaping @Sendable (HTTPRequestHead) async -> Answer) {
    self.limits = limits
    self.answer = answer
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameters:
  ///   - host: a numeric address.
  ///   - port: 0 for any that is free.
  ///   - onListening: called with the port once clients can connect.
  /// - Throws: `IOError` if the address cannot be used.
  func run(
    host: String, port: UInt16, _ onListening: @Sendable (UInt16) -> Void
  ) async throws {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          // While no descriptor is left, connections wait, and the server continues.
          try channel.pipeline.syncOperations.addHandler(
            AcceptBackoffHandler(shouldForwardIOErrorCaught: false) { _ in .milliseconds(100) })
        }
      }
      .bind(host: host, port: Int(port), childChannelInitializer: connection)
    onListening(listener.channel.localAddress?.port.map(UInt16.init) ?? port)
    try await withThrowingDiscardingTaskGroup { group in
      try await listener.executeThenClose { connections in
        for try await connection in connections {
          group.addTask { await serve(connection) }
        }
      }
      group.cancelAll()
    }
  }

  @Sendable private func connection(_ channel: any Channel) -> EventLoopFuture<Connection> {
    channel.eventLoop.makeCompletedFuture {
      count(channel)
      // What the system has waits there, however old it becomes. So it gets little in advance: a client behind a slow
      // network has one new event for several versions, and not all of them late.
      try channel.syncOptions?.setOption(
        .tcpOption(NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)),
        value: Self.pieceLength)
      let pipeline = channel.pipeline.syncOperations
      var limits = NIOHTTPDecoderLimitConfiguration()
      limits.maxHeaderFieldSize = self.limits.headLength
      limits.maxHeaderListSize = self.limits.headLength
      try pipeline.configureHTTPServerPipeline(
        withEncoderConfiguration: HTTPResponseEncoder.Configuration(),
        withDecoderLimitConfiguration: limits)
      try pipeline.addHandler(RequestTimer(self.limits.requestTime))
      return try Connection(wrappingChannelSynchronously: channel)
    }
  }

  // MARK: - Counting connections

  private struct ConnectionCounts {
    var all = 0
    /// Those of another machine. The clients of this one may come through a proxy.
    var ofNetwork: [[UInt8]: Int] = [:]
  }

  /// Counts a connection until it is closed, and closes it at once if there are too many.
  private func count(_ channel: any Channel) {
    let address = channel.remoteAddress?.ipAddress.flatMap(IPAddress.init)
    let network = address?.isLoopback == false ? address?.network : nil
    let isAllowed = connections.withLock { counts in
      counts.all += 1
      if let network { counts.ofNetwork[network, default: 0] += 1 }
      return counts.all <= limits.connections
        && network.map { counts.ofNetwork[$0, default: 0] <= limits.connectionsOfAddress } != false
    }
    channel.closeFuture.whenComplete { _ in
      connections.withLock { counts in
        counts.all -= 1
        guard let network else { return }
        let count = counts.ofNetwork[network, default: 0] - 1
        counts.ofNetwork[network] = count > 0 ? count : nil
      }
    }
    if !isAllowed { channel.close(promise: nil) }
  }

  // MARK: - Requests and answers

  /// Answers the requests of a connection, one after the other.
  private func serve(_ connection: Connection) async {
    do {
      try await connection.executeThenClose { requests, output in
        var head: HTTPRequestHead?
        for try await part in requests {
          switch part {
          case .head(let new): head = new
          // No answer depends on a body.
          case .body: break
          case .end:
            guard let request = head else { return }
            head = nil
            try await write(answer(request), to: request, output, connection.channel)
            guard request.isKeepAlive else { return }
          }
        }
      }
    } catch {
      // The client is gone, the server ends, or the rest of an export cannot be read: then the client sees
      // that the end is missing.
    }
  }

  private func write(
    _ answer: Answer, to request: HTTPRequestHead,
    _ output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>, _ channel: any Channel
  ) async throws {
    var head = HTTPResponseHead(
      version: request.version, status: answer.status, headers: answer.headers)
    if !request.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    if case .bytes(let bytes) = answer.body, answer.status != .notModified {
      head.headers.replaceOrAdd(name: "Content-Length", value: "\(bytes.count)")
    }
    channel.write(HTTPServerResponsePart.head(head), promise: nil)
    if request.method != .HEAD { try await write(answer.body, to: output, channel) }
    // What the system does not have yet would be lost with the connection.
    try await limited(channel) {
      try await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
    }
  }

  /// Writes a body; its last bytes may wait for the end of the answer.
  private func write(
    _ body: Answer.Body, to output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>,
    _ channel: any Channel
  ) async throws {
    @Sendable func send(_ piece: ByteBuffer) async throws {
      try await limited(channel) { try await output.write(.body(.byteBuffer(piece))) }
    }
    switch body {
    case .bytes(let bytes):
      var rest = bytes[...]
      while rest.count > Self.pieceLength {
        try await send(ByteBuffer(bytes: rest.prefix(Self.pieceLength)))
        rest = rest.dropFirst(Self.pieceLength)
      }
      channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: rest))), promise: nil)
    case .events(let stream):
      channel.flush()
      try await write(stream, to: output, channel)
    case .pieces(let write):
      channel.flush()
      try await write { try await send(ByteBuffer(bytes: $0)) }
    }
  }

  private static let pieceLength = 65_536

  /// Writes a part of an answer, and closes the connection if the client does not read for some time: it would
  /// keep a version, or the server from ending.
  private func limited(
    _ channel: any Channel, _ write: () async throws -> Void
  ) async throws {
    let end = close(channel, in: TimeAmount(limits.readTime))
    defer { end.cancel() }
    try await withTaskCancellationHandler(operation: write) {
      _ = close(channel, in: .milliseconds(500))
    }
  }

  @Sendable private func close(_ channel: any Channel, in time: TimeAmount) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }

  /// Writes the events of a client until it has gone, or there are no more.
  ///
  /// The next event is asked for when the one before was written, so a slow client misses versions and needs
  /// no queue. One that reads nothing for some time is closed.
  private func write(
    _ stream: EventStream, to output: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>,
    _ channel: any Channel
  ) async throws {
    // Since when a piece waits. A timer for each event of each client would cost more than the event. Whether the
    // channel is writable is no answer: it may be full before the piece is written.
    let waiting = Locked<NIODeadline?>(nil)
    let time = TimeAmount(limits.readTime)
    let pause = TimeAmount.nanoseconds(time.nanoseconds / 4)
    let watch = channel.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
      guard let start = waiting.withLock({ $0 }), start + time < .now() else { return }
      channel.close(promise: nil)
    }
    defer { watch.cancel() }
    let writing = Task {
      while let bytes = await stream.next() {
        var rest = ByteBuffer(bytes: bytes)
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceLength)),
          piece.readableBytes > 0
        {
          waiting.withLock { $0 = .now() }
          try await output.write(.body(.byteBuffer(piece)))
          waiting.withLock { $0 = nil }
        }
      }
    }
    channel.closeFuture.whenComplete { _ in writing.cancel() }
    try await withTaskCancellationHandler {
      try await writing.value
    } onCancel: {
      writing.cancel()
      _ = close(channel, in: .milliseconds(500))
    }
  }
}
