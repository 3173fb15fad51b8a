import ArgumentParser

extension OutputFormat: ExpressibleByArgument {}
extension ColorPolicy: ExpressibleByArgument {}

/// How anything is printed.
struct FormatOptions: ParsableArguments {
  @Option(help: "The default is table on a terminal and tsv in a pipe.")
  var format: OutputFormat?

  @Option(help: "When to use colour.")
  var color = ColorPolicy.auto

  @Option(help: ArgumentHelp("Fit lines to this many cells.", valueName: "cells"))
  var width: Int?

  @Flag(help: "Never shorten lines to fit the terminal.")
  var noTruncate = false

  func validate() throws {
    if let width, width < 1 { throw ValidationError("--width takes a number of cells, 1 or more") }
  }

  /// A new writer in front of standard output, fit for the terminal or the pipe behind it.
  func makeWriter() -> FormatWriter {
    let terminal = Terminal.standardOutput
    let environment = ProcessEnvironment.variables
    return (format ?? .standard(isTerminal: terminal.isTerminal)).makeWriter(
      to: .standardOutput(),
      options: TerminalOptions(
        width: terminal.lineWidth(
          requested: width, truncates: !noTruncate, environment: environment),
        usesColor: color.usesColor(environment: environment, isTerminal: terminal.isTerminal)))
  }
}
