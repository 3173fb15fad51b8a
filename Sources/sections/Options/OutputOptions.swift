import ArgumentParser

/// How rows are printed.
struct OutputOptions: ParsableArguments {
  @OptionGroup var format: FormatOptions

  @Flag(help: "Print the index titles of the sections first.")
  var index = false

  @Flag(help: "Show no progress.")
  var quiet = false
}
