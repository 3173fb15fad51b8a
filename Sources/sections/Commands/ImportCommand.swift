import ArgumentParser
import FetchedResults
import SQLiteStorage

/// `sections import`: writes the records of a JSON file to a table.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Write the records of a JSON file to a table.",
    discussion: """
      The file is an array of objects, whose names are columns; columns that are left out have \
      their default. All is one transaction. A record that does not fit is told with its place and \
      left out, the others stay, and the exit status is 65. A file that is not JSON changes nothing.

      Examples:
        sections import music.db tracks.json --into Track
        sections query old.db Track --format json | jq 'map(.rows[])' | \
      sections import music.db - --into Track
      """)

  @OptionGroup var file: DatabaseOptions

  @Argument(help: "A JSON file; or - for standard input.", completion: .file())
  var records: String

  @Option(help: ArgumentHelp("The table.", valueName: "table"))
  var into: String

  @Flag(help: "Show no progress.")
  var quiet = false

  /// How many refusals are told one by one. A file with the wrong columns would fill the screen.
  static let refusalLimit = 100

  func run() throws {
    let records = try parse(try InputFile(records))
    let database = try file.openForWriting(creating: false)
    var refusals: [ImportRefusal] = []
    let summary = try ProgressIndicator.show("Importing …", isQuiet: quiet) {
      try database.write { connection in
        try connection.importRecords(records, into: into) { refusal in
          if refusals.count < Self.refusalLimit { refusals.append(refusal) }
        }
      }
    }
    for refusal in refusals { Failure.report("\(refusal)") }
    if summary.refusedCount > refusals.count {
      Failure.report("… and \(summary.refusedCount - refusals.count) more records were refused")
    }
    let report = Report()
    let noun = summary.importedCount == 1 ? "record" : "records"
    let refused = summary.refusedCount > 0 ? ", refused \(summary.refusedCount)" : ""
    report.line("imported \(summary.importedCount) \(noun) into \(into)\(refused)")
    try report.end()
    if summary.refusedCount > 0 { throw ExitCode(ExitStatus.badData.rawValue) }
  }

  private func parse(_ file: InputFile) throws -> JSONRecords {
    do {
      return try JSONRecords(file.bytes)
    } catch {
      throw InputError(
        description: "\(file.name): \(error). Correct it there; nothing was imported",
        status: .badData)
    }
  }
}
