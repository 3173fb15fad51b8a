import CLibrary
import FetchedResults
import NIOCore
import NIOHTTP1
import RowQueries
import SQLiteStorage

/// Serves the tables and views of a database as a live page, and to programs. `Documentation/ServeProtocol.md`
/// describes the protocol.
///
/// Sendable: a value.
package struct SectionsServer: Sendable {
  let options: ServerOptions
  let guardian: RequestGuard
  let sources: SourceList
  let run = RunName()
  let context: ServedList.Context
  let lists: ServedLists
  let streams: EventStreams
  let feed: ChangeFeed
  /// The number of exports that are running.
  let exports = Locked(0)
  /// The number of long values that are sent.
  let values = Locked(0)
  /// The number of requests for which a file is opened.
  let inspections = Locked(0)

  /// - Parameter open: opens the file that is at the path now. Its argument is called with each new connection.
  package init(
    _ options: ServerOptions, open: @escaping DatabaseOpener.Opening
  ) {
    self.options = options
    guardian = RequestGuard(options: options)
    let opener = DatabaseOpener(limits: options.limits, open: open)
    let catalog = SourceCatalog(given: options.given, namesFiles: options.terms.namesFiles)
    sources = SourceList(options, catalog, opener)
    context = ServedList.Context(
      catalog: catalog, opener: opener, run: run, limits: options.limits, terms: options.terms)
    lists = ServedLists(context)
    streams = EventStreams(options.limits)
    feed = ChangeFeed(context)
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter onListening: called with the port once clients can connect.
  /// - Throws: `ServerError` if the address cannot be used.
  package func run(onListening: @escaping @Sendable (UInt16) -> Void) async throws {
    defer { feed.end() }
    guard IPAddress(options.address) != nil else {
      throw ServerError(
        description: "\(options.address) is not an address. Use one such as 127.0.0.1 or 0.0.0.0")
    }
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let server = HTTPServer(options.limits) { await respond(to: $0.inOriginForm) }
          try await server.run(host: options.address, port: options.port, onListening)
        }
        group.addTask {
          await lists.keepUp()
          // The requests that still wait for a query end too.
          await lists.end()
        }
        group.addTask { await streams.keepUp() }
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

// MARK: - Answering

extension SectionsServer {
  private func respond(to request: HTTPRequestHead) async -> Answer {
    let start = ContinuousClock.now
    var request = request
    var answer: Answer
    do {
      if let path = options.basePath.redirection(of: request) {
        return .answer(.permanentRedirect, type: "text/plain", [], ["Location": path])
      }
      request = try options.basePath.relative(request)
      answer = try await self.answer(request).compressed(for: request)
    } catch {
      let sql = QueryItems(request.query).value("sql")
      let error = RequestError(error, options.terms, typed: sql)
      answer = Self.pages.contains(request.path) ? .failurePage(error) : .failure(error)
    }
    if let origin = guardian.allowedOrigin(of: request) {
      answer.headers.add(name: "Access-Control-Allow-Origin", value: origin)
      answer.headers.add(name: "Access-Control-Expose-Headers", value: "Retry-After")
      answer.headers.add(name: "Vary", value: "Origin")
    }
    options.log?(line(for: request, answer, after: ContinuousClock.now - start))
    return answer
  }

  /// The method, the URL without the token, the status, and the time until the answer began.
  private func line(
    for request: HTTPRequestHead, _ answer: Answer, after time: Duration
  ) -> String {
    let milliseconds = Int((time / .milliseconds(1)).rounded())
    return
      "\(request.method.rawValue) \(loggedURL(of: request)) \(answer.status.code) \(milliseconds) ms"
  }

  /// The URL without the token. Of a request without the right one only the path of the page: a mistyped token may be
  /// anywhere in the rest.
  private func loggedURL(of request: HTTPRequestHead) -> String {
    var items = QueryItems(request.query)
    guard let token = options.token else { return request.path + parameters(items) }
    guard request.method != .OPTIONS, (try? guardian.check(request, items)) != nil else {
      return ["/", "/healthz"].contains(request.path) ? request.path : "/…"
    }
    items.removeAll { $0.name == "token" || $0.name.contains(token) || $0.value.contains(token) }
    return (request.path.contains(token) ? "/…" : request.path) + parameters(items)
  }

  private func parameters(_ items: QueryItems) -> String {
    let query = items.text()
    return query.isEmpty ? "" : "?" + query
  }

  private func answer(_ request: HTTPRequestHead) async throws -> Answer {
    let asksFirst = request.method == .OPTIONS && guardian.allowedOrigin(of: request) != nil
    let methods = Self.methods(of: request.path)
    guard methods.contains(request.method) || asksFirst else {
      let names = methods.map(\.rawValue)
      throw RequestError(
        405, "only \(names.joined(separator: ", ")) are answered here",
        nextStep: "Use \(names[0])", allowed: names)
    }
    guard request.uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw RequestError(400, "the URL has bytes that must be encoded", nextStep: "Encode them")
    }
    if request.path == "/healthz" { return await health() }
    var items = QueryItems(request.query)
    let hasToken = try guardian.check(request, items)
    items.set("token", to: nil)
    if items.value("sql") != nil { try guardian.checkSQL(request) }
    if asksFirst {
      return .answer(
        .noContent, type: "text/plain", [],
        [
          "Access-Control-Allow-Headers": "Authorization",
          "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE",
          "Access-Control-Max-Age": "600",
        ])
    }
    if hasToken {
      let rest = items.text()
      var answer = Answer.answer(
        .seeOther, type: "text/plain", [],
        ["Location": rest.isEmpty ? "./" : "?\(rest)", "Cache-Control": "no-store"])
      for cookie in guardian.cookies(for: request) {
        answer.headers.add(name: "Set-Cookie", value: cookie)
      }
      return answer
    }
    switch request.path {
    case "/": return try await page(items)
    case "/schema": return try await schemaPage(request)
    case "/api/sources":
      let json = try await sources.sources().json
      return await .tagged(Answer.tag(of: json), request) { .json(json) }
    case "/api/rows": return try await rows(request, items)
    case "/api/events": return try await events(items)
    case "/api/index": return try await index(request, items)
    case "/api/values": return try await values(items)
    case "/api/names": return .json(try await sources.names(SourceList.NameQuery(items)))
    case "/api/blob": return try await blob(request, items)
    case "/api/sections": return try await sections(request, items)
    case "/api/changes": return changes(items)
    case "/api/explain": return try await explanation(items)
    case "/api/export": return try await export(items)
    case let path where path.hasPrefix(Self.windows):
      return try await change(String(path.dropFirst(Self.windows.count)), request.method, items)
    case let path where path.hasPrefix("/assets/"): return try await asset(path, request)
    default:
      throw RequestError(404, "there is nothing at this address", nextStep: "Open /")
    }
  }

  /// What a person opens: errors are pages too.
  static let pages: Set = ["/", "/schema"]

  /// Where the windows of streams are, each by its name.
  private static let windows = "/api/windows/"

  /// The methods that are answered at a path.
  private static func methods(of path: String) -> [HTTPMethod] {
    path.hasPrefix(windows) ? [.POST, .PUT, .DELETE] : [.GET, .HEAD]
  }

  /// Whether the file can be read. What asks may use any name of the server and knows no token, so the answer says
  /// no more.
  private func health() async -> Answer {
    do {
      try await sources.check()
      return .answer(type: "text/plain", Array("ok\n".utf8))
    } catch {
      return .answer(.serviceUnavailable, type: "text/plain", Array("unavailable\n".utf8))
    }
  }

  private func asset(_ path: String, _ request: HTTPRequestHead) async throws -> Answer {
    guard let file = PageAssets.files[String(path.dropFirst("/assets/".count))] else {
      throw RequestError(404, "there is no such file", nextStep: "Open /")
    }
    return await .tagged(file.tag, request) { .answer(type: file.type, file.bytes) }
  }
}
