import ArgumentParser
import SQLiteStorage

/// Which rows, in which order and sections.
struct SourceOptions: ParsableArguments {
  @Argument(
    help: "A table or view; or a SELECT; or - for a SELECT on standard input.")
  var source: String

  @Option(help: ArgumentHelp("Make sections of this column or expression.", valueName: "column"))
  var by: String?

  @Option(
    help: ArgumentHelp(
      """
      Sort by a column: COL[:asc|desc][:nocase|:rtrim][:nullsfirst|:nullslast]. Repeat it, or \
      separate terms by commas.
      """, valueName: "term"))
  var sort: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("Only rows for which this SQL is true.", valueName: "sql"))
  var condition: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      The value of :NAME in the SQL. Numbers are numbers, NULL is null, anything else is text; \
      'quotes' make text of a number.
      """, valueName: "name=value"))
  var parameter: [Parameter] = []

  @Option(help: ArgumentHelp("Print only these columns.", valueName: "a,b"))
  var columns: String?

  @Option(help: ArgumentHelp("Print at most this many rows.", valueName: "n"))
  var limit: Int?

  @Option(help: ArgumentHelp("Leave out this many rows at the start.", valueName: "n"))
  var offset = 0

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes a number of rows, 0 or more") }
    if offset < 0 { throw ValidationError("--offset takes a number of rows, 0 or more") }
    var names: Set<String> = []
    for parameter in parameter where !names.insert(parameter.name).inserted {
      throw ValidationError("the parameter \(parameter.name) is given twice")
    }
  }
}

/// A value for a named parameter, as `NAME=VALUE`.
struct Parameter: ExpressibleByArgument {
  let name: String
  let value: Value

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
      return nil
    }
    name = String(argument[..<equals])
    value = Parameter.value(argument[argument.index(after: equals)...])
  }

  private static func value(_ text: Substring) -> Value {
    if let integer = Int64(text) { return .integer(integer) }
    // "nan" and "inf" are words here.
    if text.contains(where: \.isNumber), let real = Double(text) { return .real(real) }
    if text == "NULL" { return .null }
    if text.count >= 2, text.hasPrefix("'"), text.hasSuffix("'") {
      return .text(
        text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
          .joined(separator: "'"))
    }
    return .text(String(text))
  }
}
