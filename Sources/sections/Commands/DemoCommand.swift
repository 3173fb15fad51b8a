import ArgumentParser
import FetchedResults
import Foundation
import RowQueries
import SQLiteStorage

/// `sections demo`: builds the demo store and prints it.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Create a sample music database and print it in sections.",
    discussion: """
      Without a file the database is temporary.

      Examples:
        sections demo demo.db
        sections watch demo.db cover_list --by artist --sort position
      """)

  @Argument(
    help: "The file to create, or one of an earlier demo. By default, a temporary file.",
    completion: .file())
  var database: String?

  @Option(
    help: "A folder with migrations to create the database from, instead of the built-in ones.",
    completion: .directory)
  var dir: String?

  @OptionGroup var format: FormatOption
  @OptionGroup var output: OutputOptions

  func run() throws {
    if output.index { try format.require("--index", where: \.hasIndex) }
    let migrator = try dir.map { try Migrator(folder: $0) } ?? .demoStore()
    let database = try openStore()
    _ = try migrator.up(database)
    for arguments in DemoCommand.queries {
      // The output is exactly that of the command line.
      let words = ["sections", "query", self.database ?? "DB"] + arguments
      let line = words.map(shellQuoted).joined(separator: " ")
      Console.write("\n$ \(line.visiblyEscaped)\n")
      try database.read { connection in
        let query = try SourceOptions.parse(arguments).arguments().query(in: connection)
        try ResultPrinter(format, output).print(query, in: connection)
      }
    }
  }

  private func openStore() throws -> Database {
    guard let path = database else { return try .temporary() }
    if FileManager.default.fileExists(atPath: path) {
      // Before it is opened for writing, which changes its journal mode.
      let tables = try Database.opened(at: path, access: .readOnly, .init()).read {
        try $0.tables().map(\.name)
      }
      guard tables.isEmpty || tables.contains("schema_migrations") else {
        throw ToolError(
          "\(path) has other tables. Name a file that does not exist yet")
      }
    }
    return try .opened(at: path, access: .readWriteCreate, .init())
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

/// The word, quoted so that a shell reads it as one.
func shellQuoted(_ word: String) -> String {
  let isPlain = word.allSatisfy { $0.isLetter || $0.isNumber || "-_=:,./".contains($0) }
  guard !isPlain || word.isEmpty else { return word }
  let parts = word.split(separator: "'", omittingEmptySubsequences: false)
  return "'\(parts.joined(separator: "'\\''"))'"
}
