internal import SQLiteStorage

/// How a result is kept true when the database changes.
enum MaintenancePlan: Sendable {
  /// From the rows that were touched, of the tables that it reads.
  case touchedRows([RowFinder])
  /// By reading both versions and comparing them.
  case comparison(reason: String)

  /// Why everything is compared; nil where it need not be.
  var reason: String? {
    if case .comparison(let reason) = self { reason } else { nil }
  }
}

/// How the rows of a result are found that a touched row of one table may have changed.
///
/// A class, because it is handed on at every commit and has many parts.
final class RowFinder: Sendable {
  /// A table that the result reads. It is there once for each place in `FROM`.
  let table: TableDescription
  let way: Way

  init(table: TableDescription, way: Way) {
    self.table = table
    self.way = way
  }

  enum Way: Sendable {
    /// Its rowid is the result's key.
    case rowID
    /// Its primary key is the result's key.
    case key
    /// By a query for the result's keys, in which the key of the touched row is left open.
    case keys(BoundSQL)
    /// By a query for the rows that a LEFT JOIN brings together with the touched row, and another
    /// one for the result's keys, in which what the first one gives is left open.
    case partners(BoundSQL, then: BoundSQL)
    /// Not at all: when rows of this table are touched, both versions are compared.
    case none(reason: String)
  }

  /// Whether a touched row tells the result's key itself, without a query.
  var isDirect: Bool {
    switch way {
    case .rowID, .key: true
    case .keys, .partners, .none: false
    }
  }
}
