import ArgumentParser
import CLibrary
import FetchedResults
import Foundation
import RowQueries
import SQLiteStorage

/// `sections log`: prints every row that anyone changes, before and after.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Print every row that any process inserts, updates or deletes, before and after.",
    discussion: """
      Each version of the file that is seen is a batch with the rows that differ from the version \
      before. If transactions follow each other fast, a batch has those of several. A row that is \
      as it was is not printed. No trigger is added to the file. In WAL mode no writer waits.

      On a terminal each row is a line: - deleted, + inserted, = updated, with the columns that \
      have changed. In a pipe each batch is a line of JSON, after a first line with the number 0 \
      when the log begins. A change of the schema is printed too. A batch has a gap if the \
      write-ahead log does not tell what happened: if it is bridged, both versions were compared, \
      and nothing is missing; otherwise what happened before is not known. Files that are not in \
      WAL mode are always compared, for which each version is copied: PRAGMA journal_mode = WAL \
      avoids that.

      A row without a primary key has its rowid as key. The rows of virtual tables are left out.

      Examples:
        sections log app.db
        sections log app.db track album --format ndjson > changes.ndjson
        sections log app.db track --where 'rating > 3'
        sections log app.db --since yesterday.db
        sections log app.db --exec 'curl --fail --json @- https://example.com/changes'
        sections log app.db --state audited.db --exec ./audit
      """)

  @OptionGroup var file: DatabaseOptions

  @Argument(help: "The tables; all of the file if none is named.")
  var tables: [String] = []

  @Option(
    help: ArgumentHelp("Leave out these tables. It may be repeated.", valueName: "a,b"))
  var except: [String] = []

  @Option(
    help: ArgumentHelp(
      "Print only these columns, and no row in which none of them changes. It may be repeated.",
      valueName: "a,b"))
  var columns: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      """
      Print only the rows of which this SQL condition is true, before or after. Repeat it for \
      several conditions.
      """, valueName: "sql"))
  var conditions: [String] = []

  @Option(
    help: ArgumentHelp(
      "Print first what differs from this copy of the database.", valueName: "file"),
    completion: .file())
  var since: String?

  @Option(
    help: ArgumentHelp(
      """
      Keep a copy of the database in this file, with everything that was printed. If it is there, \
      print first what has changed since: so nothing is missed while the log does not run. It is \
      written after each batch.
      """, valueName: "file"), completion: .file())
  var state: String?

  enum Format: String, CaseIterable, ExpressibleByArgument { case list, ndjson, sql, changeset }

  @Option(
    help: """
      The output format. The default is list on a terminal and ndjson in a pipe. sql is \
      transactions for a copy of the database; changeset is SQLite's binary format, each batch \
      after its length as an integer of 8 bytes, the highest first.
      """)
  var format: Format?

  @Option(
    help: ArgumentHelp(
      """
      Run this command of the shell for each batch, one after the other, with its JSON on standard \
      input, and print nothing. If it fails, the log ends.
      """, valueName: "command"))
  var exec: String?

  enum GapPolicy: String, CaseIterable, ExpressibleByArgument { case tell, fail }

  @Option(help: "What to do if the write-ahead log does not tell what happened.")
  var onGap = GapPolicy.tell

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("End after this many batches.", valueName: "n"))
  var count: Int?

  @OptionGroup var style: StyleOptions

  func validate() throws {
    if let count, count < 1 {
      throw ValidationError("--count must be a number of batches, 1 or more")
    }
    if since != nil, state != nil {
      throw ValidationError("--since and --state cannot be used together")
    }
    if let state, LogCommand.isSameFile(state, file.database) {
      throw ValidationError("--state must be another file: it would take the place of \(state)")
    }
    if exec != nil, format != nil {
      throw ValidationError("--exec gets ndjson. Leave out --format")
    }
    try RowOptions.requireConditions(conditions)
    if !conditions.isEmpty, format == .sql || format == .changeset {
      throw ValidationError(
        "--where cannot be printed as \(format?.rawValue ?? ""): a copy would lack rows")
    }
    if !columns.isEmpty, format == .sql || format == .changeset {
      throw ValidationError("--columns cannot be printed as \(format?.rawValue ?? "")")
    }
  }

  /// Whether two paths lead to the same file: by its number, as a file may have two names, and a file system may ignore case.
  private static func isSameFile(_ path: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    if stat(path, &first) == 0, stat(other, &second) == 0 {
      return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
    func resolved(_ path: String) -> String {
      URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
    return resolved(path).exact == resolved(other).exact
  }

  func run() throws {
    let file = file
    let names = try names()
    let output = try makeOutput(names)
    let follower = LogFollower(
      open: { try file.openForWatching() }, tables: loggedTables,
      except: names.except, condition: RowOptions.all(conditions),
      since: since.map { DatabaseOptions($0, file.lock) }, state: state,
      failsAtGaps: onGap == .fail, count: count, endsWithReader: exec == nil)
    try AsyncWork.runToEnd { try await follower.run(to: output) }
  }

  /// The names of the tables; nil for all.
  private var loggedTables: [String]? { tables.isEmpty ? nil : tables }

  /// What lists separated by commas name, as the file spells it.
  private struct Names {
    var except: [String] = []
    var columns: [String] = []
  }

  /// - Throws: `FetchError` for a table or a column that does not exist. Another file, which takes the place of this one
  ///   later, need not have them.
  private func names() throws -> Names {
    guard !except.isEmpty || !columns.isEmpty else { return Names() }
    return try file.openForReading().read { connection in
      let tables = try connection.tables()
      func names(
        _ lists: [String], of known: [String], _ error: (String) throws -> any Error
      ) throws -> [String] {
        // An empty one names nothing, as if it was not there.
        try ListedNames(known).names(in: lists.filter { !$0.isEmpty }, error: error)
      }
      let logged = tables.filter { $0.kind == .table }
      return Names(
        except: try names(except, of: tables.map(\.name), connection.noSuchTable),
        columns: try names(columns, of: logged.flatMap { $0.columns.map(\.name) }) {
          FetchError(.noSuchColumn, "no table has a column \($0.quotedIfBlank)", nextStep: nil)
        })
    }
  }

  private func makeOutput(_ names: Names) throws -> any LogOutput {
    let columns = LoggedColumns(names.columns)
    if let exec { return CommandLogOutput(exec, columns) }
    let isTerminal = Terminal.standardOutput.isTerminal
    switch format ?? (isTerminal ? .list : .ndjson) {
    case .list: return ListLogOutput(columns, style: style)
    case .ndjson: return EventLogOutput(columns)
    case .sql:
      return StatementLogOutput(tables: loggedTables, except: names.except)
    case .changeset:
      if isTerminal { throw ToolError("a changeset is binary. Write it to a file or a pipe") }
      return ChangesetLogOutput()
    }
  }
}
