package import SQLiteStorage

/// The rows that somebody asks for, by arguments of the command line, of a configuration or of a URL.
package struct RowArguments: Sendable {
  /// The name of a table or a view, or a SELECT.
  package var source: String
  /// The SELECT that is read in place of `source`; nil if there is none.
  package var select: String?
  /// The condition that the rows meet; nil for all rows.
  package var condition: String?
  /// The column or the SQL expression that makes the sections; nil for none.
  package var by: String?
  /// The sort terms, in lists separated by commas.
  package var sort: [String]
  /// The columns to show, in lists separated by commas; empty for all.
  package var columns: [String]
  package var totals: [TotalOption]
  /// The values for the parameters of the SQL.
  package var parameters: [ExactText: Value]
  /// The columns that identify a row, separated by commas; nil for the source's own key.
  package var key: String?
  package var limit: Int?
  package var offset: Int

  package init(
    _ source: String = "", select: String? = nil, condition: String? = nil, by: String? = nil,
    sort: [String] = [], columns: [String] = [], totals: [TotalOption] = [],
    parameters: [ExactText: Value] = [:], key: String? = nil, limit: Int? = nil, offset: Int = 0
  ) {
    self.source = source
    self.select = select
    self.condition = condition
    self.by = by
    self.sort = sort
    self.columns = columns
    self.totals = totals
    self.parameters = parameters
    self.key = key
    self.limit = limit
    self.offset = offset
  }

  /// The SQL that the caller has written, without the totals.
  var callersSQL: [String] { [select ?? source, condition, by].compactMap(\.self) }

  /// The source, in the version that `connection` sees.
  package func rowSource(in connection: Connection) throws -> RowSource {
    try RowSource(select, or: source, where: condition, in: connection)
  }

  /// The request for the rows, in the version that `connection` sees.
  package func query(in connection: Connection) throws -> RowQuery {
    try RowQuery(rowSource(in: connection), self)
  }
}
