/// The values of `--format`.
enum OutputFormat: String, CaseIterable, Sendable {
  case table, list, json, ndjson, csv, tsv, markdown, html

  /// The default format.
  static func standard(isTerminal: Bool) -> OutputFormat {
    isTerminal ? .table : .tsv
  }

  /// Makes a writer of this format in front of `output`.
  ///
  /// Only `table` and `list` use the options.
  func makeWriter(to output: OutputBuffer, options: TerminalOptions) -> FormatWriter {
    switch self {
    case .table: .human(TableWriter(to: output, options: options))
    case .list: .human(ListWriter(to: output, options: options))
    case .json: .machine(JSONWriter(to: output))
    case .ndjson: .machine(NDJSONWriter(to: output))
    case .csv: .machine(DelimitedWriter(.csv, to: output))
    case .tsv: .machine(DelimitedWriter(.tsv, to: output))
    case .markdown: .human(MarkdownWriter(to: output))
    case .html: .human(HTMLWriter(to: output))
    }
  }
}

/// The properties of the terminal that the formats for terminals need.
struct TerminalOptions: Equatable, Sendable {
  /// The width of a line in cells; nil to never shorten anything.
  var width: Int?
  /// Whether to use escape sequences for bold and dim text.
  var usesColor: Bool
}
