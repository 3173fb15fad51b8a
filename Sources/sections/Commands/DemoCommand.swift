import ArgumentParser
import FetchedResults
import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// `sections demo`: builds the demo store and prints it.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Build the demo store from its migrations and print it in sections.")

  @Argument(
    help: "Where to put the store, so that it can be queried afterwards.", completion: .file())
  var database: String?

  @OptionGroup var folder: MigrateCommand.Folder
  @OptionGroup var output: OutputOptions

  func run() throws {
    let database = try database.map { try Database(path: $0) } ?? Database.inMemory()
    Interruption.watch(database)
    _ = try folder.migrator().up(database)
    let buffer = OutputBuffer(fileDescriptor: STDOUT_FILENO)
    let choice = FormatChoice(output, terminal: Terminal(fileDescriptor: STDOUT_FILENO))
    for arguments in DemoCommand.queries {
      // What is printed is exactly what the command line would print.
      let options = try SourceOptions.parse(arguments)
      Failure.standardError(
        "\n$ sections query \(self.database ?? "DB") \(arguments.map(shellQuoted).joined(separator: " "))\n"
      )
      try ResultPrinter(
        writer: choice.writer(to: buffer), showsIndex: output.index, isQuiet: output.quiet
      ).print(
        try RowQuery(options, in: database, standardInput: StandardInput.read), from: database)
    }
  }

  private static let queries = [
    ["cover_list", "--by", "artist", "--sort", "position", "--columns", "label,release_year"],
    ["setting", "--by", "section", "--sort", "position", "--columns", "label,kind,value"],
    [
      "track", "--by", "rating", "--sort", "rating:desc,name:nocase", "--where",
      "milliseconds > :min", "-p", "min=300000", "--columns", "name,milliseconds",
    ],
  ]
}

/// The word as a shell takes it for one.
private func shellQuoted(_ word: String) -> String {
  let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "-_=:,./".contains($0) }
  return isPlain
    ? word
    : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
}
