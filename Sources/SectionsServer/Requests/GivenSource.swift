package import RowQueries
package import SQLiteStorage

/// The source on the command line, with its order, sections, condition and totals. A URL names it, and
/// never has SQL itself.
package struct GivenSource: Sendable {
  /// The name of a table or a view; nil if `select` is the source.
  package var table: String?
  /// The SELECT that is the source; nil for a table or a view.
  package var select: String?
  /// The condition that its rows meet; nil for all rows.
  package var condition: String?
  /// The column or the SQL expression of its sections; nil for none.
  package var by: String?
  package var sort: [String]
  package var totals: [TotalArgument]
  /// The columns to show; nil for all.
  package var columns: String?
  /// The values for the parameters of the SQL.
  package var parameters: [String: Value]

  package init(
    table: String? = nil, select: String? = nil, condition: String? = nil, by: String? = nil,
    sort: [String] = [], totals: [TotalArgument] = [], columns: String? = nil,
    parameters: [String: Value] = [:]
  ) {
    self.table = table
    self.select = select
    self.condition = condition
    self.by = by
    self.sort = sort
    self.totals = totals
    self.columns = columns
    self.parameters = parameters
  }

  /// The name by which a URL names it.
  var name: String { table ?? "SELECT" }

  var callersSQL: [String] { [select, condition, by].compactMap(\.self) }

  /// Makes the request once, to find errors before a page is opened.
  ///
  /// - Throws: `ArgumentError`, `FetchError` and `DatabaseError`.
  package func check(in connection: Connection) throws {
    let source = try RowSource(select, or: table ?? "", where: condition, in: connection)
    _ = try RowQuery(
      source, by: by, sort: sort, columns: try columns.map(source.columns(in:)), totals: totals,
      parameters: parameters, callersSQL: callersSQL)
  }
}
