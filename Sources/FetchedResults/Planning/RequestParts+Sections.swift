internal import SQLiteStorage

// The queries of a request that is read once, in sections.

extension RequestParts {
  /// The query for the records in order, within the window of the request, and which of its columns is the section key;
  /// nil if SQL does not compute it. The columns of the record are the first.
  var sectionedRecords: (sql: BoundSQL, key: Int?) {
    var selected = columns.map { BoundSQL($0.sql) }
    var key: Int?
    if case .sql(let expression, _, _) = sectioning {
      key = columns.firstIndex {
        expression.values.isEmpty && $0.sql.exact == expression.text.exact
      }
      if key == nil {
        key = selected.count
        selected.append(expression)
      }
    }
    return (select(selected) + where_([filter]) + orderBy + windowClause, key)
  }

  /// The query for the sections in order: the key, unless the result is not divided; the number of rows; some totals.
  ///
  /// If the order does not begin with the key, the last column is the number of rows from the first one of the section to
  /// its last.
  ///
  /// - Parameters:
  ///   - terms: the totals.
  ///   - isDivided: whether the sections are counted, and not all rows together.
  func sectionCounts(with terms: [TotalTerm], isDivided: Bool) -> BoundSQL {
    let counts = [BoundSQL("count(*)")] + terms.map { $0.sql(ofArgument: RequestParts.counted) }
    let arguments = totals.arguments.enumerated().map { $1 + " AS \(RequestParts.counted($0))" }
    // With a window, the totals are those of the rows in it.
    let rows = where_([filter]) + (isWindow ? orderBy + windowClause : BoundSQL(""))
    guard isDivided, let term = sectionTerm else {
      return list(counts) + " FROM (" + select(arguments) + rows + ")"
    }
    var selected = [term.expression + " AS \(RequestParts.countedKey)"] + arguments
    var result = [BoundSQL(RequestParts.countedKey)] + counts
    var order = term.sql(of: RequestParts.countedKey)
    if !sectioning.isContiguous {
      let number = "\"number of the row\""
      selected.append(BoundSQL("row_number() OVER (") + orderBy + ") AS \(number)")
      result.append(BoundSQL("max(\(number)) - min(\(number)) + 1"))
      order = "min(\(number))"
    }
    let grouping = " GROUP BY \(RequestParts.countedKey)\(term.collate) ORDER BY \(order)"
    return list(result) + " FROM (" + select(selected) + rows + ")" + grouping
  }

  /// The query for what the totals are computed from, of all rows.
  var allTotalArguments: BoundSQL { select(totals.arguments) + where_([filter]) }

  private func list(_ selected: [BoundSQL]) -> BoundSQL {
    BoundSQL("SELECT ") + selected.joined(", ")
  }

  /// The term of the order that is the section key; nil if SQL does not compute it.
  var sectionTerm: QueryPlan.OrderTerm? {
    guard case .sql(_, _, let isContiguous) = sectioning else { return nil }
    return terms[isContiguous ? 0 : 1]
  }

  // Names that a sort term, which SQLite looks up among them first, is unlikely to have.
  private static var countedKey: String { "\"key of the section\"" }

  static func counted(_ argument: Int) -> String { "\"argument \(argument) of a total\"" }
}

extension QueryPlan.OrderTerm {
  /// The term for `ORDER BY`, of a column that has its value.
  fileprivate func sql(of column: String) -> String {
    QueryPlan.OrderTerm(
      expression: BoundSQL(column), isNumber: false, collation: collation, comparison: comparison
    ).sql.text
  }
}

extension TotalTerm {
  fileprivate func sql(ofArgument name: (Int) -> String) -> BoundSQL {
    sql(BoundSQL(argument.map(name) ?? "*"))
  }
}
