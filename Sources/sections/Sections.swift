import ArgumentParser
import CLibrary
import RowQueries
import SQLiteStorage

/// The command line tool: prints the rows of SQLite databases in sections.
@main
struct Sections: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sections",
    abstract: "Print the rows of SQLite databases in sections, and what changes in them.",
    discussion: """
      Examples:
        sections demo music.db
        sections query music.db track --by rating --sort name
        sections watch music.db 'SELECT rating, count(*) FROM track GROUP BY rating'
        sections log music.db
        sections serve music.db

      Results go to standard output, errors and progress to standard error. Only import, migrate \
      up, migrate down and demo change the content of a database. watch, log and serve may copy a \
      long write-ahead log into the file.

      Exit status: 0 success; 1 a difference that generate --check or migrate status --check \
      found; 64 usage; 65 bad SQL or data; 66 no such file or folder; 70 internal error; 74 \
      input/output error, or a file that is damaged or not a database; 75 busy; 77 permission \
      denied or read-only; 129 hung up (SIGHUP); 130 interrupted (SIGINT); 143 terminated (SIGTERM).
      """,
    version: ([
      "sections \(ToolVersion.number) (SQLite \(Connection.sqliteVersion))"
    ] + SQLiteIssues(of: Connection.sqliteVersion).descriptions).joined(separator: "\n"),
    subcommands: [
      QueryCommand.self, WatchCommand.self, LogCommand.self, ServeCommand.self, DiffCommand.self,
      ExplainCommand.self, SchemaCommand.self, GenerateCommand.self, ImportCommand.self,
      MigrateCommand.self, DemoCommand.self,
    ])

  static func main() {
    StandardStreams.reserve()
    do { try StandardStreams.checkLimit() } catch { end(with: error) }
    var failure: (any Error)?
    Interruption.listening {
      do {
        try perform(Array(CommandLine.arguments.dropFirst()))
      } catch {
        failure = error
      }
    }
    if let failure { end(with: failure) }
  }
}

// MARK: - Arguments

extension Sections {
  /// Parses arguments, and runs their command.
  static func perform(_ arguments: [String]) throws {
    var command = try parsed(arguments)
    try command.run()
  }

  /// Parses arguments, and runs nothing.
  static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    try requireCommand(arguments.first)
    return try parseAsRoot(arguments)
  }

  /// The parser would call the name of a command that does not exist an unexpected argument.
  private static func requireCommand(_ name: String?) throws {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    guard let name, !name.hasPrefix("-"), !names.contains(name) else { return }
    // Two letters in another order are one removed and one inserted.
    let similar = names.first { $0.difference(from: name).count <= 2 }
    throw ToolError(
      "there is no command \(name). "
        + (similar.map { "Did you mean \($0)?" } ?? "See 'sections --help'"))
  }
}

// MARK: - Errors

extension Sections {
  /// How an error ends the tool.
  enum Ending {
    /// With the help or the version, which was asked for.
    case answer(String)
    case failure(ExitStatus, message: String)
    /// With a status alone.
    case status(Int32)
  }

  /// - Parameter columns: the width of a help; nil for that of the terminal.
  static func ending(with error: any Error, columns: Int? = nil) -> Ending {
    let code = exitCode(for: error)
    switch code {
    case .failure where !(error is ExitCode):  // Not an error of the parser's.
      let message = (error as? DatabaseError)?.commandLineDescription ?? "\(error)"
      return .failure(ExitStatus(error), message: message)
    case .validationFailure: return .failure(.usage, message: usageMessage(for: error))
    case .success: return .answer(fullMessage(for: error, columns: columns) + "\n")
    default: return .status(code.rawValue)
    }
  }

  /// Ends the tool, with one line on standard error and the exit status for the error.
  private static func end(with error: any Error) -> Never {
    switch ending(with: error) {
    case .answer(let text):
      do {
        let output = OutputBuffer.standardOutput()
        output.append(text: text)
        try output.flush()
        libcExit(ExitStatus.success.rawValue)
      } catch {
        end(with: error)
      }
    case .failure(let status, let message):
      // No message if the reader of a pipe has closed it, or the user has stopped the tool.
      switch status {
      case .success: break
      case .interrupted, .terminated, .hungUp: Console.endLineOfInterrupt()
      default: Console.report(message)
      }
      libcExit(status.rawValue)
    case .status(let status): libcExit(status)
    }
  }

  /// The parser's message in one line, with the command that prints the help.
  private static func usageMessage(for error: any Error) -> String {
    let lines = Self.message(for: error).split(separator: "\n").map(\.trimmed)
    let items = lines.filter { $0.hasPrefix("- ") }.map { $0.dropFirst(2) }
    var message = lines.filter { !$0.hasPrefix("- ") }.joined(separator: " ")
    if !items.isEmpty { message += " " + items.joined(separator: ", ") }
    // The parser names the subcommand only in its full message: See 'sections query --help' for …
    let help = fullMessage(for: error).split(separator: "'")
      .last { $0.hasPrefix("sections") && $0.hasSuffix("--help") }
    if message.last.map({ ".?".contains($0) }) != true { message += "." }
    return message.prefix(1).lowercased() + message.dropFirst()
      + " See '\(help ?? "sections --help")'"
  }
}

// With another name, as `exit` inside the command would find the method.
private func libcExit(_ status: Int32) -> Never { exit(status) }
