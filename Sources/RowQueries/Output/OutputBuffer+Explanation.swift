import FetchedResults
package import FetchedResultsExplaining

extension OutputBuffer {
  /// Appends how a result is kept up to date, as an object. The white space is part of the format: a line for each
  /// derivation, for the row and for each index, no white space inside a line.
  ///
  /// - Parameter members: appends further members.
  package func append(
    _ explanation: MaintenanceExplanation, _ members: () -> Void = {}
  ) {
    object {
      member("verdict", explanation.maintenance.word)
      member("summary", explanation.verdict)
      member("reason", explanation.maintenance.reason)
      member("source", explanation.source)
      member("key", explanation.key)
      member("copied", explanation.isPacked)
      member("held", explanation.held)
      member("derivations")
      append(array: explanation.derivations, derivation)
      member("row", onNewLine: true)
      if let row = explanation.row { query(row) } else { append("null") }
      member("indexes", onNewLine: true)
      append(array: explanation.indexes, separator: ",\n") { index in
        object {
          member("table", index.table)
          member("columns", index.columns)
          member("sql", index.sql)
        }
      }
      member("verdictWithIndexes", explanation.maintenanceWithIndexes?.word)
      members()
    }
  }

  private func derivation(_ derivation: MaintenanceExplanation.Derivation) {
    append("\n")
    object {
      member("table", derivation.table)
      member("schema", derivation.schema)
      member("effect", derivation.effect.rawValue)
      member("summary", derivation.summary)
      member("reason", derivation.reason)
      member("queries")
      append(array: derivation.queries, query)
      member("cost")
      if let cost = derivation.cost { self.cost(cost) } else { append("null") }
    }
  }

  private func query(_ query: MaintenanceExplanation.Query) {
    object {
      member("finds", query.finds)
      member("sql", query.sql)
      member("obstacle", query.obstacle)
      member("plan")
      append(array: query.steps, step)
    }
  }

  private func step(_ step: MaintenanceExplanation.Step) {
    object {
      member("detail", step.detail)
      member("obstacle", step.isObstacle)
      member("parts")
      append(array: step.parts, self.step)
    }
  }

  private func cost(_ cost: MaintenanceExplanation.Cost) {
    object {
      member("row", cost.row)
      member("keys", cost.keyCount)
      member("more", cost.hasMore)
      member("seconds")
      append(cost.seconds)
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
