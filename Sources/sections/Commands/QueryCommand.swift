import ArgumentParser
import RowQueries

/// `sections query`: prints rows once.
struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Print rows in sections.",
    discussion: """
      csv and tsv cannot hold totals: with --total, and in a pipe, choose another --format. The \
      examples use the Chinook sample database.

      Examples:
        sections query music.db Track --by GenreId --sort Name
        sections query music.db Track --by GenreId --total 'sum(Bytes)' --format list
        sections query music.db Track --where 'Bytes > :n' -p n=300000 --format csv
        sections query music.db 'SELECT City, Email FROM Customer' --by City
      """)

  @OptionGroup var file: DatabaseOptions
  @OptionGroup var source: SourceOptions
  @OptionGroup var format: FormatOption
  @OptionGroup var output: OutputOptions

  func validate() throws { try output.requireSections(by: source.rows.by) }

  func run() throws {
    if !source.rows.total.isEmpty { try format.require("--total", where: \.hasTotals) }
    if output.index { try format.require("--index", where: \.hasIndex) }
    let select = try source.readSelect()
    let database = try file.openForReading()
    try ResultPrinter(format, output).print(
      try RowQuery(source, select: select, in: database), from: database)
  }
}
