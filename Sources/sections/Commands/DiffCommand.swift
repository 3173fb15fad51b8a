import ArgumentParser
import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// `sections diff`: prints the differences between the rows of two databases.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Print the changes from the rows of one database to those of another.",
    discussion: """
      On a terminal each change is a line: - deleted, + inserted, > moved, = updated. In a pipe all \
      changes are one line of JSON, as watch prints them. If nothing differs, nothing is printed. \
      The exit status is 0 either way.

      Examples:
        sections diff yesterday.db today.db Track --by GenreId --sort Name
        sections diff old.db new.db 'SELECT id, total FROM summary' --key id
      """)

  @Argument(help: "The old database file.", completion: .file())
  var old: String

  @Argument(help: "The new database file.", completion: .file())
  var new: String

  @OptionGroup var lock: LockOptions
  @OptionGroup var source: SourceOptions
  @OptionGroup var key: KeyOption

  enum Format: String, CaseIterable, ExpressibleByArgument { case list, ndjson }

  @Option(help: "The output format. The default is list on a terminal and ndjson in a pipe.")
  var format: Format?

  @OptionGroup var style: StyleOptions

  @Flag(help: "Show no progress.")
  var quiet = false

  func run() throws {
    let select = try InputFile.select(source.source)
    let oldDatabase = try DatabaseOptions(old, lock).openForReading()
    let newDatabase = try DatabaseOptions(new, lock).openForReading()
    let query = try query(select, in: oldDatabase)
    try requireColumns(of: try self.query(select, in: newDatabase), in: query)
    // Both versions are read until all is written, so that no rows are kept in memory.
    try oldDatabase.withSnapshot { _ in
      try newDatabase.withSnapshot { _ in try write(query, oldDatabase, newDatabase) }
    }
  }

  private func write(_ query: RowQuery, _ old: Database, _ new: Database) throws {
    let comparison = try ProgressIndicator.show("Comparing …", isQuiet: quiet) {
      try query.reading {
        try query.request.compared(
          from: old, to: new, sectionedBy: query.sectionKey, keepsRows: false)
      }
    }
    guard let old = comparison.old, !comparison.changes.isEmpty else { return }
    let output = OutputBuffer.standardOutput()
    let isTerminal = Terminal.standardOutput.isTerminal
    if (format ?? (isTerminal ? .list : .ndjson)) == .ndjson {
      try EventWriter(query, to: output)
        .write(comparison.changes, from: old, to: comparison.new, version: 1)
      try output.flush()
    } else {
      try DifferenceWriter(
        query, to: output, options: style.terminalOptions,
        from: old, to: comparison.new
      ).write(comparison.changes)
    }
  }

  /// The request that the arguments describe, in one of the databases.
  private func query(_ select: String?, in database: Database) throws -> RowQuery {
    do {
      return try database.read { try source.arguments(select: select, key).query(in: $0) }
    } catch let error as FetchError {
      // Both databases have tables, so the message must name the one with the error.
      throw error.located(in: database.path)
    }
  }

  private func requireColumns(of new: RowQuery, in old: RowQuery) throws {
    guard new.columns.map(\.sqliteFolded) != old.columns.map(\.sqliteFolded) else { return }
    throw FetchError(
      .incomparable,
      "the columns differ: \(old.columns.listed) in the old result, \(new.columns.listed) in the new",
      nextStep: "Use --columns with names that both have")
  }
}
