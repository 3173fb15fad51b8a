import SQLiteStorage

/// The connections that receive events, and what is asked of them by other connections.
///
/// Sendable: a lock protects the state.
final class EventStreams: Sendable {
  private let content = Locked([String: Weak<EventStream>]())
  private let limits: ServerLimits

  init(_ limits: ServerLimits) { self.limits = limits }

  /// Makes a stream, which is known until it is released.
  ///
  /// - Throws: `RequestError` of status 503 if there are too many.
  func makeStream() throws -> EventStream {
    // Two of the system's random numbers: who guesses a name could move windows.
    let name = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    return try content.withLock { content in
      guard content.count < limits.clients else {
        throw RequestError.full(
          "\(limits.clients) clients are connected", nextStep: "Close some pages", retryAfter: 10)
      }
      let stream = EventStream(name: name) { [weak self] in
        self?.content.withLock { $0[name] = nil }
      }
      content[name] = Weak(stream)
      return stream
    }
  }

  /// The stream that a window belongs to, and the number of the window in it.
  ///
  /// - Throws: `RequestError` of status 404 if there is none: the stream has ended, or is of another server.
  func stream(ofWindow name: String) throws -> (stream: EventStream, number: Int) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[1]), number > 0,
      let stream = content.withLock({ $0[String(parts[0])] })?.object
    else { throw Self.noWindow }
    return (stream, number)
  }

  /// The window with a name.
  ///
  /// - Throws: `RequestError` of status 404 if there is none.
  func window(_ name: String) throws -> WindowClient {
    let (stream, number) = try stream(ofWindow: name)
    guard let client = stream.client(number) else { throw Self.noWindow }
    return client
  }

  static let noWindow = RequestError(
    404, "there is no such window", nextStep: "Open /api/events again: its connection has ended")

  /// Sends comments to the clients that have nothing else to receive, until the task is cancelled: both sides notice a
  /// connection that has ended.
  func keepUp() async {
    while (try? await Task.sleep(for: limits.commentTime, clock: .suspending)) != nil {
      for stream in streams { stream.addComment() }
    }
  }

  private var streams: [EventStream] {
    content.withLock { $0.values.compactMap(\.object) }
  }
}
