internal import LiveQueries
internal import SQLiteStorage

extension PlanCompiler {
  /// The totals of the request.
  ///
  /// - Parameter sectionTerms: the terms that sort the sections. The last one is the section key.
  func totals(
    _ sectioning: QueryPlan.Sectioning, _ sectionTerms: [QueryPlan.OrderTerm]
  ) throws -> TotalParts {
    var parts = TotalParts()
    for total in request.totals { try append(total, to: &parts) }
    guard case .sql = sectioning, let term = sectionTerms.last else { return parts }
    // A column of a view or a SELECT may hold values of another type than its affinity, which a
    // comparison would convert. `+` removes the affinity; a table's column keeps its SQL index.
    let isOfTable = source.table?.kind == .table
    parts.sectionKey = BoundSQL(isOfTable ? "" : "+") + term.expression + term.collate
    return parts
  }

  private func append(_ total: SectionTotal<Record>, to parts: inout TotalParts) throws {
    var name = total.function.rawValue
    var argument: BoundSQL?
    var collation: Collation?
    switch total.argument {
    case nil: break
    case .property(let property):
      let column = try column(of: property, use: "compute the \(name) of")
      name += "(\(column))"
      argument = BoundSQL(column.quotedIdentifier)
      if total.function.isExtreme { collation = try source.collation(of: column, in: connection) }
    case .expression(let fragment):
      do {
        let expression = try sql(fragment)
        name += "(\(expression.text))"
        argument = BoundSQL("(") + expression + "\n)"
        if total.function.isExtreme { collation = try self.collation(of: expression) }
      } catch let error as DatabaseError {
        throw error.located("the total \(name)(\(fragment.text))")
      }
    }
    let known = parts.arguments.firstIndex {
      $0.text.exact == argument?.text.exact && $0.values == argument?.values
    }
    if let argument, known == nil { parts.arguments.append(argument) }
    parts.terms.append(
      TotalTerm(
        function: total.function, name: name,
        argument: argument.map { _ in known ?? parts.arguments.count - 1 }, collation: collation,
        comparator: try comparator(for: collation ?? .binary)))
  }

  /// The collation under which SQLite compares an expression.
  private func collation(of expression: BoundSQL) throws -> Collation {
    Collation(
      name: try connection.collation(
        ofColumn: 0, of: 1, in: "SELECT (\(expression.text)\n) FROM \(source.sql)"))
  }
}
