public import SQLiteStorage

extension FetchRequest where Record == Row {
  /// Requests the rows of a table or view, with all of its columns.
  ///
  /// ```swift
  /// let request = FetchRequest(table: "track").sorted(by: \Row["name"])
  /// ```
  ///
  /// - Parameter key: the columns that identify a row; nil for the key of the table; that of a view is inferred, as in
  ///   ``init(select:key:)``.
  public init(table: String, key: [String]? = nil) {
    self.init(Row.description(.table(table), key: key.map { .columns($0) } ?? .ofTable))
  }

  /// Requests the rows of a SELECT.
  ///
  /// - Parameter key: the columns that identify a row. If nil, the key is inferred. That is possible if the SELECT
  ///   returns the keys of all joined tables, or all values that it groups by, or is a `DISTINCT` or `UNION`. Its
  ///   `ORDER BY` then follows the request's sort terms. Otherwise a row is identified by its content, and the rows
  ///   that are shown are kept in memory.
  public init(select: SQL, key: [String]? = nil) {
    self.init(
      Row.description(.select(NamedSelect(select)), key: key.map { .columns($0) } ?? .inferred))
  }

  /// Returns a request for only these columns of the rows.
  ///
  /// Conditions, orders and sections may still use all columns.
  public func columns(_ names: [String]) -> FetchRequest {
    columns(names.map { SelectedColumn(name: $0) })
  }

  /// Returns a request for only these columns of the rows, or for values computed from them.
  package func columns(_ columns: [SelectedColumn]) -> FetchRequest {
    var request = self
    request.description = Row.description(
      description.source, key: description.key, columns: columns)
    return request
  }

  /// Returns a request for the same rows, identified by these columns, as ``init(table:key:)``.
  public func identified(by key: [String]) -> FetchRequest {
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
      source: source, key: key, columns: columns,
      mapping: .named(
        columnOfProperty: column(of:in:),
        valueOfColumn: { row, name in row.columnNames.position(of: name).map { row.values[$0] } }),
      decode: { Row($0) })
  }

  /// The same description without the columns after those of `names`, which the caller has added.
  static func description(
    _ description: RecordDescription<Row>, onlyReading names: ColumnNames
  ) -> RecordDescription<Row> {
    RecordDescription(
      source: description.source, key: description.key, columns: description.columns,
      mapping: description.mapping
    ) { row in Row(columnNames: names, values: (0..<names.count).map { row.value(at: $0) }) }
  }

  /// The column name in a key path such as `\Row["name"]`; nil for any other key path.
  private static func column(of property: AnyProperty<Row>, in columns: [String]) -> String? {
    // A key path does not show its name, but the row that it is applied to receives it.
    let heard = Locked<String?>(nil)
    let names = ColumnNames(columns) { name in heard.withLock { $0 = $0 ?? name } }
    _ = Row(columnNames: names, values: columns.map { _ in .null })[keyPath: property]
    guard let name = heard.withLock({ $0 }) else { return nil }
    let byName: AnyProperty<Row> = \Row[name]
    return byName == property ? name : nil
  }
}
