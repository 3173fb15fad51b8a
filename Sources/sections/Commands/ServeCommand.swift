import ArgumentParser
import Foundation
import RowQueries
import SQLiteStorage
import SectionsServer

/// `sections serve`: shows tables and views in a browser, and what changes in them.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show tables and views as a live page in any number of browsers.",
    discussion: """
      The page follows the file, no matter which program writes it. On it, a SELECT can be typed, \
      whose rows follow the file too. The server never changes the \
      content of the database; it may copy a long write-ahead log into the file. Only this machine \
      can reach the page. With another --bind, each browser needs the --token. A list whose query \
      takes longer than --timeout, or whose rows need more than --copy-limit, is shown as an \
      error.

      Examples:
        sections serve chinook.db
        sections serve chinook.db Track --by GenreId --total 'sum(Milliseconds)'
        sections serve shop.db 'SELECT * FROM orders WHERE open' --port 9000
        sections serve shop.db --config lists.yaml
        sections serve shop.db --allow-origin https://lists.example.org
      """)

  @OptionGroup var file: DatabaseOptions

  @Argument(help: "The table, view or SELECT to show first; the first table by default.")
  var source: String?

  @Option(
    help: ArgumentHelp(
      "Divide the rows of the source into sections by this column or SQL expression. Needs a source.",
      valueName: "column"))
  var by: String?

  @Option(
    help: ArgumentHelp(
      "Sort the rows of the source, as for query. Repeat it, or separate terms by commas.",
      valueName: "term"))
  var sort: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Show only rows of the source that meet this SQL condition. Repeat it for several conditions.",
      valueName: "sql"))
  var conditions: [String] = []

  @Option(
    help: ArgumentHelp(
      "Show a total of each section and of all rows of the source, as for query.",
      valueName: "total"))
  var total: [TotalOption] = []

  @Option(
    help: ArgumentHelp(
      """
      Show the lists of this file first; watch --help describes it. They cannot have limit or \
      offset. Give no source then, and no options for its rows.
      """,
      valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var config: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The port to listen on; 0 for any that is free.", valueName: "n"))
  var port = 8080

  @Option(
    help: ArgumentHelp(
      "The address to listen on. One that other machines reach needs --token.",
      valueName: "address"))
  var bind = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      """
      The text that a browser must know: 16 or more letters, digits, and - . _ ~. Other users of \
      the machine can see it in the list of processes; --token-file and the environment variable \
      SECTIONS_TOKEN keep it from them.
      """, valueName: "text"))
  var token: String?

  @Option(
    help: ArgumentHelp("Read the token from this file.", valueName: "file"), completion: .file())
  var tokenFile: String?

  @Option(
    help: ArgumentHelp(
      """
      Let pages from this origin, such as https://lists.example.org, read the lists. Needed for \
      pages of your own, and when a proxy serves this page. Repeat it for several origins.
      """, valueName: "origin"))
  var allowOrigin: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      The path at which a proxy shows the page, such as /db, if it passes that on. All addresses \
      then begin with it.
      """, valueName: "path"))
  var basePath = "/"

  @Option(
    help: ArgumentHelp(
      """
      The most memory for the rows of a list, in megabytes. Those of some views and SELECTs are \
      kept in memory; explain says which.
      """, valueName: "mb"))
  var copyLimit = 256

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      """
      Run a SELECT that is typed on the page. It can only read, within --timeout and --copy-limit. \
      By default as long as only this machine can reach the page.
      """))
  var sql: Bool?

  @Flag(help: "Open the page in a browser.")
  var open = false

  @Flag(help: "Print a line for each request to standard error.")
  var verbose = false

  func validate() throws {
    guard 0...65_535 ~= port else {
      throw ValidationError("--port must be a number, 0 to 65535")
    }
    guard 1...1_000_000 ~= copyLimit else {
      throw ValidationError("--copy-limit must be a number of megabytes, 1 to 1000000")
    }
    guard IPAddress(bind) != nil else {
      throw ValidationError("--bind must be a numeric address, such as 127.0.0.1 or 0.0.0.0")
    }
    if let token, !ServeCommand.isToken(token) {
      throw ValidationError("--token \(ServeCommand.tokenRule)")
    }
    if token != nil, tokenFile != nil {
      throw ValidationError("give --token or --token-file, not both")
    }
    guard BasePath(basePath) != nil else {
      throw ValidationError(
        "--base-path must begin with / and have letters, digits and - . _ ~ between slashes")
    }
    for origin in allowOrigin where !ServeCommand.isOrigin(origin) {
      throw ValidationError(
        "--allow-origin \(origin) is not an origin. Use one such as https://lists.example.org")
    }
    if source != nil, config != nil {
      throw ValidationError("with --config the sources are in the file")
    }
    if source == nil, by != nil || !sort.isEmpty || !conditions.isEmpty || !total.isEmpty {
      throw ValidationError("--by, --sort, --where and --total need a source")
    }
  }

  /// Whether a text is a scheme, a host and perhaps a port, as browsers send them.
  private static func isOrigin(_ text: String) -> Bool {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty else {
      return false
    }
    return ["http", "https"].contains(parts.scheme?.lowercased()) && parts.path.isEmpty
      && parts.query == nil && parts.fragment == nil && parts.user == nil
  }

  private static let tokenRule = "must have 16 or more letters, digits, - . _ and ~"

  private static func isToken(_ text: String) -> Bool {
    text.utf8.count >= 16 && text.utf8.allSatisfy(\.isUnreserved)
  }

  /// The token of the options or of the environment.
  private func secret() throws -> String? {
    let variable = "SECTIONS_TOKEN"
    let given: (text: String, place: String)? =
      if let tokenFile {
        (String(decoding: try InputFile(tokenFile).bytes, as: UTF8.self), tokenFile)
      } else {
        ProcessInfo.processInfo.environment[variable].map { ($0, variable) }
      }
    guard token == nil, let given else { return token }
    let text = given.text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard ServeCommand.isToken(text) else {
      throw ToolError(
        "the token \(ServeCommand.tokenRule): see \(given.place)")
    }
    return text
  }

  func run() throws {
    let file = file
    let token = try secret()
    // Errors of the source end the tool, before a browser is opened.
    let select = source == "-" ? String(decoding: try InputFile("-").bytes, as: UTF8.self) : nil
    let lists = try config.map { try ListConfiguration.lists(in: InputFile($0)) } ?? []
    // The database is closed again: the lists could not open it anew if its log is removed.
    let sources = try file.openForWatching().read { connection in
      let sources =
        try source.map { [try given($0, select: select, in: connection)] }
        ?? lists.map { try given($0, in: connection) }
      for source in sources { try source.check(in: connection) }
      return sources
    }
    var options = ServerOptions(
      databaseName: URL(fileURLWithPath: file.database).lastPathComponent,
      toolVersion: ToolVersion.number, given: sources)
    options.address = bind
    options.port = UInt16(port)
    options.basePath = BasePath(basePath) ?? BasePath()
    options.token = token
    options.allowedOrigins = Set(allowOrigin.map { $0.lowercased() })
    if verbose { options.log = { Console.report($0) } }
    options.limits.queryTime = Duration.seconds(max(file.timeout, 0.1))
    guard options.isLoopback || token != nil else {
      throw ToolError(
        "--bind \(bind) lets other machines read the database. Choose a --token for their browsers")
    }
    // The rest of the descriptors is for the databases, and for Dispatch.
    let descriptors = Descriptors.raiseLimit()
    options.limits.connections = max(8, descriptors - max(40, descriptors / 4))
    options.limits.clients = min(options.limits.clients, options.limits.connections)
    let packedSizeLimit = copyLimit << 20
    options.sql = sql
    let server = SectionsServer(options) { prepare in
      try file.openForWatching(packedSizeLimit: packedSizeLimit, prepare: prepare)
    }
    let (page, opens) = (options, open)
    try AsyncWork.runToEnd {
      try await server.run { port in
        let address = page.address(port: port)
        Report().line(address)
        if opens { ServeCommand.openBrowser(at: address) }
      }
    }
    try Interruption.check()
  }

  /// The source of the arguments.
  private func given(
    _ source: String, select: String?, in connection: Connection
  ) throws -> GivenSource {
    let table = try ServeCommand.table(source, select: select, in: connection)
    return GivenSource(
      table: table, select: table == nil ? select ?? source : nil,
      condition: RowOptions.all(conditions), by: by, sort: sort, totals: total)
  }

  /// A list of the configuration.
  private func given(_ list: NamedList, in connection: Connection) throws -> GivenSource {
    let (source, rows) = (list.options.source.source, list.options.source.rows)
    guard rows.limit == nil, rows.offset == 0 else {
      throw ToolError("\(list.name): limit and offset cannot be served. Remove them")
    }
    let table = try ServeCommand.table(source, select: nil, in: connection)
    return GivenSource(
      list: list.name, table: table, select: table == nil ? source : nil,
      condition: rows.condition, by: rows.by, sort: rows.sort, totals: rows.total,
      columns: rows.columns,
      parameters: Dictionary(
        uniqueKeysWithValues: rows.parameter.map { ($0.name.exact, $0.value) }),
      key: list.options.key.key)
  }

  /// The name of the table or view that a source is, as the schema spells it; nil for a SELECT.
  private static func table(
    _ source: String, select: String?, in connection: Connection
  ) throws -> String? {
    guard select == nil else { return nil }
    if let table = try connection.table(named: source) { return table.name }
    // A name that does not exist, which is reported.
    return source.isStatement ? nil : source
  }

  /// Opens a page with the program that the user has chosen for pages.
  private static func openBrowser(at address: String) {
    #if os(macOS)
      let program = "/usr/bin/open"
    #else
      let program = "/usr/bin/xdg-open"
    #endif
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [address]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      Console.report("cannot start a browser (\(program)). Open the address yourself")
    }
  }
}
