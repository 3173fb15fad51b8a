package import FetchedResults
package import SQLiteStorage

/// A table, a view or a SELECT, and its columns.
package struct RowSource {
  /// All rows that meet the condition.
  package let request: FetchRequest<Row>
  package let columns: [String]
  /// The name of the source in messages.
  package let name: String
  /// The columns that can be named, with a rowid that has no other name.
  private let knownColumns: ListedNames

  /// Looks up a source.
  ///
  /// - Parameters:
  ///   - select: the SELECT that is the source; nil if the source is `argument`.
  ///   - condition: the condition that its rows must meet; nil for all rows.
  /// - Throws: `DatabaseError` if a SELECT is not valid, `FetchError` with code `.noSuchTable`.
  package init(
    _ select: String?, or argument: String, where condition: String?, in connection: Connection
  ) throws {
    if select == nil, let table = try connection.table(named: argument) {
      self = try RowSource(table, where: condition, in: connection)
    } else if let sql = select ?? (argument.isStatement ? argument : nil) {
      _ = try connection.readRegion(of: sql)
      self.init(
        FetchRequest(select: SQL(verbatim: sql)).filtered(by: condition), name: "the SELECT",
        columns: try connection.prepare(sql).columnNames.names)
    } else {
      throw try connection.noSuchTable(argument)
    }
  }

  private init(
    _ table: TableDescription, where condition: String?, in connection: Connection
  ) throws {
    let columns = table.columns.map(\.name)
    guard !table.key.isEmpty else {
      // The condition is inside the SELECT, next to the table, where MATCH works.
      let from: SQL = "FROM \(identifier: table.schema).\(identifier: table.name)"
      var sql: SQL = "SELECT * \(from)"
      if let condition {
        let condition = SQL(verbatim: condition)
        // First prepared without parentheses, so that it cannot close them.
        _ = try connection.prepare("SELECT 1 \(from) WHERE \(condition)")
        sql = "\(sql) WHERE (\(condition)\n)"
      }
      self.init(FetchRequest(select: sql), name: table.name, columns: columns)
      return
    }
    self.init(
      FetchRequest(table: table.name).filtered(by: condition), name: table.name, columns: columns,
      key: table.key)
  }

  private init(
    _ request: FetchRequest<Row>, name: String, columns: [String], key: [String] = []
  ) {
    self.request = request
    self.name = name
    self.columns = columns
    knownColumns = ListedNames(columns + key)
  }
}

// MARK: - Columns

extension RowSource {
  /// The columns in lists separated by commas, as the source spells them.
  package func columns(in lists: [String]) throws -> [String] {
    try knownColumns.names(in: lists, error: noSuchColumn)
  }

  package func column(named name: String) -> String? { knownColumns.name(name) }

  private func noSuchColumn(_ column: String) -> FetchError {
    FetchError(
      .noSuchColumn, "there is no column \(column.quotedIfBlank) in \(name)",
      nextStep: columns.count == 1
        ? "The only column is \(columns.listed)" : "The columns are: \(columns.listed)")
  }
}

// MARK: - Order

extension RowSource {
  /// The order and the sections.
  ///
  /// - Parameters:
  ///   - lists: terms separated by commas.
  ///   - sections: a column or, if the column does not exist, an expression. If the first term sorts
  ///     by the same, it is the order of the sections.
  package func order(
    by lists: [String], sections: String?
  ) throws -> (terms: [SortTerm<Row>], sectionKey: SectionKey<Row>?) {
    let (sectionColumn, expression, all) = try arguments(in: lists, sections)
    var arguments = all[...]
    var sectionKey = sectionColumn.map { SectionKey<Row>.property(\Row[$0]) }
    if let expression {
      let argument = arguments.first?.name.exact == expression.exact ? arguments.popFirst() : nil
      sectionKey = .expression(
        SQLFragment(verbatim: expression), argument?.direction ?? .ascending,
        collation: argument?.collation, nulls: argument?.nulls)
    }
    let terms = arguments.map { argument -> SortTerm<Row> in
      argument.name.exact == expression?.exact
        ? .expression(
          SQLFragment(verbatim: argument.name), argument.direction, collation: argument.collation,
          nulls: argument.nulls)
        : .by(
          \Row[argument.name], argument.direction, collation: argument.collation,
          nulls: argument.nulls)
    }
    return (terms, sectionKey)
  }

  /// The terms of the same order as ORDER BY has them, that of the sections first.
  package func orderTerms(by lists: [String], sections: String?) throws -> [SQL] {
    let (sectionColumn, expression, arguments) = try arguments(in: lists, sections)
    func term(_ name: String) -> SQL {
      name.exact == expression?.exact ? SQL(verbatim: "(\(name)\n)") : "\(identifier: name)"
    }
    let terms: [SQL] = arguments.map { "\(term($0.name))\(SQL(verbatim: $0.orderSuffix))" }
    guard let name = sectionColumn ?? expression, arguments.first?.name.exact != name.exact else {
      return terms
    }
    return [term(name)] + terms
  }

  /// The column of the sections, or their expression, and the terms.
  private func arguments(
    in lists: [String], _ sections: String?
  ) throws -> (sectionColumn: String?, expression: String?, terms: [SortArgument]) {
    let sectionColumn = sections.flatMap(column(named:))
    let expression = sectionColumn == nil ? sections : nil
    if let expression, !expression.contains(where: \.isOperator) {
      throw noSuchColumn(expression)
    }
    return (
      sectionColumn, expression,
      try lists.flatMap { try sortArguments(in: $0, or: expression) }
    )
  }

  private func sortArguments(in list: String, or expression: String?) throws -> [SortArgument] {
    let resolve = { $0.exact == expression?.exact ? expression : column(named: $0) }
    return try knownColumns.items(of: list, or: expression) {
      SortArgument($0, resolve: resolve)
    } error: { text in
      let (name, suffix) = SortArgument.splitLast(of: text)
      guard let suffix, SortArgument(name, resolve: resolve) != nil else {
        return noSuchColumn(String(text.prefix { $0 != ":" }))
      }
      return ArgumentError(
        option: "sort",
        "\(text): \(suffix.quotedIfBlank) is not one of "
          + SortArgument.suffixes.joined(separator: ", "))
    }
  }
}

extension String {
  /// Whether a source that is not a table is taken for a SELECT, and not for the name of a table.
  package var isStatement: Bool {
    if contains(where: \.isWhitespace) { return true }
    let lexer = SQLLexer(self)
    let tokens = lexer.filter { !$0.isBlank }
    guard let first = tokens.first, tokens.count > 1 else { return false }
    return ["select", "values", "with"].contains(lexer.text(first).sqliteFolded)
  }
}

extension Character {
  /// Whether it cannot be part of a plain name.
  fileprivate var isOperator: Bool { !isLetter && !isNumber && self != "_" }
}

extension FetchRequest {
  fileprivate func filtered(by condition: String?) -> FetchRequest {
    condition.map { filter(SQLFragment(verbatim: $0)) } ?? self
  }
}
