/// What the options come to on the terminal, or the pipe, that the output goes to.
struct FormatChoice {
  let format: OutputFormat
  let options: TerminalOptions

  init(_ options: OutputOptions, terminal: Terminal) {
    let environment = ProcessEnvironment.variables
    format = options.format ?? .standard(isTerminal: terminal.isTerminal)
    self.options = TerminalOptions(
      width: terminal.lineWidth(
        requested: options.width, truncates: !options.noTruncate, environment: environment),
      usesColor: options.color.usesColor(
        environment: environment, isTerminal: terminal.isTerminal))
  }

  /// A new writer in front of `output`.
  func writer(to output: OutputBuffer) -> FormatWriter {
    format.makeWriter(to: output, options: options)
  }
}
