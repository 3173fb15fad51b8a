public import SQLiteStorage

extension FetchRequest where Record == Row {
  /// The rows of a table or view, with all of its columns.
  ///
  /// ```swift
  /// let request = FetchRequest(table: "track").sorted(by: \Row["name"])
  /// ```
  ///
  /// - Parameter key: the columns that identify a row; nil for the key of the table. A view and a
  ///   virtual table have none of their own: without a key a row is what it contains, and the rows are
  ///   read from a copy.
  public init(table: String, key: [String]? = nil) {
    self.init(Row.description(.table(table), key: key.map { .columns($0) } ?? .ofTable))
  }

  /// The rows of a SELECT.
  ///
  /// - Parameter key: the columns that identify a row; nil where nothing does: then a row is what it
  ///   contains, as in a view without a key.
  public init(select: String, key: [String]? = nil) {
    self.init(Row.description(.select(select), key: key.map { .columns($0) } ?? .position))
  }

  /// Only these columns of the rows.
  ///
  /// Conditions, orders and sections may still use all of them.
  public func columns(_ names: [String]) -> FetchRequest {
    columns(names.map { SelectedColumn(name: $0) })
  }

  /// Only these columns of the rows, or what is computed from them.
  package func columns(_ columns: [SelectedColumn]) -> FetchRequest {
    var request = self
    request.description = Row.description(
      description.source, key: description.key, columns: columns)
    request.description.extraColumn = description.extraColumn
    return request
  }

  /// The same rows, each with the value of an SQL expression after its columns.
  package func adding(expression sql: String) -> FetchRequest {
    var request = self
    // On a line of its own, in case it ends in a comment.
    request.description.extraColumn = SelectedColumn(name: sql, sql: "(\(sql)\n)")
    return request
  }
}

extension FetchRequest where Record == Row {
  /// The same rows, identified by these columns in place of what identified them before.
  package func identified(by key: [String]) -> FetchRequest {
    var request = self
    request.description = description.reading(description.source, key: .columns(key))
    return request
  }
}

extension Row {
  fileprivate static func description(
    _ source: RecordDescription<Row>.Source, key: RecordDescription<Row>.Key,
    columns: [SelectedColumn]? = nil
  ) -> RecordDescription<Row> {
    RecordDescription(
      source: source, key: key, columns: columns, columnOfProperty: column(of:in:),
      valueOfColumn: { row, name in row.columnNames.position(of: name).map { row.values[$0] } },
      decode: { Row($0) })
  }

  /// The column whose name a key path such as `\Row["name"]` was made with; nil for any other.
  private static func column(of property: AnyProperty<Row>, in columns: [String]) -> String? {
    // The key path keeps the name to itself, but the row that it is asked of hears it.
    let heard = Guarded<String?>(nil)
    let names = ColumnNames(columns) { name in heard.withLock { $0 = $0 ?? name } }
    _ = Row(columnNames: names, values: columns.map { _ in .null })[keyPath: property]
    guard let name = heard.withLock({ $0 }) else { return nil }
    let byName: AnyProperty<Row> = \Row[name]
    return byName == property ? name : nil
  }
}
