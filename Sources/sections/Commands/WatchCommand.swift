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
      On a terminal the rows are redrawn in place, and what has changed is highlighted for a second. \
      In a pipe each event is a line of JSON: first a snapshot; then changes, each from one version \
      to the next; a reset with all rows if the changes to the next version are not known; and \
      errors, after which watching continues.

      Examples:
        sections watch music.db Track --by GenreId --sort Name
        sections watch music.db Track --by GenreId --total 'sum(Milliseconds)' --format ndjson
        sections watch music.db 'SELECT * FROM Recent' --key id --format ndjson
        sections watch shop.db orders --old --format ndjson > orders-feed.ndjson
        sections watch jobs.db job --where 'done = 0' --until-change > /dev/null && echo changed
      """)

  @OptionGroup var file: DatabaseOptions
  @OptionGroup var source: SourceOptions
  @OptionGroup var key: KeyOption
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
      Never make other processes wait. If they write without a pause, changes may be printed late, and \
      the write-ahead log becomes as long as the database.
      """)
  var neverDelay = false

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
  }

  func run() throws {
    let makeOutput = try makeOutput()
    let select = source.readSelect()
    let (file, source, key, delaysWriters) = (file, source, key.key, !neverDelay)
    let watch = ResultWatch(
      open: {
        let database = try file.openForWatching(delayingWriters: delaysWriters)
        let query = try RowQuery(source, select: select, key: key, in: database)
        return ResultWatch.Source(database: database, query: query)
      }, count: untilChange ? 1 : count, isQuiet: output.quiet)
    // On a terminal such a line would be drawn into the table.
    let printsChanges = !Console.isTerminal || !Terminal.standardOutput.isTerminal
    let stats = stats
    try AsyncWork.runToEnd {
      try await watch.run { query in
        let output = makeOutput(query)
        return stats ? StatisticsOutput(of: output, printsChanges: printsChanges) : output
      }
    }
  }

  private func makeOutput() throws -> @Sendable (RowQuery) -> any WatchOutput {
    let isTerminal = Terminal.standardOutput.isTerminal
    switch output.format.format ?? (isTerminal ? .table : .ndjson) {
    case .ndjson:
      let old = old
      return { EventOutput($0, writesOldRows: old) }
    case _ where old:
      throw ToolError("--old needs events: use --format ndjson")
    case .table where isTerminal:
      let (format, showsIndex) = (output.format, output.index)
      return { ScreenOutput($0, showsIndex: showsIndex, format: format) }
    case .table:
      throw ToolError("--format table needs a terminal to draw on. Use ndjson")
    case let format:
      throw ToolError(
        "watch cannot print the format \(format). Use ndjson, or table on a terminal")
    }
  }
}

/// The columns that identify a row when versions are compared.
struct KeyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The columns that identify a row. The default is the key of a table, or what a view or SELECT \
      joins or groups by, if its columns show it. A row without a key is identified by its content.
      """, valueName: "a,b"))
  var key: String?
}
