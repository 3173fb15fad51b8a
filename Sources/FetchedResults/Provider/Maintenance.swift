/// How a result is kept up to date when the database changes, and the cost.
public enum Maintenance: Hashable, Sendable {
  /// From the touched rows of all tables that the request reads: O(k log n) for k rows of the
  /// result that contain them.
  case touchedRows
  /// From the touched rows, but by comparison if rows of certain tables were touched. The reason
  /// names the tables and says why.
  case partlyTouchedRows(reason: String)
  /// By comparison: both versions are read in order, O(n). The reason says why.
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
  /// How the result is kept up to date; nil before the first fetch.
  ///
  /// The rows that other connections and processes touched are found in the pages that they wrote.
  /// If the pages do not show them, both versions are compared, whatever this value says.
  public var maintenance: Maintenance? {
    shownVersion.map { Maintenance($0.source.plan.maintenance) }
  }

  /// How the changed rows of the current batch were detected.
  ///
  /// Set from the first change of the batch until *did* has returned. Nil at any other time, and
  /// for the changes of another request in the same version.
  public var changeSource: ChangeSource? { delivery.source }
}
