import Basics
import RowQueries
import SQLiteStorage

/// A writer, by the cells that it needs.
enum FormatWriter {
  /// Needs every value in full.
  case machine(any ResultWriter<Value>)
  /// Needs only the size of a blob.
  case human(any ResultWriter<DisplayCell>)
}

/// The values of `--format`. A new format is a case here, and a writer in this folder.
enum OutputFormat: String, CaseIterable, Sendable {
  case table, list, json, ndjson, csv, tsv, markdown, html

  /// The default format.
  static func standard(isTerminal: Bool) -> OutputFormat {
    isTerminal ? .table : .tsv
  }

  /// Whether totals are printed. A format that has rows only has no place for them.
  var hasTotals: Bool {
    switch self {
    case .csv, .tsv: false
    case .table, .list, .json, .ndjson, .markdown, .html: true
    }
  }

  /// Whether the index of the sections is printed. Formats for programs have the index title in each section.
  var hasIndex: Bool {
    switch self {
    case .table, .list, .markdown, .html: true
    case .json, .ndjson, .csv, .tsv: false
    }
  }

  /// Whether the number of rows is printed before them.
  func countsRows(isSectioned: Bool) -> Bool {
    switch self {
    case .json: true
    case .table, .list, .markdown, .html: isSectioned
    case .ndjson, .csv, .tsv: false
    }
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

extension [PrintedTotal] {
  /// The totals, with a line's separators, for people.
  var texts: [StyledText] {
    enumerated().flatMap { index, total in
      [
        StyledText((index > 0 ? " · " : "") + total.name + ": ", .dim),
        DisplayCell(total.value).styled,
      ]
    }
  }
}

extension SectionHeader {
  /// The title for people: NULL, the empty string and a blank one differ.
  var displayTitle: DisplayCell {
    let key = DisplayCell(section)
    if case .null = section { return key }
    guard let title else { return key }
    return DisplayCell(text: title.quotedIfBlank, kind: .text)
  }
}
