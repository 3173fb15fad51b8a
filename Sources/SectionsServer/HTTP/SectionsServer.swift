import CLibrary
import FetchedResults
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
  private let responder: Responder
  let sources: SourceList
  let run = RunName()
  let context: ServedList.Context
  let lists: ServedLists
  let streams: EventStreams
  let feed: ChangeFeed
  let fileFeed: FileFeed
  let exports: PermitPool
  /// The values that are sent in pieces.
  let longValues: PermitPool
  /// The requests for which a file is opened.
  let inspections: PermitPool

  /// - Parameter open: opens the file that is at the path now. Its argument is called with each new connection.
  package init(
    _ options: ServerOptions, open: @escaping DatabaseOpener.Opening
  ) {
    self.options = options
    guardian = RequestGuard(options: options)
    responder = Responder(options, guardian)
    let opener = DatabaseOpener(limits: options.limits, open: open)
    let catalog = SourceCatalog(given: options.given, namesFiles: options.terms.namesFiles)
    sources = SourceList(options, catalog, opener)
    context = ServedList.Context(
      catalog: catalog, opener: opener, run: run, limits: options.limits, terms: options.terms)
    lists = ServedLists(context)
    streams = EventStreams(options.limits)
    feed = ChangeFeed(context)
    fileFeed = FileFeed(sources, context)
    let limits = options.limits
    exports = PermitPool(
      limit: limits.exports, "exports are running", nextStep: "Wait for their end", retryAfter: 10)
    longValues = PermitPool(
      limit: limits.longValues, "long values are being sent", nextStep: "Wait for their end",
      retryAfter: 1)
    inspections = PermitPool(
      limit: limits.inspections, "other lists are being looked at", nextStep: "Try again",
      retryAfter: 1)
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter onListening: called with the port once clients can connect.
  /// - Throws: `ServerError` if the address cannot be used.
  package func run(onListening: @escaping @Sendable (UInt16) -> Void) async throws {
    try await Listener(options: options, servers: [self]).run(
      answering: { await respond(to: $0) }, onListening)
  }

  /// Keeps the lists up to date until the task is cancelled.
  func keepUp() async {
    await withTaskGroup { group in
      group.addTask {
        await lists.keepUp()
        // The requests that still wait for a query end too.
        await lists.end()
      }
      group.addTask { await streams.keepUp() }
    }
  }

  func end() async {
    feed.end()
    fileFeed.end()
    await lists.end()
  }
}

// MARK: - Answering

extension SectionsServer {
  /// Answers a request, whose address has no host.
  func respond(to request: HTTPRequestHead) async -> Answer {
    await responder.respond(to: request, methods: Self.methods, isHealthy: sources.check, answer)
  }

  private func answer(_ request: HTTPRequestHead, _ items: QueryItems) async throws -> Answer {
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
    case "/api/ranges": return try await ranges(items)
    case "/api/names": return .json(try await sources.names(SourceList.NameQuery(items)))
    case "/api/blob": return try await blob(request, items)
    case "/api/sections": return try await sections(request, items)
    case "/api/sql": return try await select(items)
    case "/api/changes": return changes(items)
    case "/api/explain": return try await explanation(items)
    case "/api/export": return try await export(items)
    case let path where path.hasPrefix(Self.windows):
      return try await change(String(path.dropFirst(Self.windows.count)), request.method, items)
    default: return try await responder.asset(request)
    }
  }

  /// Where the windows of streams are, each by its name.
  private static let windows = "/api/windows/"

  /// The methods that are answered at a path.
  private static func methods(of path: String) -> [HTTPMethod] {
    path.hasPrefix(windows) ? [.POST, .PUT, .DELETE] : [.GET, .HEAD]
  }
}
