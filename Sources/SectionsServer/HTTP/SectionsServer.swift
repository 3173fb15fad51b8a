import FetchedResults
import FlyingFox
import FlyingSocks
import Foundation
import RowQueries
package import SQLiteStorage
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Serves the tables and views of a database as a live page, and to programs. `Documentation/Serve.md`
/// describes the protocol.
///
/// Sendable: a value.
package struct SectionsServer: Sendable {
  private let options: ServerOptions
  private let sources: SourceList
  private let run = RunName()
  private let context: ServedList.Context
  private let lists: ServedLists

  /// - Parameter open: opens the file that is at the path now.
  package init(
    _ options: ServerOptions, open: @escaping @Sendable () throws -> Database
  ) {
    self.options = options
    sources = SourceList(options, open: open)
    context = ServedList.Context(
      catalog: SourceCatalog(given: options.given), open: open, run: run, limits: options.limits)
    lists = ServedLists(context)
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter onListening: called with the port once clients can connect.
  /// - Throws: `ServerError` if the address cannot be used.
  package func run(onListening: @escaping @Sendable (UInt16) -> Void) async throws {
    guard let address = IPAddress(options.address) else {
      throw ServerError(
        description: "\(options.address) is not an address. Use one such as 127.0.0.1 or 0.0.0.0")
    }
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await listen(at: address, onListening) }
        group.addTask { await lists.keepUp() }
        defer { group.cancelAll() }
        try await group.next()
      }
      await lists.end()
    } catch {
      await lists.end()
      if Task.isCancelled { return }
      throw described(error)
    }
  }

  /// Listens until the task is cancelled.
  ///
  /// If the process has no descriptor left for another connection, the server ends all connections and
  /// listens at the same port again.
  private func listen(
    at address: IPAddress, _ onListening: @Sendable (UInt16) -> Void
  ) async throws {
    var port: UInt16?
    while true {
      let server = server(
        at: try address.socketAddress(options.address, port: port ?? options.port))
      do {
        try await withThrowingTaskGroup(of: UInt16?.self) { group in
          defer { group.cancelAll() }
          group.addTask {
            try await server.run()
            return nil
          }
          group.addTask {
            try await server.waitUntilListening(timeout: 60)
            return await server.listeningAddress?.port
          }
          let bound = (try await group.next() ?? nil) ?? options.port
          if port == nil { onListening(bound) }
          port = bound
          _ = try await group.next()
        }
        return
      } catch SocketError.failed(_, let code, _)
        where port != nil && [EMFILE, ENFILE, ENOBUFS, ENOMEM, ECONNABORTED].contains(code)
      {
        try await Task.sleep(for: .milliseconds(100), clock: .suspending)
      }
    }
  }

  private func server(at address: some SocketAddress) -> HTTPServer {
    HTTPServer(
      config: HTTPServer.Configuration(
        address: address, timeout: options.limits.queryTime.seconds * 4 + 30, logger: .disabled),
      handler: ClosureHTTPHandler { await respond(to: $0) })
  }

  private func described(_ error: any Error) -> any Error {
    guard case SocketError.failed(_, let code, let message) = error else { return error }
    let place = "\(options.address):\(options.port)"
    let step =
      switch code {
      case EADDRINUSE: "Use another --port, or end the program that listens there"
      case EACCES: "Use a --port of 1024 or more"
      case EADDRNOTAVAIL: "Use an address of this machine with --bind"
      default: "Use another --port or --bind"
      }
    return ServerError(description: "cannot listen on \(place): \(message). \(step)")
  }
}

// MARK: - Answering

extension SectionsServer {
  private func respond(to request: HTTPRequest) async -> HTTPResponse {
    do {
      // What is left of a body would be read as the next request of the connection.
      for try await _ in request.bodySequence {}
      return try await answer(request)
    } catch {
      let error = RequestError(error)
      return request.target.path() == "/" ? .failurePage(error) : .failure(error)
    }
  }

