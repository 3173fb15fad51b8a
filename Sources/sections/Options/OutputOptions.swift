import ArgumentParser

extension OutputFormat: ExpressibleByArgument {}
extension ColorPolicy: ExpressibleByArgument {}

/// How the result is printed.
struct OutputOptions: ParsableArguments {
  @Option(
    help: """
      table, list, json, ndjson, csv, tsv, markdown or html. The default is table on a terminal and \
      tsv in a pipe.
      """)
  var format: OutputFormat?

  @Flag(help: "Print the index titles of the sections first.")
  var index = false

  @Option(help: "When to use colour: auto, always or never.")
  var color = ColorPolicy.auto

  @Option(help: ArgumentHelp("Fit lines to this many cells.", valueName: "cells"))
  var width: Int?

  @Flag(help: "Never shorten lines to fit the terminal.")
  var noTruncate = false

  @Flag(help: "Show no progress.")
  var quiet = false

  func validate() throws {
    if let width, width < 1 { throw ValidationError("--width takes a number of cells, 1 or more") }
  }
}
