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
    /// The column with the names.
    let name: String

    private static let mostValues = 200

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
      guard 1...Self.mostValues ~= values.count else {
        throw RequestError(
          400, "there are no values, or more than \(Self.mostValues)", nextStep: "Ask for some")
      }
    }
  }

  /// Reads the names, as `/api/names` answers them.
  ///
  /// - Throws: `RequestError` for a table or a column that does not exist, or if it takes too long.
  func names(_ query: NameQuery) async throws -> [UInt8] {
    let rows = try await reading { [catalog] connection in
      let table = try catalog.table(named: query.source, in: connection)
      func column(_ name: String) throws -> String {
        let column = table.columns.first { $0.name.exact == name.exact }
        return try catalog.known(column, name, of: table.name, table.columns.map(\.name))
          .name.quotedIdentifier
      }
      let key = try column(query.column)
      let marks = Array(repeating: "?", count: query.values.count).joined(separator: ", ")
      let sql: String = """
        SELECT \(key) AS value, \(try column(query.name)) AS name
        FROM \(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)
        WHERE \(key) IN (\(marks)) LIMIT \(query.values.count)
        """
      return try connection.rows(sql, query.values)
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
