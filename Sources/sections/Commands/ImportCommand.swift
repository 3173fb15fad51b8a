import ArgumentParser
import RecordImporting
import SQLiteStorage

/// `sections import`: writes the records of a JSON file to a table.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Write the records of a JSON file to a table.",
    discussion: """
      The file is one JSON array of objects; NDJSON is not read. Each name in an object is a column; \
      missing columns get their defaults. A blob is {"base64": "…"}. Rows are only added. All \
      records are written in one transaction. A record that cannot be written, because its key \
      exists for example, is skipped and reported by its number, and the exit status is then 65. A \
      file that is not JSON changes nothing.

      Examples:
        sections import chinook.db tracks.json --into Track
        sections query old.db Track --format json | jq 'map(.rows[])' |
          sections import chinook.db - --into Track
      """)

  @OptionGroup var file: DatabaseOptions

  @Argument(help: "A JSON file or pipe; or - for standard input.", completion: .file())
  var records: String

  @Option(help: ArgumentHelp("The table to write to.", valueName: "table"))
  var into: String

  @Flag(help: "Show no progress.")
  var quiet = false

  /// The number of rejected records that are reported one by one. A file with the wrong columns
  /// would fill the screen.
  static let refusalLimit = 100

  func run() throws {
    let path = records
    let records = try ProgressIndicator.show("Reading …", isQuiet: quiet) {
      try parse(try InputFile(path))
    }
    let database = try file.openForWriting(creating: false)
    var refusals: [ImportRefusal] = []
    let summary = try ProgressIndicator.show("Importing …", isQuiet: quiet) {
      try database.write { connection in
        try connection.importRecords(records, into: into) { refusal in
          if refusals.count < Self.refusalLimit { refusals.append(refusal) }
        }
      }
    }
    for refusal in refusals { Console.report("\(refusal)") }
    if summary.refusedCount > refusals.count {
      Console.report("… and \(summary.refusedCount - refusals.count) more records were skipped")
    }
    let report = Report()
    let skipped = summary.refusedCount > 0 ? ", skipped \(summary.refusedCount)" : ""
    report.line("imported \("record".counted(summary.importedCount)) into \(into)\(skipped)")
    try report.end()
    if summary.refusedCount > 0 { throw ExitCode(ExitStatus.badData.rawValue) }
  }

  private func parse(_ file: InputFile) throws -> JSONRecords {
    do {
      return try JSONRecords(file.bytes)
    } catch {
      throw ToolError("\(file.name): \(error). Nothing was imported", .badData)
    }
  }
}
