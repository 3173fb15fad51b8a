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
      takes longer than --timeout, or whose rows need more than --memory-limit, is shown as an \
      error. Several databases are pages of their own, below one that lists them.

      Examples:
        sections serve chinook.db
        sections serve chinook.db Track --by GenreId --total 'sum(Milliseconds)'
        sections serve shop.db 'SELECT * FROM orders WHERE open' --port 9000
        sections serve shop.db --config lists.yaml
        sections serve *.db
        sections serve shop.db --allow-origin https://lists.example.org
      """)

  @OptionGroup var file: DatabaseOptions

  @Argument(
    help: ArgumentHelp(
      """
      The table, view or SELECT to show first, with the options for its rows; the first table by \
      default. Or more databases.
      """, valueName: "source"), completion: .file())
  var others: [String] = []

  /// What is shown first of the one database.
  private var source: String? { databases.count == 1 ? others.first : nil }

  /// The files of the databases.
  private var databases: [String] {
    let isFurther = !others.isEmpty && others.allSatisfy(ServeCommand.isDatabase)
    return [file.database] + (isFurther ? others : [])
  }

  @OptionGroup var rows: RowOptions
  @OptionGroup var key: KeyOption

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
  var memoryLimit = 256

  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      """
      Run a SELECT that is typed on the page. It can only read, within --timeout and \
      --memory-limit. By default as long as only this machine can reach the page.
      """))
  var sql: Bool?

  @Flag(
    help: """
      Open the page in a browser. If the token is not on the command line, a file leads the browser \
      there, so that the token does not come into the list of processes.
      """)
  var open = false

  @Flag(help: "Print a line for each request to standard error.")
  var verbose = false

  func validate() throws {
    guard 0...65_535 ~= port else {
      throw ValidationError("--port must be a number, 0 to 65535")
    }
    guard 1...1_000_000 ~= memoryLimit else {
      throw ValidationError("--memory-limit must be a number of megabytes, 1 to 1000000")
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
    if others.count > 1, databases.count == 1 {
      let other = others.first { !ServeCommand.isDatabase($0) } ?? others[1]
      throw ValidationError(
        "\(other) is not a database. Give one database and a source, or several databases")
    }
    if databases.count > 1, config != nil {
      throw ValidationError("--config has lists of one database. Serve the others on their own")
    }
    if source != nil, config != nil {
      throw ValidationError("with --config the sources are in the file")
    }
    if source == nil, !rows.isEmpty || key.key != nil {
      throw ValidationError(
        "--by, --sort, --columns, --parameter, --key, --where and --total need a source")
    }
  }

  func run() throws {
    let file = file
    let token = try secret()
    let sources = try checkedSources()
    var options = ServerOptions(
      databaseName: ServeCommand.name(of: file),
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
    let packedSizeLimit = memoryLimit << 20
    options.sql = sql
    @Sendable func opening(_ file: DatabaseOptions) -> DatabaseOpener.Opening {
      { try file.openForWatching(packedSizeLimit: packedSizeLimit, prepare: $0) }
    }
    let files = databases.map { DatabaseOptions($0, file.lock) }
    let (page, opens, redirect) = (options, open, redirectPage(for: token))
    defer { redirect?.remove() }
    try AsyncWork.runToEnd {
      let onListening: @Sendable (UInt16) -> Void = { port in
        let address = page.address(port: port)
        Report().line(address)
        if opens { ServeCommand.openBrowser(at: address, by: redirect) }
      }
      if files.count == 1 {
        try await SectionsServer(page, open: opening(files[0])).run(onListening: onListening)
      } else {
        let databases = files.map { (name: ServeCommand.name(of: $0), open: opening($0)) }
        try await IndexServer(page, databases).run(onListening: onListening)
      }
    }
    try Interruption.check()
  }

  /// The sources that are given. Their errors, and those of the databases, end the tool before a browser is opened.
  ///
  /// Each database is closed again: the lists could not open it anew if its log is removed.
  private func checkedSources() throws -> [GivenSource] {
    let select = try InputFile.select(source)
    let lists = try config.map { try ListConfiguration.lists(in: InputFile($0)) } ?? []
    for path in databases.dropFirst() {
      try DatabaseOptions(path, file.lock).openForWatching().read { _ in }
    }
    let database = try file.openForWatching()
    let sources = try database.read { connection in
      try source.map {
        [try ServeCommand.given(rows.arguments($0, select: select, key), in: connection)]
      } ?? lists.map { try ServeCommand.given($0, in: connection) }
    }
    for source in sources { try source.check(in: database) }
    return sources
  }

  /// A page that leads a browser to the address; nil if the address may be in the list of processes, as a token of the
  /// command line is anyway.
  private func redirectPage(for token: String?) -> RedirectPage? {
    guard open, token != nil, self.token == nil else { return nil }
    let page = RedirectPage(in: FileManager.default.temporaryDirectory)
    Interruption.onAbort { page.remove() }
    return page
  }
}