  private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard request.method == .GET else {
      throw RequestError(405, "only GET is answered", nextStep: "Use GET")
    }
    var items = QueryItems(request.target.query())
    let guardian = RequestGuard(options: options)
    let verdict = try guardian.check(request, items)
    items.set("token", to: nil)
    if case .acceptedOnce = verdict {
      let rest = items.text()
      return .answer(
        .seeOther, type: "text/plain", [],
        [
          .location: rest.isEmpty ? "/" : "/?\(rest)",
          .setCookie: guardian.cookie(for: request), .cacheControl: "no-store",
        ])
    }
    switch request.target.path() {
    case "/": return try await page(items)
    case "/api/sources":
      let json = try await sources.sources().json
      return await .tagged(HTTPResponse.tag(of: json), request) { .json(json) }
    case "/api/rows": return try await rows(request, items)
    case "/api/events": return try await events(request, items)
    case "/api/index": return try await index(request, items)
    case "/api/blob": return try await blob(items)
    case let path where path.hasPrefix("/assets/"): return try await asset(path, request)
    default:
      throw RequestError(404, "there is nothing at this address", nextStep: "Open /")
    }
  }

  private func asset(_ path: String, _ request: HTTPRequest) async throws -> HTTPResponse {
    guard let file = PageAssets.files[String(path.dropFirst("/assets/".count))] else {
      throw RequestError(404, "there is no such file", nextStep: "Open /")
    }
    return await .tagged(file.tag, request) { .answer(type: file.type, file.bytes) }
  }

  /// The list that the parameters name.
  private func list(_ items: QueryItems) async throws -> ServedList {
    var parameters = try ListParameters(items)
    if parameters.source == nil { parameters.source = try await sources.firstName() }
    return try await lists.list(parameters)
  }

  /// The version that the parameters name; nil for the newest.
  private func version(_ items: QueryItems) throws -> Int? {
    guard let text = items.value("version"), !text.isEmpty else { return nil }
    guard let version = run.version(text) else { throw RequestError.versionNotHeld }
    return version
  }

  private func window(_ items: QueryItems, count: Int) throws -> (from: Int, size: Int) {
    let size = try items.number("count", in: 1...options.limits.linesOfWindow)
    return (try items.number("from", in: 0...Int(Int32.max)) ?? 0, size ?? count)
  }

  private func rows(_ request: HTTPRequest, _ items: QueryItems) async throws -> HTTPResponse {
    let (from, size) = try window(items, count: 100)
    return try await answer(request, items, tagged: "") { version, reader, name in
      try WindowContent(reader, version.query, from: from, size: size).json(version: name)
    }
  }

  private func index(_ request: HTTPRequest, _ items: QueryItems) async throws -> HTTPResponse {
    try await answer(request, items, tagged: "index&") { version, reader, name in
      SectionIndexJSON.bytes(reader, version.query, version: name)
    }
  }

  /// The JSON that is read from the version that the parameters name, or a note that it is unchanged.
  ///
  /// - Parameter kind: what its tag begins with, so that two kinds of answers have different ones.
  private func answer(
    _ request: HTTPRequest, _ items: QueryItems, tagged kind: String,
    reading json:
      @Sendable (ServedList.Version, SnapshotReader<Row>, _ name: String) throws -> [UInt8]
  ) async throws -> HTTPResponse {
    let asked = try version(items)
    let list = try await list(items)
    let number = try await list.number(of: asked)
    let name = run.text(number)
    let tag = HTTPResponse.tag(of: "\(kind)\(name)&\(items.text(without: "version"))".utf8)
    return try await .tagged(tag, request) {
      .json(try await list.read(version: number) { try json($0, $1, name) })
    }
  }

  private func events(_ request: HTTPRequest, _ items: QueryItems) async throws -> HTTPResponse {
    let (from, size) = try window(items, count: 100)
    guard await lists.clientCount < options.limits.clients else {
      throw RequestError(
        503, "\(options.limits.clients) clients are connected", nextStep: "Close some pages",
        retryAfter: 10)
    }
    let last = request.headers[.lastEventID] ?? items.value("version")
    let shown: ServedList.Shown =
      last.flatMap { $0.isEmpty ? nil : $0 }
      .map { run.version($0).map { .version($0) } ?? .unknown } ?? .none
    let list = try await list(items)
    let stream = EventStream(
      subscription: try await list.subscribe(from: from, size: size, shown: shown))
    return HTTPResponse(
      statusCode: .ok,
      headers: HTTPHeaders([
        .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store",
        .contentTypeOptions: "nosniff", HTTPHeader("X-Accel-Buffering"): "no",
      ]), body: HTTPBodySequence(from: stream))
  }

  private func blob(_ items: QueryItems) async throws -> HTTPResponse {
    guard let key = items.value("key").flatMap(RowKey.identity), let column = items.value("column")
    else {
      throw RequestError(400, "key and column are needed", nextStep: "Take both from a row")
    }
    let asked = try version(items)
    let value = try await list(items).read(version: asked) { _, reader -> Value in
      guard let position = try reader.position(of: key) else {
        throw RequestError(404, "there is no such row", nextStep: "Take the key from a row")
      }
      let row = try reader.records(at: position..<(position + 1))[0]
      guard let index = row.columnNames.position(of: column) else {
        throw RequestError(400, "there is no such column", nextStep: "Take the column from a row")
      }
      return row.values[index]
    }
    var headers: [HTTPHeader: String] = [
      .contentSecurityPolicy: "sandbox",
      // A version does not change.
      .cacheControl: asked == nil ? "no-cache" : "private, max-age=60",
    ]
    switch value {
    case .blob(let bytes):
      if let type = ImageType(bytes) {
        return .answer(type: type.rawValue, bytes, headers)
      }
      headers[HTTPHeader("Content-Disposition")] = "attachment; filename=\"blob\""
      return .answer(type: "application/octet-stream", bytes, headers)
    case .text(let text):
      return .answer(type: "text/plain; charset=utf-8", Array(text.utf8), headers)
    default:
      throw RequestError(400, "the value is neither a blob nor a text", nextStep: "Read the row")
    }
  }

  private func page(_ items: QueryItems) async throws -> HTTPResponse {
    guard !items.items.isEmpty else {
      let first = try await sources.firstPage()
      return .answer(.found, type: "text/plain", [], [.location: "/?\(first.text())"])
    }
    let (from, size) = try window(items, count: 100)
    let list = try await list(items)
    let all = try await sources.sources()
    let (content, rows, name) = try await list.read(version: nil) { version, reader in
      let content = try WindowContent(reader, version.query, from: from, size: size)
      return (
        content, try PageLine.lines(of: content, reader, version.query), run.text(version.number)
      )
    }
    let page = PageRenderer(
      options: options, items: items, source: list.parameters.source ?? "")
    return .answer(
      type: "text/html; charset=utf-8",
      page.page(sources: all, content: content, rows: rows, first: content.json(version: name)),
      [
        .contentSecurityPolicy: """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src \
        'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
        """,
        .cacheControl: "no-store",
      ])
  }
}

extension Socket.Address {
  /// The port; nil for a path.
  fileprivate var port: UInt16? {
    switch self {
    case .ip4(_, let port), .ip6(_, let port): port
    case .unix: nil
    }
  }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
