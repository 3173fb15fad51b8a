import FetchedResults
import NIOCore
import NIOHTTP1
import RowQueries
package import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Serves the tables and views of a database as a live page, and to programs. `Documentation/ServeProtocol.md`
/// describes the protocol.
///
/// Sendable: a value.
package struct SectionsServer: Sendable {
  private let options: ServerOptions
  private let sources: SourceList
  private let run = RunName()
  private let context: ServedList.Context
  private let lists: ServedLists
  private let streams: EventStreams
  /// The number of exports that are running.
  private let exports = Locked(0)
  /// The number of long values that are sent.
  private let values = Locked(0)

  /// - Parameter open: opens the file that is at the path now.
  package init(
    _ options: ServerOptions, open: @escaping @Sendable () throws -> Database
  ) {
    self.options = options
    sources = SourceList(options, open: open)
    context = ServedList.Context(
      catalog: SourceCatalog(given: options.given), open: open, run: run, limits: options.limits,
      terms: options.terms)
    lists = ServedLists(context)
    streams = EventStreams(options.limits)
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter onListening: called with the port once clients can connect.
  /// - Throws: `ServerError` if the address cannot be used.
  package func run(onListening: @escaping @Sendable (UInt16) -> Void) async throws {
    guard IPAddress(options.address) != nil else {
      throw ServerError(
        description: "\(options.address) is not an address. Use one such as 127.0.0.1 or 0.0.0.0")
    }
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let server = HTTPServer(options.limits) { await respond(to: $0) }
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
    var answer: Answer
    do {
      answer = try await self.answer(request)
    } catch {
      let error = RequestError(error, options.terms)
      answer = request.path == "/" ? .failurePage(error) : .failure(error)
    }
    if let origin = RequestGuard(options: options).allowedOrigin(of: request) {
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
    let query = QueryItems(request.query).text(without: "token")
    let url = request.path + (query.isEmpty ? "" : "?" + query)
    let milliseconds = Int((time / .milliseconds(1)).rounded())
    return "\(request.method.rawValue) \(url) \(answer.status.code) \(milliseconds) ms"
  }

  private func answer(_ request: HTTPRequestHead) async throws -> Answer {
    let guardian = RequestGuard(options: options)
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
      return .answer(
        .seeOther, type: "text/plain", [],
        [
          "Location": rest.isEmpty ? "/" : "/?\(rest)",
          "Set-Cookie": guardian.cookie(for: request), "Cache-Control": "no-store",
        ])
    }
    switch request.path {
    case "/": return try await page(items)
    case "/api/sources":
      let json = try await sources.sources().json
      return await .tagged(Answer.tag(of: json), request) { .json(json) }
    case "/api/rows": return try await rows(request, items)
    case "/api/events": return try await events(items)
    case "/api/index": return try await index(request, items)
    case "/api/values": return try await values(items)
    case "/api/blob": return try await blob(request, items)
    case "/api/export": return try await export(items)
    case let path where path.hasPrefix(Self.windows):
      return try await change(String(path.dropFirst(Self.windows.count)), request.method, items)
    case let path where path.hasPrefix("/assets/"): return try await asset(path, request)
    default:
      throw RequestError(404, "there is nothing at this address", nextStep: "Open /")
    }
  }

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

  /// Answers from the list that the parameters name.
  private func using<Result: Sendable>(
    _ items: QueryItems, _ body: @Sendable (ServedList) async throws -> Result
  ) async throws -> Result {
    var parameters = try ListParameters(items)
    if parameters.source == nil { parameters.source = try await sources.firstName() }
    return try await lists.using(parameters, body)
  }

  private func window(_ items: QueryItems, count: Int) throws -> (from: Int, size: Int) {
    let size = try items.number("count", in: 1...options.limits.linesOfWindow)
    return (try items.number("from", in: 0...Int(Int32.max)) ?? 0, size ?? count)
  }

  private func rows(_ request: HTTPRequestHead, _ items: QueryItems) async throws -> Answer {
    let (from, size) = try window(items, count: 100)
    let key = items.value("key")
    return try await answer(request, items, tagged: "") { version, reader, name in
      // The row with the key is in the middle of the window.
      let position = try key.map(reader.position(ofKey:))
      let from = position.map { reader.line(ofPosition: $0, version.query) - size / 2 } ?? from
      return try WindowContent(reader, version.query, from: from, size: size).json(version: name)
    }
  }

  private func index(_ request: HTTPRequestHead, _ items: QueryItems) async throws -> Answer {
    try await answer(request, items, tagged: "index&") { version, reader, name in
      SectionIndexJSON.bytes(reader, version.query, version: name)
    }
  }

  /// The JSON that is read from the version that the parameters name, or a note that it is unchanged.
  ///
  /// - Parameter kind: what its tag begins with, so that two kinds of answers have different ones.
  private func answer(
    _ request: HTTPRequestHead, _ items: QueryItems, tagged kind: String,
    reading json:
      @Sendable (ServedList.Version, SnapshotReader<Row>, _ name: String) throws -> [UInt8]
  ) async throws -> Answer {
    try await using(items) { list in
      func tag(_ number: Int) -> String {
        Answer.tag(of: "\(kind)\(run.text(number))&\(items.text())".utf8)
      }
      // The version may be replaced before it is read.
      let known = tag(try await list.number)
      if let answer = Answer.unchanged(known, request) { return answer }
      let (number, bytes) = try await list.read { version, reader in
        (version.number, try json(version, reader, run.text(version.number)))
      }
      return Answer.json(bytes, ["ETag": Answer.quoted(tag(number))])
    }
  }

  /// The most frequent values of a column.
  private func values(_ items: QueryItems) async throws -> Answer {
    guard let column = items.value("column") else {
      throw RequestError(400, "column is needed", nextStep: "Name a column of the source")
    }
    let limit = try items.number("count", in: 1...options.limits.linesOfWindow) ?? 20
    return .json(
      try await sources.values(ofColumn: column, in: try ListParameters(items), limit: limit))
  }

  /// Begins a stream of events, with one window.
  private func events(_ items: QueryItems) async throws -> Answer {
    let place = try place(items)
    let stream = try streams.makeStream()
    try await using(items) {
      try await stream.open(1, at: place, of: $0, limit: options.limits.windowsOfClient)
    }
    return Answer(
      status: .ok,
      headers: [
        "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff", "X-Accel-Buffering": "no",
      ], body: .events(stream))
  }

  private func place(_ items: QueryItems) throws -> WindowPlace {
    let (from, size) = try window(items, count: 100)
    return WindowPlace(
      from: from, size: size, key: items.value("key"), followedKey: items.value("row"))
  }

  /// Opens, moves or closes a window of a stream. What it shows comes in the stream.
  private func change(
    _ name: String, _ method: HTTPMethod, _ items: QueryItems
  ) async throws -> Answer {
    switch method {
    case .PUT:
      let (stream, number) = try streams.stream(ofWindow: name)
      let place = try place(items)
      try await using(items) {
        try await stream.open(number, at: place, of: $0, limit: options.limits.windowsOfClient)
      }
    case .DELETE:
      let (stream, number) = try streams.stream(ofWindow: name)
      guard stream.close(number) else { throw EventStreams.noWindow }
    default:
      let client = try streams.window(name)
      let move = try items.number("move", in: 1...Int(Int32.max)) ?? 1
      try await client.list.show(try place(items), for: client, move: move)
    }
    return .answer(.noContent, type: "text/plain", [], ["Cache-Control": "no-store"])
  }

  private func blob(_ request: HTTPRequestHead, _ items: QueryItems) async throws -> Answer {
    guard let key = items.value("key"), let column = items.value("column") else {
      throw RequestError(400, "key and column are needed", nextStep: "Take both from a row")
    }
    let value = try await using(items) { list in
      try await list.read { _, reader -> Value in
        let position = try reader.position(ofKey: key)
        let row = try reader.records(at: position..<(position + 1))[0]
        guard let index = row.columnNames.position(of: column) else {
          throw RequestError(400, "there is no such column", nextStep: "Take the column from a row")
        }
        return row.values[index]
      }
    }
    var headers: HTTPHeaders = ["Content-Security-Policy": "sandbox"]
    let (bytes, type): ([UInt8], String)
    switch value {
    case .blob(let content):
      let image = ImageType(content)?.rawValue
      if image == nil {
        headers.add(name: "Content-Disposition", value: "attachment; filename=\"blob\"")
      }
      (bytes, type) = (content, image ?? "application/octet-stream")
    case .text(let text): (bytes, type) = (Array(text.utf8), "text/plain; charset=utf-8")
    default:
      throw RequestError(400, "the value is neither a blob nor a text", nextStep: "Read the row")
    }
    var answer = Answer.part(of: bytes, type: type, headers, request)
    if bytes.count > options.limits.longValue {
      answer.permit = Permit.take(values, limit: options.limits.longValues)
      guard answer.permit != nil else {
        throw RequestError(
          503, "\(options.limits.longValues) long values are being sent",
          nextStep: "Wait for their end", retryAfter: 1)
      }
    }
    return answer
  }

  private func export(_ items: QueryItems) async throws -> Answer {
    let formats = ListExport.Format.allCases.map(\.rawValue)
    guard let format = ListExport.Format(rawValue: items.value("format") ?? "") else {
      throw RequestError(
        400, "format is missing or unknown", nextStep: "Use \(formats.joined(separator: " or "))")
    }
    guard let permit = Permit.take(exports, limit: options.limits.exports) else {
      throw RequestError(
        503, "\(options.limits.exports) exports are running", nextStep: "Wait for their end",
        retryAfter: 10)
    }
    let (version, source) = try await using(items) { list in
      (try await list.read { version, _ in version }, list.parameters.source)
    }
    let export = ListExport(format: format, version: version, time: options.limits.exportTime)
    let name = (source ?? "rows").filter {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
    }
    return Answer(
      status: .ok,
      headers: [
        "Content-Type": format.type, "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store", "Content-Security-Policy": "sandbox",
        "Content-Disposition":
          "attachment; filename=\"\(name.isEmpty ? "rows" : name).\(format.rawValue)\"",
      ],
      body: .pieces { send in
        try await export.write(send)
        withExtendedLifetime(permit) {}
      })
  }

  private func page(_ items: QueryItems) async throws -> Answer {
    guard !items.items.isEmpty else {
      let first = try await sources.firstPage()
      return .answer(.found, type: "text/plain", [], ["Location": "/?\(first.text())"])
    }
    let (from, size) = try window(items, count: 100)
    let all = try await sources.sources()
    let page = try await using(items) { list in
      let page = PageRenderer(
        options: options, items: items, source: list.parameters.source ?? "")
      return try await list.read { version, reader in
        let content = try WindowContent(reader, version.query, from: from, size: size)
        return page.page(
          sources: all, content: content,
          rows: try PageLine.lines(of: content, reader, version.query),
          first: content.json(version: run.text(version.number)))
      }
    }
    return .answer(
      type: "text/html; charset=utf-8", page,
      [
        "Content-Security-Policy": """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src \
        'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'
        """,
        "Cache-Control": "no-store",
      ])
  }
}
