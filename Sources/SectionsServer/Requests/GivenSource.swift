import FetchedResults
package import RowQueries
package import SQLiteStorage

/// A source on the command line or in a configuration, with its order, sections, condition and totals. A URL
/// names it, and never has SQL itself.
package struct GivenSource: Sendable {
  /// The name of the list in a configuration; nil for the source of the command line.
  let list: String?
  package let rows: RowArguments

  /// - Parameter rows: of a table or a view by its name, as the schema spells it, or of a SELECT.
  package init(_ rows: RowArguments, list: String? = nil) {
    self.rows = rows
    self.list = list
  }

  /// The name of the table or the view; nil for a SELECT.
  var table: String? { rows.select == nil ? rows.source : nil }

  /// The name by which a URL names it.
  package var name: String { list ?? table ?? "SELECT" }

  /// Checks the request once, to find errors before a page is opened.
  package func check(in database: Database) throws {
    let query = try database.read { try rows.query(in: $0) }
    try query.reading { try query.request.check(in: database, sectionedBy: query.sectionKey) }
  }
}
