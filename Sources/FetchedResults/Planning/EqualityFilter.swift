internal import LiveQueries
internal import SQLiteStorage

/// A condition that one column has one value, as in lists of a part of a table: the tracks of one
/// album, the messages of one conversation.
///
/// A touched row that has another value in both versions is in neither result. All lists of the
/// table read the same column of the same row, so the version caches the value. A thousand lists
/// that do not show the row need not look it up a thousand times.
struct EqualityFilter: Sendable {
  private let value: Value
  /// The query for the column, by the rowid.
  private let query: StatementText

  /// Finds such a condition.
  ///
  /// - Parameters:
  ///   - conditions: the conditions of the request. A row must meet all of them.
  ///   - source: a table with its rowid as the key, in a file in UTF-8.
  /// - Returns: nil if there is none.
  init?(
    in conditions: [BoundSQL], _ parameters: [ExactText: Value], of source: ResolvedSource,
    _ connection: Connection
  ) throws {
    for condition in conditions {
      let (text, values) = condition.named()
      guard let (name, parameter) = BoundSQL(text).expression?.equation,
        let value = values[parameter] ?? parameters[parameter],
        let column = source.columns.first(where: { $0.sqliteFolded == name })
      else { continue }
      switch value {
      case .integer: break
      // Under any other collation, different texts may be equal.
      case .text:
        guard case .binary = try source.collation(of: column, in: connection) else { continue }
      case .null, .real, .blob: continue
      }
      self.value = value
      query = StatementText(
        """
        SELECT \(column.quotedIdentifier) FROM \(source.sql) \
        WHERE \(source.key[0].quotedIdentifier) = ?
        """)
      return
    }
    return nil
  }

  /// Whether none of some touched rows can be in the result, in either version.
  ///
  /// - Returns: false if that is not known, or would cost more than it saves.
  func excludes(
    _ rows: TouchedRows.Rows, from old: Snapshot, and new: Snapshot
  ) throws -> Bool {
    guard case .rowIDs(let rowIDs) = rows, rowIDs.count <= EqualityFilter.rowLimit else {
      return false
    }
    return try rowIDs.allSatisfy { rowID in
      try isMissing(from: old.value(of: query, rowID: rowID))
        && isMissing(from: new.value(of: query, rowID: rowID))
    }
  }

  /// Whether a row with this value cannot meet the condition.
  ///
  /// False for other storage classes: SQLite may convert a value, after which it is equal.
  private func isMissing(from found: Value?) -> Bool {
    switch (found, value) {
    case (.none, _), (.null, _): true
    case (.integer(let found), .integer(let value)): found != value
    case (.text(let found), .text(let value)): found != value
    default: false
    }
  }

  /// More rows are looked up fast enough by each list separately.
  private static var rowLimit: Int { 8 }
}
