import CLibrary
import NIOCore
import NIOHTTP1

/// Listens at one address for the requests to one or several databases.
struct Listener {
  let options: ServerOptions
  let servers: [SectionsServer]

  /// Serves until the task is cancelled.
  ///
  /// - Parameters:
  ///   - answer: answers a request, whose address has no host.
  ///   - onListening: called with the port once clients can connect.
  /// - Throws: `ServerError` if the address cannot be used.
  func run(
    answering answer: @escaping @Sendable (HTTPRequestHead) async -> Answer,
    _ onListening: @escaping @Sendable (UInt16) -> Void
  ) async throws {
    do {
      guard IPAddress(options.address) != nil else {
        throw ServerError(
          description: "\(options.address) is not an address. Use one such as 127.0.0.1 or 0.0.0.0"
        )
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let server = HTTPServer(options.limits) { await answer($0.inOriginForm) }
          try await server.run(host: options.address, port: options.port, onListening)
        }
        for server in servers { group.addTask { await server.keepUp() } }
        defer { group.cancelAll() }
        try await group.next()
      }
      await end()
    } catch {
      await end()
      if Task.isCancelled { return }
      throw described(error)
    }
  }

  private func end() async {
    for server in servers { await server.end() }
  }

  private func described(_ error: any Error) -> any Error {
    guard let error = error as? IOError else { return error }
    let place = "\(options.address):\(options.port)"
    let step =
      switch error.errnoCode {
      case EADDRINUSE: "Use another --port, or end the program that listens there"
      case EACCES: "Use a --port of 1024 or more"
      case EADDRNOTAVAIL: "Use an address of this machine with --bind"
      default: "Use another --port or --bind"
      }
    let reason = String(cString: strerror(error.errnoCode))
    return ServerError(description: "cannot listen on \(place): \(reason). \(step)")
  }
}
