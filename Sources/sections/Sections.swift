import ArgumentParser
import SQLiteStorage

/// The command line tool: prints the rows of SQLite databases in sections.
@main
struct Sections: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sections",
    abstract: "Print the rows of SQLite databases in sections, and what changes in them.",
    discussion: """
      Data goes to standard output, messages to standard error. Databases are opened read-only \
      unless the command writes.

      Exit status: 0 success, 64 usage, 65 bad SQL or data, 66 no such database, 70 internal error, \
      74 input/output error or damaged file, 75 busy, 77 permission denied or read-only, 130 \
      interrupted (SIGINT), 143 terminated (SIGTERM).
      """,
    version: "sections 0.1.0 (SQLite \(Connection.sqliteVersion))",
    subcommands: [
      QueryCommand.self, WatchCommand.self, DiffCommand.self, SchemaCommand.self,
      ImportCommand.self, MigrateCommand.self, DemoCommand.self,
    ])

  static func main() {
    StandardStreams.reserve()
    do { try StandardStreams.checkLimit() } catch { Failure.exit(with: error) }
    var failure: (any Error)?
    Interruption.listening {
      do {
        var command = try parseAsRoot()
        try command.run()
      } catch {
        failure = error
      }
    }
    if let failure { Failure.exit(with: failure) }
  }
}
