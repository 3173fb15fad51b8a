import FetchedResults
import RowQueries
import SQLiteStorage

/// The names by which people know the rows that foreign keys refer to.
extension SourceList {
  /// What a request asks for.
  struct NameQuery: Sendable {
    /// The table with the rows.
    let source: String
    /// The column that foreign keys refer to, and its values.
    let column: String
    let values: [Value]
    /// A text that the names have in them; nil if the values are given.
    let text: String?
    /// The column with the names.
    let name: String

    private static let mostValues = 200
    /// The number of rows that are found by their names.
    private static let mostFound = 20

    init(_ items: QueryItems) throws {
      guard let source = items.value("source"), let column = items.value("column"),
        let name = items.value("name")
      else {
        throw RequestError(
          400, "source, column and name are needed",
          nextStep: "Name a table, a column that is referred to, and one with names")
      }
      (self.source, self.column, self.name) = (source, column, name)
      values = try items.values("value").map { text in
        guard let values = IdentityText.identity(text)?.values, values.count == 1 else {
          throw RequestError(
            400, "value is not written as in the key of a row", nextStep: "Write 12 or 'TEXT'")
        }
        return values[0]
      }
      text = items.value("contains")
      guard text == nil || values.isEmpty else {
        throw RequestError(
          400, "there are values and contains", nextStep: "Give value or contains, not both")
      }
      guard text != nil || 1...Self.mostValues ~= values.count else {
        throw RequestError(
          400, "there are no values, or more than \(Self.mostValues)", nextStep: "Ask for some")
      }
      if let text { try ListParameters.Condition.requirePattern(text) }
    }

    /// The condition that chooses the rows, and how many there may be.
    ///
    /// - Parameters:
    ///   - column: the column that foreign keys refer to, as SQL.
    ///   - name: the one with the names.
    func condition(_ column: SQL, _ name: SQL) -> (sql: SQL, limit: Int) {
      guard let text else { return ("\(column) IN \(values)", values.count) }
      // What is short is what was looked for.
      return ("\(name) LIKE \(contains: text) ORDER BY length(\(name)), 1", Self.mostFound)
    }
  }

  /// Reads the names, as `/api/names` answers them.
  ///
  /// - Throws: `RequestError` for a table or a column that does not exist, or if it takes too long.
  func names(_ query: NameQuery) async throws -> [UInt8] {
    let rows = try await reading { [catalog] connection in
      let table = try catalog.table(named: query.source, in: connection)
      func column(_ name: String) throws -> SQL {
        let column = table.columns.first { $0.name.exact == name.exact }
        let known = try catalog.known(column, name, of: table.name, table.columns.map(\.name))
        return "\(identifier: known.name)"
      }
      let (key, name) = (try column(query.column), try column(query.name))
      let condition = query.condition(key, name)
      return try connection.rows(
        """
        SELECT \(key) AS value, \(name) AS name
        FROM \(identifier: table.schema).\(identifier: table.name)
        WHERE \(condition.sql) LIMIT \(condition.limit)
        """)
    }
    let buffer = OutputBuffer()
    try buffer.object {
      buffer.member("names")
      try buffer.append(array: rows) { row in
        try buffer.object {
          buffer.member("value")
          try buffer.append(shown: row.values[0])
          buffer.member("name")
          try buffer.append(shown: row.values[1])
        }
      }
    }
    return buffer.bytes
  }
}
