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

  /// Writes a tree. Lines that are wider than the terminal continue on the next line, except for the
  /// statements that one copies.
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

  /// Writes one object. The white space is part of the format: a line for each derivation, for the row and
  /// for each index, no white space inside a line.
  func writeJSON(_ explanation: MaintenanceExplanation) {
    output.object {
      output.member("verdict", explanation.maintenance.word)
      output.member("summary", explanation.verdict)
      output.member("reason", explanation.maintenance.reason)
      output.member("source", explanation.source)
      output.member("key", explanation.key)
      output.member("copied", explanation.isPacked)
      output.member("held", explanation.held)
      output.member("derivations")
      output.append(array: explanation.derivations, derivation)
      output.member("row", onNewLine: true)
      if let row = explanation.row { query(row) } else { output.append("null") }
      output.member("indexes", onNewLine: true)
      output.append(array: explanation.indexes, separator: ",\n") { index in
        output.object {
          output.member("table", index.table)
          output.member("columns", index.columns)
          output.member("sql", index.sql)
        }
      }
      output.member("verdictWithIndexes", explanation.maintenanceWithIndexes?.word)
    }
    output.append("\n")
  }

  private func derivation(_ derivation: MaintenanceExplanation.Derivation) {
    output.append("\n")
    output.object {
      output.member("table", derivation.table)
      output.member("schema", derivation.schema)
      output.member("effect", derivation.effect.rawValue)
      output.member("summary", derivation.summary)
      output.member("reason", derivation.reason)
      output.member("queries")
      output.append(array: derivation.queries, query)
      output.member("cost")
      if let cost = derivation.cost { self.cost(cost) } else { output.append("null") }
    }
  }

  private func query(_ query: MaintenanceExplanation.Query) {
    output.object {
      output.member("finds", query.finds)
      output.member("sql", query.sql)
      output.member("obstacle", query.obstacle)
      output.member("plan")
      output.append(array: query.steps, step)
    }
  }

  private func step(_ step: MaintenanceExplanation.Step) {
    output.object {
      output.member("detail", step.detail)
      output.member("obstacle", step.isObstacle)
      output.member("parts")
      output.append(array: step.parts, self.step)
    }
  }

  private func cost(_ cost: MaintenanceExplanation.Cost) {
    output.object {
      output.member("row", cost.row)
      output.member("keys", cost.keyCount)
      output.member("more", cost.hasMore)
      output.member("seconds")
      output.append(cost.seconds)
    }
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
