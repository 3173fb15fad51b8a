import FetchedResults
import NIOHTTP1
import RowQueries
import SQLiteStorage

/// What is answered from a list.
extension SectionsServer {
  /// Answers from the list that the parameters name.
  func using<Result: Sendable>(
    _ items: QueryItems, _ body: @Sendable (ServedList) async throws -> Result
  ) async throws -> Result {
    try await lists.using(try await parameters(items), body)
  }

  /// The list that the parameters name: the first source if they name none.
  func parameters(_ items: QueryItems) async throws -> ListParameters {
    var parameters = try ListParameters(items)
    if parameters.source == nil, parameters.sql == nil {
      parameters.source = try await sources.firstName()
    }
    return parameters
  }

  private func window(_ items: QueryItems, count: Int) throws -> (from: Int, size: Int) {
    let size = try items.number("count", in: 1...options.limits.linesOfWindow)
    return (try items.number("from", in: 0...Int(Int32.max)) ?? 0, size ?? count)
  }

  func rows(_ request: HTTPRequestHead, _ items: QueryItems) async throws -> Answer {
    var place = try place(items)
    // To follow a row is for streams.
    if case .row = place.part { place.part = .lines }
    return try await answer(request, items, tagged: "") { [place] version, name in
      if let key = place.key, place.part == .lines { _ = try version.snapshot.position(ofKey: key) }
      let start = try place.start(version.snapshot, version.query)
      return try place.content(version.snapshot, version.query, start: start).json(version: name)
    }
  }

  func index(_ request: HTTPRequestHead, _ items: QueryItems) async throws -> Answer {
    try await answer(request, items, tagged: "index&") { version, name in
      SectionIndexJSON.bytes(version.snapshot, version.query, version: name)
    }
  }

  /// The sections with their totals.
  func sections(_ request: HTTPRequestHead, _ items: QueryItems) async throws -> Answer {
    let limit = try items.number("count", in: 1...options.limits.linesOfWindow) ?? 200
    return try await answer(request, items, tagged: "sections&") { version, name in
      try SectionListJSON.bytes(version.snapshot, version.query, version: name, limit: limit)
    }
  }

  /// The JSON that is read from the version that the parameters name, or a note that it is unchanged.
  ///
  /// - Parameter kind: what its tag begins with, so that two kinds of answers have different ones.
  private func answer(
    _ request: HTTPRequestHead, _ items: QueryItems, tagged kind: String,
    reading json:
      @Sendable (ServedList.Version, _ name: String) throws -> [UInt8]
  ) async throws -> Answer {
    try await using(items) { list in
      func tag(_ number: Int) -> String {
        Answer.tag(of: "\(kind)\(run.text(number))&\(items.text())".utf8)
      }
      // The version may be replaced before it is read.
      let known = tag(try await list.number)
      if let answer = Answer.unchanged(known, request) { return answer }
      let (number, bytes) = try await list.read { version in
        (version.number, try json(version, run.text(version.number)))
      }
      return Answer.json(bytes, ["ETag": Answer.quoted(tag(number))])
    }
  }

  /// What has changed in all tables.
  func changes(_ items: QueryItems) -> Answer {
    feed.touch()
    let buffer = OutputBuffer()
    let known = items.value("after").flatMap(run.number)
    buffer.object { feed.content.append(after: known, run, to: buffer) }
    return .json(buffer.bytes)
  }

  /// How a list is kept up to date.
  func explanation(_ items: QueryItems) async throws -> Answer {
    let parameters = try await parameters(items)
    return .json(try await inspecting(parameters) { try await $0.explanation() })
  }

  func inspecting<Result>(
    _ parameters: ListParameters, _ body: (ListInspector) async throws -> Result
  ) async throws -> Result {
    let permit = try inspections.take()
    defer { withExtendedLifetime(permit) {} }
    return try await body(ListInspector(parameters, context))
  }

  /// Begins a stream of events, with one window.
  func events(_ items: QueryItems) async throws -> Answer {
    let stream = try streams.makeStream()
    try await open(1, of: stream, items)
    return .answer(
      type: "text/event-stream; charset=utf-8", body: .events(stream),
      ["Cache-Control": "no-store", "X-Accel-Buffering": "no"])
  }

  /// Opens what the parameters name as the window of a stream with a number.
  private func open(_ number: Int, of stream: EventStream, _ items: QueryItems) async throws {
    let limit = options.limits.windowsOfClient
    func open(_ feed: NewsFeed<some FeedNews>) throws {
      try stream.open(number, limit: limit) {
        NewsClient($0, of: feed, after: items.value("after"), sender: $1)
      }
    }
    if items.value("changes") != nil {
      try open(feed)
    } else if items.value("file") != nil {
      try open(fileFeed)
    } else {
      let place = try place(items)
      try await using(items) { try await stream.open(number, at: place, of: $0, limit: limit) }
    }
  }

  private func place(_ items: QueryItems) throws -> WindowPlace {
    if let size = try items.number("largest", in: 1...options.limits.linesOfWindow) {
      return WindowPlace(size: size, part: .largestSections)
    }
    let (from, size) = try window(items, count: 100)
    return WindowPlace(
      from: from, size: size, key: items.value("key"),
      part: items.value("row").map { .row(key: $0) } ?? .lines)
  }

  /// Opens, moves or closes a window of a stream. What it shows comes in the stream.
  func change(
    _ name: String, _ method: HTTPMethod, _ items: QueryItems
  ) async throws -> Answer {
    switch method {
    case .PUT:
      let (stream, number) = try streams.stream(ofWindow: name)
      try await open(number, of: stream, items)
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

  func export(_ items: QueryItems) async throws -> Answer {
    let formats = ListExport.Format.allCases.map(\.rawValue)
    guard let format = ListExport.Format(rawValue: items.value("format") ?? "") else {
      throw RequestError(
        400, "format is missing or unknown", nextStep: "Use \(formats.joined(separator: " or "))")
    }
    let permit = try exports.take()
    let (version, source) = try await using(items) { list in
      (try await list.read { $0 }, list.parameters.source)
    }
    let export = ListExport(format: format, version: version, time: options.limits.exportTime)
    let name = (source ?? "rows").filter {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
    }
    var answer = Answer.answer(
      type: format.type, body: .pieces { try await export.write($0) },
      [
        "Cache-Control": "no-store", "Content-Security-Policy": "sandbox",
        "Content-Disposition":
          "attachment; filename=\"\(name.isEmpty ? "rows" : name).\(format.rawValue)\"",
      ])
    answer.permit = permit
    return answer
  }

  func page(_ items: QueryItems) async throws -> Answer {
    guard !items.items.isEmpty else {
      let first = try await sources.firstPage()
      return .answer(.found, type: "text/plain", [], ["Location": "?\(first.text())"])
    }
    let (from, size) = try window(items, count: 100)
    let all = try await sources.sources()
    // What is in a link may be of another site: the user runs it.
    guard items.value("sql") == nil else {
      return answer(
        page: PageRenderer(options: options, items: items, source: "SQL").page(sources: all))
    }
    let page = try await using(items) { list in
      let page = PageRenderer(
        options: options, items: items, source: list.parameters.source ?? "")
      return try await list.read { version in
        let content = try WindowContent(version.snapshot, version.query, from: from, size: size)
        return page.page(
          sources: all, content: content,
          rows: try PageLine.lines(of: content, version.snapshot, version.query),
          first: content.json(version: run.text(version.number)))
      }
    }
    return answer(page: page)
  }

  private func answer(page: [UInt8]) -> Answer {
    .answer(
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
