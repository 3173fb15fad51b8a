import ArgumentParser
import FetchedResults
import RowQueries
import SQLiteStorage

/// `sections generate`: prints Swift records for tables.
struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Print Swift records for tables, with the list of their columns.",
    discussion: """
      Each table becomes a struct that conforms to FetchableRecord. The type of a property follows \
      from the declared type of its column; a column that may be NULL is optional, and so is an \
      INTEGER PRIMARY KEY, which SQLite assigns if it is nil.

      A view that cannot be read is left out if no tables are named. The error says which, and the exit \
      status is 65.

      With --check, nothing is generated: the lines that differ from FILE are printed, and the exit \
      status is 1 if there are any.

      Examples:
        sections generate chinook.db Track Album > Records.swift
        sections generate chinook.db Track Album --check Records.swift
      """)

  @OptionGroup var file: DatabaseOptions

  @Argument(help: "The tables and views; none for all.")
  var tables: [String] = []

  @Option(
    help: ArgumentHelp("Compare with this file, or - for standard input.", valueName: "file"),
    completion: .file())
  var check: String?

  func run() throws {
    let (records, errors) = try file.openForReading().read(records)
    let source = records.source
    defer { for error in errors { Console.report("\(error)") } }
    let output = OutputBuffer.standardOutput()
    guard let check else {
      output.append(text: source)
      try output.flush()
      if !errors.isEmpty { throw ExitCode(ExitStatus.badData.rawValue) }
      return
    }
    let input = try InputFile(check)
    let lines = LineDifference(from: String(decoding: input.bytes, as: UTF8.self), to: source)
    guard !lines.isEmpty else {
      if !errors.isEmpty { throw ExitCode(ExitStatus.badData.rawValue) }
      return
    }
    output.append(text: "--- \(input.name)\n+++ \(file.database)\n" + lines.text)
    try output.flush()
    let words = (["sections", "generate", file.database] + tables).map(shellQuoted)
    let target = check == "-" ? "" : " > \(shellQuoted(check))"
    Console.report(
      "\(input.name) does not match the schema. Run: \(words.joined(separator: " "))\(target)")
    throw ExitCode(1)
  }

  /// The records of the tables, and why some were left out.
  private func records(
    in connection: Connection
  ) throws -> (records: SwiftRecords, errors: [DatabaseError]) {
    guard tables.isEmpty else {
      let tables = try tables.map { name in
        guard let table = try connection.table(named: name) else {
          throw try connection.noSuchTable(name)
        }
        return table
      }
      return (SwiftRecords(of: tables), [])
    }
    var readable: [TableDescription] = []
    var errors: [DatabaseError] = []
    for table in try connection.tables() {
      do {
        // In the list, a view that cannot be read has no columns.
        if table.columns.isEmpty { _ = try connection.table(named: table.name, in: table.schema) }
        readable.append(table)
      } catch let error as DatabaseError where .error ~= error.resultCode {
        errors.append(error.located("\(table.name) is left out"))
      }
    }
    return (SwiftRecords(of: readable), errors)
  }
}

/// The lines that differ between two texts, in order: `-` for one of the old text, `+` for one of the
/// new text.
private struct LineDifference {
  private(set) var text = ""
  var isEmpty: Bool { text.isEmpty }

  init(from old: String, to new: String) {
    let old = old.split(separator: "\n", omittingEmptySubsequences: false)
    let new = new.split(separator: "\n", omittingEmptySubsequences: false)
    let difference = new.map { String($0).exact }.difference(from: old.map { String($0).exact })
    let removed = Set(difference.removals.map(\.offset))
    let inserted = Set(difference.insertions.map(\.offset))
    var (oldLine, newLine) = (0, 0)
    while oldLine < old.count || newLine < new.count {
      if removed.contains(oldLine) {
        text += "-\(old[oldLine])\n"
        oldLine += 1
      } else if inserted.contains(newLine) {
        text += "+\(new[newLine])\n"
        newLine += 1
      } else {
        oldLine += 1
        newLine += 1
      }
    }
  }
}

extension CollectionDifference.Change {
  fileprivate var offset: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
