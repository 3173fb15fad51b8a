/// How a result is kept true when the database changes, and what that costs.
public enum Maintenance: Hashable, Sendable {
  /// From the rows that were touched, of all tables that it reads: O(k log n) for k rows of the
  /// result that they are part of.
  case touchedRows
  /// From the rows that were touched, but by comparison when rows of certain tables were. The reason
  /// says which, and why.
  case partlyTouchedRows(reason: String)
  /// By reading both versions in order and comparing them: O(n). The reason says why.
  case comparison(reason: String)

  init(_ plan: MaintenancePlan) {
    switch plan {
    case .touchedRows(let finders):
      let reasons = finders.compactMap { finder in
        if case .none(let reason) = finder.way { reason } else { nil }
      }
      self =
        switch reasons.count {
        case 0: .touchedRows
        case finders.count: .comparison(reason: reasons.joined(separator: "; "))
        default: .partlyTouchedRows(reason: reasons.joined(separator: "; "))
        }
    case .comparison(let reason): self = .comparison(reason: reason)
    }
  }
}

extension FetchedResultsProvider {
  /// How the result is kept true; nil before the first fetch.
  ///
  /// Which rows other connections and processes touched is found from the pages they wrote. Where
  /// those cannot tell, both versions are compared whatever this says.
  public var maintenance: Maintenance? { content.map { Maintenance($0.maintenance) } }
}
