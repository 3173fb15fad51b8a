/// How a result is kept true when the database changes, and what that costs.
public enum Maintenance: Hashable, Sendable {
  /// From the rows that were touched: O(k log n) for k of them.
  case touchedRows
  /// By reading both versions in order and comparing them: O(n). The reason says why.
  case comparison(reason: String)

  init(_ plan: MaintenancePlan) {
    switch plan {
    case .touchedRows: self = .touchedRows
    case .comparison(let reason): self = .comparison(reason: reason)
    }
  }
}

extension FetchedResultsProvider {
  /// How the result is kept true; nil before the first fetch.
  ///
  /// Changes by other connections and processes are compared whatever this says: which rows they
  /// touched is not known.
  public var maintenance: Maintenance? { content.map { Maintenance($0.maintenance) } }
}
