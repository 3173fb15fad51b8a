import ArgumentParser
import RowQueries

extension OutputFormat: ExpressibleByArgument {}
extension ColorPolicy: ExpressibleByArgument {}

/// The format of rows that are printed once.
struct FormatOption: ParsableArguments {
  @Option(
    help: """
      The output format. The default is table on a terminal and tsv in a pipe. JSON has no \
      infinite numbers: json and ndjson print them as null.
      """)
  var format: OutputFormat?

  /// A new writer to standard output, for the terminal or the pipe behind it.
  func makeWriter(_ style: StyleOptions) -> FormatWriter {
    effective.makeWriter(to: .standardOutput(), options: style.terminalOptions)
  }

  /// The format for the terminal or the pipe behind standard output.
  var effective: OutputFormat {
    format ?? .standard(isTerminal: Terminal.standardOutput.isTerminal)
  }

  /// Throws if the format does not print what an option is for.
  func require(_ option: String, where isPrinted: (OutputFormat) -> Bool) throws {
    guard !isPrinted(effective) else { return }
    let others = OutputFormat.allCases.filter(isPrinted).map(\.rawValue)
    throw ToolError(
      """
      \(option) cannot be printed as \(effective). Use --format \
      \(others.dropLast().joined(separator: ", ")) or \(others[others.count - 1])
      """)
  }
}

/// How lines for people look.
struct StyleOptions: ParsableArguments {
  @Option(help: "When to use colour.")
  var color = ColorPolicy.auto

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Shorten lines to this many characters (default: the width of the terminal; in \
      a pipe, not shortened).
      """, valueName: "n"))
  var width: Int?

  @Flag(help: "Never shorten lines; --width is ignored.")
  var noTruncate = false

  func validate() throws {
    if let width, width < 1 {
      throw ValidationError("--width must be a number of characters, 1 or more")
    }
  }

  /// The effect of the options on the present terminal or pipe behind standard output. It depends on
  /// the size of the terminal.
  var terminalOptions: TerminalOptions {
    let terminal = Terminal.standardOutput
    let environment = Terminal.environment
    return TerminalOptions(
      width: terminal.lineWidth(
        requested: width, truncates: !noTruncate, environment: environment),
      usesColor: color.usesColor(environment: environment, isTerminal: terminal.isTerminal))
  }
}

/// How rows are printed.
struct OutputOptions: ParsableArguments {
  @OptionGroup var style: StyleOptions

  @Flag(
    help: """
      Print the index titles of the sections first. Not with json, ndjson, csv or tsv; query and \
      watch need --by.
      """)
  var index = false

  @Flag(help: "Show no progress.")
  var quiet = false

  /// Throws if there are no sections whose index could be printed.
  func requireSections(by column: String?) throws {
    if index, column == nil { throw ValidationError("--index needs sections. Add --by") }
  }
}
