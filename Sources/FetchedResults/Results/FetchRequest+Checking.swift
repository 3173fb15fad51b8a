public import SQLiteStorage

extension FetchRequest {
  /// Checks that a list of the request can be shown: that its SQL is correct, and that it fits the schema.
  ///
  /// An app can check in a test that all of its requests fit the schema that its migrations make, and a program that
  /// takes SQL from its user can show an error before it opens a list.
  ///
  /// ```swift
  /// try Track.all.sorted(by: \.name).check(in: database, sectionedBy: \.genre)
  /// ```
  ///
  /// No record is read, so a record that cannot be decoded is not noticed.
  ///
  /// Complexity: some milliseconds, whatever the number of rows.
  ///
  /// - Parameter sectionKey: the key that divides the result into sections; nil for none.
  /// - Throws: `FetchError` and `DatabaseError`, as the first fetch would.
  public func check(
    in database: Database, sectionedBy sectionKey: SectionKey<Record>? = nil
  ) throws {
    try ResultLoader(database: database, request: self, sectionKey: sectionKey).validate()
  }

  /// Checks that a list of the request can be shown with one section for each value of a property.
  ///
  /// Complexity and errors: as for a `SectionKey`.
  public func check<Key: ColumnValue>(
    in database: Database, sectionedBy keyPath: any KeyPath<Record, Key> & Sendable
  ) throws { try check(in: database, sectionedBy: .property(keyPath)) }
}
