import FetchedResults
package import RowQueries
package import SQLiteStorage

/// A source on the command line or in a configuration, with its order, sections, condition and totals. A URL
/// names it, and never has SQL itself.
package struct GivenSource: Sendable {
  /// The name of the list in a configuration; nil for the source of the command line.
  package var list: String?
  /// The name of a table or a view; nil if `select` is the source.
  package var table: String?
  /// The SELECT that is the source; nil for a table or a view.
  package var select: String?
  /// The condition that its rows meet; nil for all rows.
  package var condition: String?
  /// The column or the SQL expression of its sections; nil for none.
  package var by: String?
  package var sort: [String]
  package var totals: [TotalOption]
  /// The columns to show; nil for all.
  package var columns: String?
  /// The values for the parameters of the SQL.
  package var parameters: [ExactText: Value]
  /// The columns that identify a row; nil for the source's own key.
  package var key: String?

  package init(
    list: String? = nil, table: String? = nil, select: String? = nil, condition: String? = nil,
    by: String? = nil,
    sort: [String] = [], totals: [TotalOption] = [], columns: String? = nil,
    parameters: [ExactText: Value] = [:], key: String? = nil
  ) {
    self.list = list
    self.table = table
    self.select = select
    self.condition = condition
    self.by = by
    self.sort = sort
    self.totals = totals
    self.columns = columns
    self.parameters = parameters
    self.key = key
  }

  /// The name by which a URL names it.
  package var name: String { list ?? table ?? "SELECT" }

  var callersSQL: [String] { [select, condition, by].compactMap(\.self) }

  /// Checks the request once, to find errors before a page is opened.
  package func check(in database: Database) throws {
    do {
      let query = try database.read { connection in
        let source = try RowSource(select, or: table ?? "", where: condition, in: connection)
        return try RowQuery(
          source, by: by, sort: sort, columns: try columns.map(source.columns(in:)), totals: totals,
          parameters: parameters, callersSQL: callersSQL, key: key)
      }
      try query.reading { try query.request.check(in: database, sectionedBy: query.sectionKey) }
    } catch let error as DatabaseError where error.code == .invalidArguments && list == nil {
      throw DatabaseError(
        error.code, error.message, sql: error.sql,
        nextStep: "sections serve takes no parameters. Write the value into the SQL")
    }
  }
}
