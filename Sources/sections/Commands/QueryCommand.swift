import ArgumentParser
import RowQueries
import SQLiteStorage

/// `sections query`: prints rows once.
struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Print rows in sections.",
    discussion: """
      csv and tsv cannot hold totals. In a pipe the default is tsv, so --total needs another \
      --format there. The examples use the Chinook sample database.

      Examples:
        sections query chinook.db Track --by GenreId --sort Name
        sections query chinook.db Track --by GenreId --total count --format list
        sections query chinook.db Track --where 'Bytes > :n' -p n=300000 --format csv
        sections query chinook.db 'SELECT City, Email FROM Customer' --by City
      """)

  @OptionGroup var file: DatabaseOptions
  @OptionGroup var source: SourceOptions
  @OptionGroup var format: FormatOption
  @OptionGroup var output: OutputOptions

  func validate() throws { try output.requireSections(by: source.rows.by) }

  func run() throws {
    if !source.rows.total.isEmpty { try format.require("--total", where: \.hasTotals) }
    if output.index { try format.require("--index", where: \.hasIndex) }
    let select = try InputFile.select(source.source)
    // All that is read is of one version.
    try file.openForReading().withSnapshot { version in
      try version.read { connection in
        let query = try source.arguments(select: select).query(in: connection)
        try ResultPrinter(format, output).print(query, in: connection)
      }
    }
  }
}
