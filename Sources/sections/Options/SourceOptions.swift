import ArgumentParser
import RowQueries
import SQLiteStorage

struct SourceOptions: ParsableArguments {
  @Argument(
    help: "A table, a view or a SELECT; or - to read a SELECT from standard input.")
  var source: String

  @OptionGroup var rows: RowOptions
  @OptionGroup var limits: LimitOptions

  /// The rows that are asked for.
  ///
  /// - Parameter select: the SELECT on standard input; nil if the source is not there.
  func arguments(select: String? = nil, _ key: KeyOption? = nil) -> RowArguments {
    rows.arguments(source, select: select, key, limits)
  }
}

/// The rows to print, their order and sections.
struct RowOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Divide the rows into sections by this column or SQL expression.", valueName: "column"))
  var by: String?

  @Option(
    help: ArgumentHelp(
      """
      Sort by a column, optionally with :asc or :desc, :nocase or :rtrim, :nullsfirst or \
      :nullslast after its name. Repeat it, or separate terms by commas. Sections are in ascending \
      order. To reverse them, sort by the --by column first: --by genre --sort genre:desc,name.
      """, valueName: "term"))
  var sort: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Print only rows for which this SQL condition is true. Repeat it for several conditions.",
      valueName: "sql"))
  var conditions: [String] = []

  /// Several conditions as one; nil if there is none.
  static func all(_ conditions: [String]) -> String? {
    guard conditions.count > 1 else { return conditions.first }
    // The line break ends a comment.
    return conditions.map { "(\($0)\n)" }.joined(separator: " AND ")
  }

  /// Throws if a condition has no text.
  static func requireConditions(_ conditions: [String]) throws {
    if conditions.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("--where must be a condition, such as 'price > 10'")
    }
  }

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      The value of :NAME in the SQL: a number, NULL (in capitals), or text. To pass 12 as text, \
      quote it for the shell as well: -p "n='12'". Repeat it for each parameter.
      """, valueName: "name=value"), transform: Parameter.init)
  var parameter: [Parameter] = []

  @Option(help: ArgumentHelp("Print only these columns. It may be repeated.", valueName: "a,b"))
  var columns: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Print a total of each section and of all rows: count, sum(X), avg(X), min(X) or max(X), \
      where X is a column or an SQL expression. Repeat it for each total.
      """, valueName: "total"), transform: TotalOption.init(text:))
  var total: [TotalOption] = []

  /// Whether none is given.
  var isEmpty: Bool {
    by == nil && sort.isEmpty && conditions.isEmpty && parameter.isEmpty && columns.isEmpty
      && total.isEmpty
  }

  /// The rows of a source that are asked for.
  ///
  /// - Parameter select: the SELECT on standard input; nil if the source is not there.
  func arguments(
    _ source: String, select: String?, _ key: KeyOption?, _ limits: LimitOptions? = nil
  ) -> RowArguments {
    RowArguments(
      source, select: select, condition: RowOptions.all(conditions), by: by, sort: sort,
      columns: columns, totals: total,
      parameters: Dictionary(uniqueKeysWithValues: parameter.map { ($0.name.exact, $0.value) }),
      key: key?.key, limit: limits?.limit, offset: limits?.offset ?? 0)
  }

  func validate() throws {
    try RowOptions.requireConditions(conditions)
    var names: Set<ExactText> = []
    for parameter in parameter where !names.insert(parameter.name.exact).inserted {
      throw ValidationError("the parameter \(parameter.name) is given twice")
    }
  }
}

/// How many rows to print.
struct LimitOptions: ParsableArguments {
  // A negative number is an invalid value, not an option.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Print at most this many rows. Totals cover only the rows printed.", valueName: "n"))
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Skip this many rows at the start.", valueName: "n"))
  var offset = 0

  /// Whether none is given.
  var isEmpty: Bool { limit == nil && offset == 0 }

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit must be a number of rows, 0 or more") }
    if offset < 0 { throw ValidationError("--offset must be a number of rows, 0 or more") }
  }
}

/// The columns that identify a row when versions are compared.
struct KeyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The columns that identify a row. By default, the primary key of a table; for a view or \
      SELECT, the keys of the tables that it joins or the columns that it groups by, if they are \
      among its columns. A row without a key is identified by its content.
      """, valueName: "a,b"))
  var key: String?
}

extension TotalOption: ExpressibleByArgument {
  fileprivate init(text: String) throws {
    guard let option = TotalOption(argument: text) else {
      throw ValidationError("it must be count, sum(X), avg(X), min(X) or max(X)")
    }
    self = option
  }
}

/// A value for a named parameter, as `NAME=VALUE`.
struct Parameter {
  let name: String
  let value: Value

  init(_ argument: String) throws {
    let name = argument.prefix { $0 != "=" }
    // The spellings in the SQL are accepted too: :NAME, @NAME, $NAME.
    let bare = name.first.map { ":@$".contains($0) } == true ? name.dropFirst() : name
    guard !bare.isEmpty, name.endIndex < argument.endIndex else {
      throw ValidationError("it must be NAME=VALUE, such as n=3")
    }
    self.name = String(bare)
    value = Parameter.value(argument[name.endIndex...].dropFirst())
  }

  private static func value(_ text: Substring) -> Value {
    if let number = Value(jsonNumber: text) { return number }
    if text == "NULL" { return .null }
    if text.count >= 2, text.hasPrefix("'"), text.hasSuffix("'") {
      return .text(
        text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
          .joined(separator: "'"))
    }
    return .text(String(text))
  }
}
