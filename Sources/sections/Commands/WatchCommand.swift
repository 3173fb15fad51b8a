import ArgumentParser
import FetchedResults
import RowQueries
import SQLiteStorage

/// `sections watch`: prints rows, and then their changes.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Print rows, and then every change that any process makes to them.",
    discussion: """
      On a terminal the rows are redrawn in place, and what has changed is highlighted for a \
      second. Keys: arrows, j, k, PgUp, PgDn, space, b, g and G scroll; / finds a text, n and N go \
      to the next and the previous match; i opens the index of the sections; Tab goes to the next \
      list; q quits.

      In a pipe each event is a line of JSON: first a snapshot; then changes, each from one \
      version to the next; a reset with all rows if the changes to the next version are not known; \
      and errors, after which watching continues. With several lists, each event names its list, \
      except an error of the whole file. \
      Every version prints one event for each list, in the order given, so all lists show the same \
      version. If one list cannot be read, its error is printed once and the others continue \
      without it. Its next event starts from the last version that was printed for it; it is a \
      reset if there is none.

      Examples:
        sections watch chinook.db Track --by GenreId --sort Name
        sections watch chinook.db Track --by GenreId --total 'sum(Bytes)'
        sections watch shop.db 'SELECT * FROM recent' --key id --format ndjson
        sections watch shop.db orders --old --format ndjson > orders-feed.ndjson
        sections watch shop.db orders customers
        sections watch shop.db --config lists.yaml
        sections watch jobs.db job --until-change > /dev/null && echo changed
      """)

  @OptionGroup var file: DatabaseOptions

  @Argument(
    help: """
      A table, a view or a SELECT; or - to read a SELECT from standard input. Name several to \
      watch several lists; the options apply to each of them.
      """)
  var sources: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Watch the lists of this YAML file, each with a name, as in orders: {source: orders, by: \
      status, sort: [id:desc]}. A list has source, by, sort, where, parameter, columns, total, \
      limit, offset and key, as on the command line, such as parameter: [n=3]. Give no source and \
      no options of rows then.
      """, valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var config: String?

  @OptionGroup var rows: RowOptions
  @OptionGroup var limits: LimitOptions
  @OptionGroup var key: KeyOption

  enum Format: String, CaseIterable, ExpressibleByArgument { case table, ndjson }

  @Option(
    help: """
      The output format. The default is table on a terminal, which it needs, and ndjson in a pipe.
      """)
  var format: Format?

  @OptionGroup var output: OutputOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "End after this many changes. The snapshot at the start does not count.", valueName: "n"))
  var count: Int?

  @Flag(help: "End after the first change.")
  var untilChange = false

  @Flag(
    help: """
      Print the old row with each row that is deleted, moved or updated. The order of the changes \
      within a transaction is not known.
      """)
  var old = false

  @Flag(
    help: """
      Print on standard error how each change was detected: by the writer itself (capture), by the \
      pages that were written, or by a comparison of all rows; and a summary at the end.
      """)
  var stats = false

  func validate() throws {
    if let count, count < 1 {
      throw ValidationError("--count must be a number of changes, 1 or more")
    }
    if count != nil, untilChange {
      throw ValidationError("--count and --until-change cannot be used together")
    }
    if config != nil {
      guard sources.isEmpty, rows.isEmpty, limits.isEmpty, key.key == nil else {
        throw ValidationError("with --config the sources and their options are in the file")
      }
      return
    }
    try output.requireSections(by: rows.by)
    if sources.isEmpty { throw ValidationError("name a source, or --config and a file with lists") }
    let isTwice = Set(sources).count < sources.count
    if isTwice { throw ValidationError("a source is given twice. Give them names with --config") }
    if sources.count > 1, sources.contains("-") {
      throw ValidationError("standard input cannot be one of several sources")
    }
  }

  /// A list to watch, as the arguments or the configuration describe it.
  private struct List: Sendable {
    let name: String?
    /// Where errors of the list are; nil for the command line.
    var place: String?
    let rows: RowArguments

    func query(in database: Database) throws -> RowQuery {
      do {
        return try database.read { try rows.query(in: $0) }
      } catch {
        throw place.map(error.located(in:)) ?? error
      }
    }
  }

  private func lists() throws -> [List] {
    if let config {
      let file = try InputFile(config)
      return try ListConfiguration.lists(in: file).map {
        List(
          name: $0.name, place: "\(file.name), \($0.name)", rows: $0.options.arguments)
      }
    }
    return try sources.map { source in
      List(
        name: sources.count > 1 ? source : nil,
        rows: rows.arguments(source, select: try InputFile.select(source), key, limits))
    }
  }

  func run() throws {
    let makeOutput = try makeOutput()
    let (file, lists) = (file, try lists())
    let watch = ResultWatch(
      open: {
        let database = try file.openForWatching()
        let watched = try lists.map {
          WatchedList(name: $0.name, query: try $0.query(in: database))
        }
        return ResultWatch.Source(database: database, lists: watched)
      }, count: untilChange ? 1 : count, isQuiet: output.quiet)
    // On a terminal such a line would be drawn into the table.
    let printsChanges = !Console.isTerminal || !Terminal.standardOutput.isTerminal
    let stats = stats
    try AsyncWork.runToEnd {
      try await watch.run { lists, quit in
        let output = makeOutput(lists, quit)
        return stats ? StatisticsOutput(of: output, lists, printsChanges: printsChanges) : output
      }
    }
  }

  private typealias MakeOutput =
    @Sendable ([WatchedList], @escaping @Sendable () -> Void) -> any WatchOutput

  private func makeOutput() throws -> MakeOutput {
    let isTerminal = Terminal.standardOutput.isTerminal
    switch format ?? (isTerminal ? .table : .ndjson) {
    case .ndjson:
      if output.index { throw ToolError("--index cannot be printed as ndjson. Leave it out") }
      let old = old
      return { lists, _ in EventOutput(lists, writesOldRows: old) }
    case .table where old:
      throw ToolError("--old needs events: use --format ndjson")
    case .table where isTerminal:
      let (style, showsIndex) = (output.style, output.index)
      return { ScreenOutput($0, showsIndex: showsIndex, style: style, quit: $1) }
    case .table:
      throw ToolError("--format table needs a terminal to draw on. Use ndjson")
    }
  }
}
