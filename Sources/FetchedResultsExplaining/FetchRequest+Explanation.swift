public import FetchedResults
public import SQLiteStorage

extension FetchRequest {
  /// Explains how the result is kept up to date: the verdict, the queries that lead from a changed
  /// row of each table to rows of the result, SQLite's plan of each query, and the indexes that
  /// would help.
  ///
  /// ```swift
  /// print(try request.explained(in: database))
  /// ```
  ///
  /// The request is compiled, but not fetched. The file is only read: indexes are tried on an empty
  /// copy of the schema, which is removed afterwards.
  ///
  /// Complexity: some milliseconds, whatever the number of rows. With `isMeasured`, the queries of
  /// one existing row of each table are run too, each at least once, and then for up to a fifth of a
  /// second for each derivation.
  ///
  /// - Parameters:
  ///   - sectionKey: the key that divides the result into sections; nil for none.
  ///   - isMeasured: whether to measure what one changed row of each table costs.
  /// - Throws: `FetchError` and `DatabaseError` if the request is not valid for this database.
  public func explained(
    in database: Database, sectionedBy sectionKey: SectionKey<Record>? = nil,
    isMeasured: Bool = false
  ) throws -> MaintenanceExplanation {
    try database.withSnapshot {
      try explained(in: $0, of: database, sectionedBy: sectionKey, isMeasured: isMeasured)
    }
  }

  /// The same for one section for each value of a property.
  ///
  /// Complexity and errors: as for a `SectionKey`.
  public func explained<Key: ColumnValue>(
    in database: Database, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable,
    isMeasured: Bool = false
  ) throws -> MaintenanceExplanation {
    try explained(in: database, sectionedBy: .property(keyPath), isMeasured: isMeasured)
  }

  func explained(
    in snapshot: Snapshot, of database: Database, sectionedBy sectionKey: SectionKey<Record>?,
    isMeasured: Bool
  ) throws -> MaintenanceExplanation {
    let explainer = MaintenanceExplainer(
      request: self, sectionKey: sectionKey, database: database)
    return try snapshot.read { connection in
      try explainer.explanation(in: connection, isMeasured: isMeasured)
    }
  }
}

extension FetchedResultsProvider {
  /// Explains `maintenance`, for the version that is shown; before the first fetch, or if that has expired, for the newest.
  ///
  /// Complexity and errors: as `explained(in:sectionedBy:isMeasured:)` of a request.
  ///
  /// - Parameter isMeasured: whether to measure what one changed row of each table costs.
  public func explanation(isMeasured: Bool = false) throws -> MaintenanceExplanation {
    if let shown = databaseSnapshot {
      do {
        return try request.explained(
          in: shown, of: database, sectionedBy: sectionKey, isMeasured: isMeasured)
      } catch let error as DatabaseError where error.code == .versionExpired {
        // The file does not pin versions, or the database was suspended since.
      }
    }
    return try request.explained(
      in: database, sectionedBy: sectionKey, isMeasured: isMeasured)
  }
}
