import FetchedResults
import FetchedResultsExplaining
import RowQueries

/// Prints how a result is kept up to date: a tree for people, or one JSON object.
struct ExplanationWriter {
  private let output: OutputBuffer
  private let lines: LineWriter

  init(to output: OutputBuffer, options: TerminalOptions) {
    self.output = output
    lines = LineWriter(output: output, options: options)
  }

  // MARK: - For people

  /// Writes a tree. Lines that are wider than the terminal continue on the next line, but for the
  /// statements that are to be copied.
  func write(_ explanation: MaintenanceExplanation) {
    for line in explanation.lines {
      let style: TextStyle =
        switch line.kind {
        case .verdict, .obstacle: .bold
        case .label, .index: .plain
        case .sql, .step: .dim
        }
      var prefix = line.prefix
      for piece in pieces(of: line) {
        lines.write([StyledText(prefix, .dim), StyledText(piece, style)])
        lines.endLine()
        prefix = line.continuation
      }
    }
  }

  /// The text of a line, divided at spaces to fit the width.
  private func pieces(of line: ExplanationLine) -> [String] {
    guard let width = lines.options.width, line.kind != .index else { return [line.text] }
    let indent = max(DisplayText(line.prefix).width, DisplayText(line.continuation).width)
    // A tree that is too deep for the terminal still has some room for text.
    let limit = max(width - indent, 20)
    var pieces: [String] = []
    var piece = ""
    var used = 0
    for word in line.text.split(separator: " ", omittingEmptySubsequences: false) {
      let wordWidth = DisplayText(String(word)).width
      if used > 0, used + 1 + wordWidth > limit {
        pieces.append(piece)
        (piece, used) = (String(word), wordWidth)
      } else {
        piece += (used > 0 ? " " : "") + word
        used += (used > 0 ? 1 : 0) + wordWidth
      }
    }
    return pieces + [piece]
  }

  // MARK: - For programs

  /// Writes one object. The white space is part of the format: a line for each way, for the row and
  /// for each index, no white space inside a line.
  func writeJSON(_ explanation: MaintenanceExplanation) {
    output.append("{\"verdict\":")
    output.append(json: explanation.maintenance.word)
    output.append(",\"summary\":")
    output.append(json: explanation.verdict)
    output.append(",\"reason\":")
    output.append(json: explanation.maintenance.reason)
    output.append(",\"source\":")
    output.append(json: explanation.source)
    output.append(",\"key\":")
    output.append(array: explanation.key) { output.append(json: $0) }
    output.append(",\"copied\":")
    append(explanation.isCopied)
    output.append(",\"held\":")
    output.append(array: explanation.held) { output.append(json: $0) }
    output.append(",\"ways\":")
    output.append(array: explanation.ways, way)
    output.append(",\n\"row\":")
    if let row = explanation.row { query(row) } else { output.append("null") }
    output.append(",\n\"indexes\":")
    output.append(array: explanation.indexes, separator: ",\n") { index in
      output.append("{\"table\":")
      output.append(json: index.table)
      output.append(",\"columns\":")
      output.append(array: index.columns) { output.append(json: $0) }
      output.append(",\"sql\":")
      output.append(json: index.sql)
      output.append("}")
    }
    output.append(",\"verdictWithIndexes\":")
    output.append(json: explanation.maintenanceWithIndexes?.word)
    output.append("}\n")
  }

  private func way(_ way: MaintenanceExplanation.Way) {
    output.append("\n{\"table\":")
    output.append(json: way.table)
    output.append(",\"schema\":")
    output.append(json: way.schema)
    output.append(",\"effect\":")
    output.append(json: way.effect.rawValue)
    output.append(",\"summary\":")
    output.append(json: way.summary)
    output.append(",\"reason\":")
    output.append(json: way.reason)
    output.append(",\"queries\":")
    output.append(array: way.queries, query)
    output.append(",\"cost\":")
    if let cost = way.cost { self.cost(cost) } else { output.append("null") }
    output.append("}")
  }

  private func query(_ query: MaintenanceExplanation.Query) {
    output.append("{\"finds\":")
    output.append(json: query.finds)
    output.append(",\"sql\":")
    output.append(json: query.sql)
    output.append(",\"obstacle\":")
    output.append(json: query.obstacle)
    output.append(",\"plan\":")
    output.append(array: query.steps, step)
    output.append("}")
  }

  private func step(_ step: MaintenanceExplanation.Step) {
    output.append("{\"detail\":")
    output.append(json: step.detail)
    output.append(",\"obstacle\":")
    append(step.isObstacle)
    output.append(",\"parts\":")
    output.append(array: step.parts, self.step)
    output.append("}")
  }

  private func cost(_ cost: MaintenanceExplanation.Cost) {
    output.append("{\"row\":")
    output.append(json: cost.row)
    output.append(",\"keys\":")
    output.append(Int64(cost.keyCount))
    output.append(",\"more\":")
    append(cost.hasMore)
    output.append(",\"seconds\":")
    output.append(cost.seconds)
    output.append("}")
  }

  private func append(_ flag: Bool) {
    if flag { output.append("true") } else { output.append("false") }
  }
}

extension Maintenance {
  /// The word for it in JSON.
  fileprivate var word: String {
    switch self {
    case .touchedRows: "touchedRows"
    case .partlyTouchedRows: "partlyTouchedRows"
    case .comparison: "comparison"
    }
  }

  fileprivate var reason: String? {
    switch self {
    case .touchedRows: nil
    case .partlyTouchedRows(let reason), .comparison(let reason): reason
    }
  }
}
