internal import SQLiteStorage

/// How a result is kept true when the database changes.
enum MaintenancePlan: Sendable {
  /// From the rows of one table that were touched.
  case touchedRows(of: TableDescription, by: Locator)
  /// By reading both versions and comparing them.
  case comparison(reason: String)

  /// How a row of the result is found from what is known of a touched row.
  enum Locator: Sendable {
    /// Its rowid is the result's key.
    case rowID
    /// Its primary key is the result's key.
    case key
    /// Its rowid, by this name, leads to the result's key in either version.
    case keyOfRowID(String)
  }
}
