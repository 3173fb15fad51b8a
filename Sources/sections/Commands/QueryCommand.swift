import ArgumentParser
import RowQueries

/// `sections query`: prints rows once.
struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Print rows in sections.",
    discussion: """
      Examples:
        sections query music.db Track --by GenreId --sort Name
        sections query music.db Track --by GenreId --total 'sum(Bytes)'
        sections query music.db Track --where 'Bytes > :n' -p n=300000 --format csv
        sections query music.db 'SELECT City, Email FROM Customer' --by City
      """)

  @OptionGroup var file: DatabaseOptions
  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    if !source.rows.total.isEmpty { try output.format.requireTotals() }
    let select = source.readSelect()
    let database = try file.openForReading()
    try ResultPrinter(output).print(
      try RowQuery(source, select: select, in: database), from: database)
  }
}
