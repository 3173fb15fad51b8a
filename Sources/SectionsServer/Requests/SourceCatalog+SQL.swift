import FetchedResults
import RowQueries
import SQLiteStorage

/// A list as the SELECT that people would write.
extension SourceCatalog {
  /// The SELECT of the rows of a list, with its conditions and its order; its sections are the first term of that.
  ///
  /// - Throws: what ``query(_:in:)`` throws; `RequestError` of status 400 if the source has parameters.
  func select(_ list: ListParameters, in connection: Connection) throws -> String {
    _ = try query(list, in: connection)
    let (base, table) = try origin(of: list, in: connection)
    guard base.rows.parameters.isEmpty else {
      throw RequestError(
        400, "\(base.name) has parameters", nextStep: "Type the SELECT with their values")
    }
    let source = try rows(of: base, table, in: connection)
    let given = try source.columns(in: base.rows.columns)
    let columns = (list.columns.isEmpty ? given : list.columns).map { "\(identifier: $0)" as SQL }
    let name: SQL = "\(identifier: table?.name ?? base.name)"
    let select = base.rows.select.map { SQL(verbatim: "(\($0.trimmingTerminator)\n)") }
    var lines: [SQL] = [
      "SELECT \(columns.isEmpty ? "*" : columns.joined(separator: ", "))",
      "FROM \(select ?? name)",
    ]
    let conditions = try conditions(list, source, table, connection).map { alternatives in
      let any = alternatives.joined(separator: " OR ")
      return alternatives.count == 1 ? any : "(\(any))"
    }
    let all = (base.rows.condition.map { [SQL(verbatim: "(\($0)\n)")] } ?? []) + conditions
    if !all.isEmpty { lines.append("WHERE \(all.joined(separator: "\n  AND "))") }
    let order = try source.orderTerms(by: sort(of: list, base, source), sections: list.by)
    if !order.isEmpty { lines.append("ORDER BY \(order.joined(separator: ", "))") }
    return lines.joined(separator: "\n").description
  }
}
