/// A copy of a row: its values and the names of its columns.
///
/// ```swift
/// let rows = try database.read { try $0.rows("SELECT name, genre FROM track") }
/// print(rows[0]["name"])
/// ```
public struct Row: Sendable {
  /// The names of the columns.
  public let columnNames: ColumnNames
  /// The values, in the order of the columns.
  public let values: [Value]

  /// Copies the current row of a statement.
  public init(_ row: borrowing RowView) {
    columnNames = row.columnNames
    var values: [Value] = []
    values.reserveCapacity(row.count)
    for column in 0..<row.count { values.append(row.value(at: column)) }
    self.values = values
  }

  /// Makes a row of `values`. There must be one value for each column.
  package init(columnNames: ColumnNames, values: [Value]) {
    self.columnNames = columnNames
    self.values = values
  }

  /// The value of the column with this name, compared as SQLite does; `.null` if there is none.
  public subscript(name: String) -> Value {
    columnNames.position(of: name).map { values[$0] } ?? .null
  }
}

extension Row: Hashable {
  /// Whether both rows have the same columns with the same values.
  public static func == (lhs: Row, rhs: Row) -> Bool {
    lhs.values == rhs.values && lhs.columnNames.names == rhs.columnNames.names
  }

  /// Feeds the values to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
