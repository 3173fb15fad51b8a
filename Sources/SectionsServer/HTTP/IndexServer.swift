import NIOHTTP1
import SQLiteStorage

/// Serves several databases at one address, each as a page of its own below the path of the page that lists them.
///
/// Each has its own limits, but for the connections and the token, which are of all.
///
/// Sendable: a value.
package struct IndexServer: Sendable {
  private struct Member: Sendable {
    /// The path of its page, relative to the page that lists them.
    let path: String
    let server: SectionsServer
  }

  private let options: ServerOptions
  private let responder: Responder
  private let members: [Member]

  /// - Parameters:
  ///   - options: those of all databases. The name of the database is not used.
  ///   - databases: the names of the databases, and how each is opened.
  package init(
    _ options: ServerOptions, _ databases: [(name: String, open: DatabaseOpener.Opening)]
  ) {
    self.options = options
    responder = Responder(options, RequestGuard(options: options))
    let paths = Self.paths(of: databases.map(\.name))
    members = zip(databases, paths).map { database, path in
      var member = options
      member.databaseName = database.name
      member.basePath = options.basePath.appending(path) ?? options.basePath
      member.indexPath = options.basePath
      return Member(path: path, server: SectionsServer(member, open: database.open))
    }
  }

  /// The paths of databases: their names with plain characters, each once.
  static func paths(of names: [String]) -> [String] {
    // What is at the path of the page itself, and what a path must not be.
    var taken: Set = ["assets", "healthz", "", ".", ".."]
    return names.map { name in
      let plain = String(
        name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) ? $0 : "-" })
      var path = plain
      var number = 2
      while !taken.insert(path).inserted {
        path = "\(plain)-\(number)"
        number += 1
      }
      return path
    }
  }

  /// Serves until the task is cancelled.
  ///
  /// - Parameter onListening: called with the port once clients can connect.
  /// - Throws: `ServerError` if the address cannot be used.
  package func run(onListening: @escaping @Sendable (UInt16) -> Void) async throws {
    try await Listener(options: options, servers: members.map(\.server)).run(
      answering: { await respond(to: $0) }, onListening)
  }

  private func respond(to request: HTTPRequestHead) async -> Answer {
    if let member = members.first(where: { $0.server.options.basePath.contains(request) }) {
      return await member.server.respond(to: request)
    }
    return await responder.respond(
      to: request, methods: { _ in [.GET, .HEAD] },
      isHealthy: { for member in members { try await member.server.sources.check() } }
    ) { request, _ in
      guard request.path == "/" else { return try await responder.asset(request) }
      return IndexPage(entries: await entries()).html.answer(["Cache-Control": "no-store"])
    }
  }

  private func entries() async -> [IndexPage.Entry] {
    await withTaskGroup(of: (Int, IndexPage.Entry).self) { group in
      for (number, member) in members.enumerated() {
        group.addTask {
          let options = member.server.options
          let content: Result<IndexPage.Content, RequestError>
          do {
            content = .success(try await member.server.sources.content())
          } catch {
            content = .failure(RequestError(error, options.terms))
          }
          return (
            number,
            IndexPage.Entry(name: options.databaseName, path: member.path, content: content)
          )
        }
      }
      var entries: [(Int, IndexPage.Entry)] = []
      for await entry in group { entries.append(entry) }
      return entries.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}

extension SourceList {
  /// What is in the database.
  fileprivate func content() async throws -> IndexPage.Content {
    let entries = try await sources().entries
    let tables = entries.filter { $0.entry.kind == "table" }
    let size = try await reading {
      try $0.value(
        Int.self, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    }
    return IndexPage.Content(
      tableCount: tables.count, viewCount: entries.count - tables.count,
      rowCount: tables.reduce(0) { $0 + ($1.count ?? 0) },
      isRowCountExact: tables.allSatisfy { $0.count != nil }, size: size ?? 0)
  }
}
