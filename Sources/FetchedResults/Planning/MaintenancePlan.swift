internal import SQLiteStorage

/// How a result is kept up to date when the database changes.
enum MaintenancePlan: Sendable {
  /// From the touched rows of the tables that the result reads.
  case touchedRows([RowFinder])
  /// By reading both versions and comparing them.
  case comparison(reason: String)

  /// Why both versions are compared; nil if they need not be.
  var reason: String? {
    if case .comparison(let reason) = self { reason } else { nil }
  }
}

/// How to find the rows of a result that a touched row of one table may have changed.
///
/// A class, because it has many parts and is passed along at every commit.
final class RowFinder: Sendable {
  /// A table that the result reads. A table that is in `FROM` twice has two finders.
  let table: TableDescription
  let way: Way

  init(table: TableDescription, way: Way) {
    self.table = table
    self.way = way
  }

  enum Way: Sendable {
    /// The rowid of the table is the key of the result.
    case rowID
    /// The primary key of the table is the key of the result.
    case key
    /// A query finds the keys of the result. Its parameters are the key of the touched row.
    case keys(BoundSQL)
    /// One query finds the rows that a LEFT JOIN combines with the touched row. A second query
    /// finds the keys of the result. Its parameters are the columns that the first query returns.
    case partners(BoundSQL, then: BoundSQL)
    /// There is no way: if rows of this table are touched, both versions are compared.
    case none(reason: String)
  }

  /// Whether the key of the result follows from the touched row, without a query.
  var isDirect: Bool {
    switch way {
    case .rowID, .key: true
    case .keys, .partners, .none: false
    }
  }
}

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
