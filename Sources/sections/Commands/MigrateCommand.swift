import ArgumentParser
import Foundation
import SQLiteStorage

/// `sections migrate`: migrates a database to a version of its schema.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Apply the migrations of a folder to a database.",
    discussion: """
      A migration is a file NNNN_snake_name.sql. NNNN_snake_name.down.sql, if it exists, reverts \
      it. The table schema_migrations records which migrations are applied.
      """,
    subcommands: [Up.self, Down.self, Status.self, Verify.self, New.self])

  /// The folder of the migrations, which all subcommands read.
  struct Folder: ParsableArguments {
    @Option(help: "The folder with the migrations.", completion: .directory)
    var dir = "Migrations"

    func migrator() throws -> Migrator { try Migrator(folder: dir) }
  }

  /// A run in one direction, and whether to keep the result.
  struct Run: ParsableArguments {
    @OptionGroup var file: DatabaseOptions
    @OptionGroup var folder: Folder

    @Flag(help: "Run everything, then roll it back.")
    var dryRun = false

    @Flag(help: "Show no progress.")
    var quiet = false

    /// Runs the migrations, and reports each step when it is done.
    func run(_ direction: Migration.Direction, to: Int?) throws {
      let migrator = try folder.migrator()
      let database = try open(for: direction)
      let report = Report()
      // One for each migration: nothing else may be printed before its end.
      var indicator = ProgressIndicator("Migrating …", isQuiet: quiet)
      defer { indicator.end() }
      let steps = try (direction == .up ? migrator.up : migrator.down)(database, to, dryRun) {
        indicator.end()
        report.line(line(about: $0))
        indicator = ProgressIndicator("Migrating …", isQuiet: quiet)
      }
      indicator.end()
      if steps.isEmpty {
        report.line(direction == .up ? "nothing to apply" : "nothing to revert")
      }
      try report.end()
    }

    private func line(about step: Migration.Step) -> String {
      let verb =
        switch (step.direction, dryRun) {
        case (.up, false): "applied"
        case (.up, true): "would have applied"
        case (.down, false): "reverted"
        case (.down, true): "would have reverted"
        }
      let milliseconds = Int((step.duration / .milliseconds(1)).rounded())
      return "\(verb) \(step.fileName) (\(milliseconds) ms)"
    }

    private func open(for direction: Migration.Direction) throws -> Database {
      // There is nothing to revert in a new file.
      guard direction == .up else { return try file.openForWriting(creating: false) }
      // A dry run must not leave a new file behind.
      if dryRun, !FileManager.default.fileExists(atPath: file.database) {
        return try .temporary()
      }
      return try file.openForWriting()
    }
  }

  struct Up: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Apply the pending migrations.",
      discussion: "The database is created if it does not exist.")
    @OptionGroup var options: MigrateCommand.Run

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "The number of the last migration to apply, such as 12 for 0012_add_note.sql.",
        valueName: "number"))
    var to: Int?

    func run() throws { try options.run(.up, to: to) }
  }

  struct Down: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revert the newest migration, or all above --to.")
    @OptionGroup var options: MigrateCommand.Run

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(
        "Revert all migrations above this number, which stays; 0 reverts all.", valueName: "number")
    )
    var to: Int?

    func run() throws { try options.run(.down, to: to) }
  }

  struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the state of every migration.")

    @OptionGroup var file: DatabaseOptions
    @OptionGroup var folder: Folder

    @Flag(help: "Exit with 1 if a migration is pending, edited or missing.")
    var check = false

    func run() throws {
      let statuses = try folder.migrator().status(of: try file.openForReading())
      let report = Report()
      for status in statuses {
        let detail = status.appliedAt.map { " \($0.formatted(.iso8601))" } ?? ""
        report.line("\(status.fileName)  \(status.state.rawValue)\(detail)")
      }
      try report.end()
      for problem in statuses.compactMap(\.problem) { Console.report("\(problem)") }
      if check, statuses.contains(where: { $0.state != .applied }) { throw ExitCode(1) }
    }
  }

  struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check that the applied migrations are those of the folder.",
      discussion:
        "The exit status is 65 if not. Pending migrations are no error: see status --check."
    )

    @OptionGroup var file: DatabaseOptions
    @OptionGroup var folder: Folder

    func run() throws {
      try folder.migrator().verify(try file.openForReading())
      let report = Report()
      report.line("verified")
      try report.end()
    }
  }

  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create the files of the next migration.",
      discussion: """
        The files are made in --dir, and are empty. The database need not exist; if it does, its \
        applied migrations are checked against the folder first.
        """
    )

    @OptionGroup var file: DatabaseOptions
    @OptionGroup var folder: Folder

    @Argument(help: "The name, in snake_case, such as add_rating.")
    var name: String

    func run() throws {
      if FileManager.default.fileExists(atPath: file.database),
        FileManager.default.fileExists(atPath: folder.dir)
      {
        try folder.migrator().verify(try file.openForReading())
      }
      let created = try Migrator.createFiles(named: name, in: folder.dir)
      let report = Report()
      report.line("created \(created.up) and \(created.down)")
      try report.end()
    }
  }
}
