import ArgumentParser
import RowQueries

extension OutputFormat: ExpressibleByArgument {}
extension ColorPolicy: ExpressibleByArgument {}

/// How results are printed.
struct FormatOptions: ParsableArguments {
  @Option(
    help: """
      The output format. The default is table on a terminal and tsv in a pipe. JSON has no infinite \
      numbers: json and ndjson print them as null.
      """)
  var format: OutputFormat?

  @Option(help: "When to use colour.")
  var color = ColorPolicy.auto

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Shorten lines to this many columns of a terminal.", valueName: "columns"))
  var width: Int?

  @Flag(help: "Never shorten lines to fit the terminal.")
  var noTruncate = false

  func validate() throws {
    if let width, width < 1 {
      throw ValidationError("--width must be a number of columns, 1 or more")
    }
  }

  /// A new writer to standard output, for the terminal or the pipe behind it.
  func makeWriter() -> FormatWriter {
    effectiveFormat.makeWriter(to: .standardOutput(), options: terminalOptions)
  }

  private var effectiveFormat: OutputFormat {
    format ?? .standard(isTerminal: Terminal.standardOutput.isTerminal)
  }

  /// Throws if the format has rows only.
  func requireTotals() throws {
    guard !effectiveFormat.hasTotals else { return }
    let others = OutputFormat.allCases.filter(\.hasTotals).map(\.rawValue)
    throw ToolError(
      """
      --total cannot be printed as \(effectiveFormat), which has rows only. Use --format \
      \(others.dropLast().joined(separator: ", ")) or \(others[others.count - 1])
      """)
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
  @OptionGroup var format: FormatOptions

  @Flag(help: "Print the index titles of the sections first.")
  var index = false

  @Flag(help: "Show no progress.")
  var quiet = false
}
