import ArgumentParser

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `sections query`: prints rows once.
struct QueryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Print rows in sections.",
    discussion: """
      Examples:
        sections query music.db Track --by GenreId --sort Name
        sections query music.db Track --where 'Milliseconds > :min' -p min=300000 --format csv
        sections query music.db 'SELECT Country, count(*) AS n FROM Customer GROUP BY 1' --sort n:desc
      """)

  @OptionGroup var file: DatabaseOptions
  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let database = try file.openForReading()
    let query = try RowQuery(source, in: database, standardInput: StandardInput.read)
    let choice = FormatChoice(output, terminal: Terminal(fileDescriptor: STDOUT_FILENO))
    let printer = ResultPrinter(
      writer: choice.writer(to: OutputBuffer(fileDescriptor: STDOUT_FILENO)),
      showsIndex: output.index, isQuiet: output.quiet)
    try printer.print(query, from: database)
  }
}
