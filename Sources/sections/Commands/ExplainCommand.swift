import ArgumentParser
import FetchedResults
import FetchedResultsExplaining
import RowQueries
import SQLiteStorage

/// `sections explain`: prints how a result is kept up to date.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract:
      "Print how the rows are kept up to date when the database changes, and what that costs.",
    discussion: """
      The first line is the verdict. Below it, for each table, are the queries that find the rows \
      affected by a change, SQLite's plan of each query, and the time measured for one existing \
      row. The last lines are CREATE INDEX statements that would help, tried on an empty copy of \
      the schema. Nothing is written to the file.

      The format json is for programs: one object with the verdict (touchedRows: only changed rows \
      are looked up; partlyTouchedRows: those of some tables; comparison: all rows are compared \
      after each commit), the summary, the reason, the key, the derivations with their queries, \
      plans and costs in seconds, the query for one row, the indexes, and verdictWithIndexes, the \
      verdict if they existed. copied says whether the rows are \
      packed, which means kept in memory; held names the aggregates that have a counter.

      Examples:
        sections explain chinook.db Track --by GenreId --sort Name
        sections explain shop.db 'SELECT * FROM recent' --key id --format json
      """)

  @OptionGroup var file: DatabaseOptions
  @OptionGroup var source: SourceOptions
  @OptionGroup var key: KeyOption

  enum Format: String, CaseIterable, ExpressibleByArgument { case list, json }

  @Option(help: "The output format.")
  var format = Format.list

  @OptionGroup var style: StyleOptions

  @Flag(help: "Run no query: print no times.")
  var noMeasure = false

  @Flag(help: "Show no progress.")
  var quiet = false

  func run() throws {
    let select = try InputFile.select(source.source)
    let database = try file.openForReading()
    let query = try database.read { try source.arguments(select: select, key).query(in: $0) }
    let explanation = try ProgressIndicator.show("Explaining …", isQuiet: quiet) {
      try query.reading {
        try query.request.explained(
          in: database, sectionedBy: query.sectionKey, isMeasured: !noMeasure)
      }
    }
    let output = OutputBuffer.standardOutput()
    switch format {
    case .list: ExplanationWriter(to: output, options: style.terminalOptions).write(explanation)
    case .json:
      output.append(explanation)
      output.append("\n")
    }
    try output.flush()
  }
}
