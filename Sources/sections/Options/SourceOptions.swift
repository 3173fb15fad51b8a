import ArgumentParser

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
      Sort by a column, which may end in :asc or :desc, :nocase or :rtrim, :nullsfirst or \
      :nullslast. Repeat it, or separate terms by commas. The first may sort the sections.
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

  /// Whether the SELECT comes on standard input.
  var isOnStandardInput: Bool { source == "-" }
}
