internal import LiveQueries
package import SQLiteStorage

// The SQL of a request: conditions, terms, expressions.

extension PlanCompiler {
  func sql(_ fragment: SQLFragment<Record>) throws -> BoundSQL {
    let result = try fragment.bound(by: request.description) { try column(of: $0, use: "read") }
    try check(result)
    return result
  }

  /// Throws if there are more values than SQLite binds in one statement, with a reserve for the
  /// values of a keyset query.
  func refuseTooManyValues(_ sql: BoundSQL) throws {
    let limit = connection.parameterLimit - 1_000
    guard sql.values.count > limit else { return }
    throw DatabaseError(
      .invalidArguments,
      "the request has \(sql.values.count) values, and at most \(limit) can be bound",
      sql: sql.text,
      nextStep: "Bind a long list as one JSON text: IN (SELECT value FROM json_each(?))")
  }

  /// Validates a fragment alone: among other fragments an error could stay hidden.
  private func check(_ fragment: BoundSQL) throws {
    try refuseTooManyValues(fragment)
    guard !FragmentEnds(fragment.text).leavesParentheses else {
      throw DatabaseError(
        .statementRefused, "a parenthesis is closed that was not opened", sql: fragment.text,
        nextStep: "Remove it, or open it")
    }
    // As a condition, which cannot contain an aggregate. In an expression, an aggregate would turn
    // all rows into one.
    let start = "SELECT 1 FROM \(source.sql) WHERE ("
    let sql = "\(start)\(fragment.text)\n)"
    let statement: Statement
    do {
      statement = try connection.namingMissingTable(of: sql) { try connection.prepare(sql) }
    } catch let error as DatabaseError {
      let columns =
        error.isAboutName(in: sql)
        ? "The columns of \(source.table?.name ?? "the SELECT") are: "
          + source.columns.joined(separator: ", ") : nil
      // The SQL around the fragment was not written by the caller.
      throw DatabaseError(
        error.code, error.message(about: fragment.text, after: start.utf8.count),
        resultCode: error.resultCode, sql: fragment.text,
        nextStep: error.nextStep ?? columns, cause: error)
    }
    try statement.refuseNumberedParameters()
    let missing = statement.positionalParameterCount - fragment.values.count
    guard missing == 0 else {
      throw DatabaseError(
        .invalidArguments,
        missing > 0
          ? "the parameter ? has no value" : "\(-missing) values have no ? to stand for",
        sql: fragment.text,
        nextStep: "Give a value for each ?, or name it, as in :id, and give that a value",
        cause: missing > 0 ? MissingParameter(name: nil) : nil)
    }
  }
}

extension SQLFragment where Record: Sendable {
  /// The SQL with its values, which is not checked.
  ///
  /// - Parameter column: finds the column of a property, or throws.
  func bound(
    by description: RecordDescription<Record>, _ column: (AnyProperty<Record>) throws -> String
  ) throws -> BoundSQL {
    var result = BoundSQL("")
    for piece in pieces {
      switch piece {
      case .sql(let text, let values):
        result = result + BoundSQL(text, values)
      case .property(let property):
        result = result + (try column(property).quotedIdentifier)
      case .name(let name):
        result = result + (try name.get().quotedIdentifier)
      case .membership(let property, let values):
        result = result + description.membership(try column(property), values)
      case .written(let property, let value):
        let storage = description.storage(ofColumn: try column(property))
        result = result + BoundSQL("?", [storage?.inOrder(value) ?? value])
      }
    }
    return result
  }
}

extension RecordDescription {
  /// The condition that a column has one of some values, in a form that its property reads.
  fileprivate func membership(_ column: String, _ values: [Value]) -> BoundSQL {
    let name = column.quotedIdentifier
    let forms = spelling(ofColumn: column).forms(of: values)
    if forms.count < values.count, forms.isEmpty { return BoundSQL("\(name) IS NULL") }
    let isForm =
      if forms.count == 1 {
        BoundSQL("\(name) = ?", forms)
      } else {
        BoundSQL(
          "\(name) IN (\(Array(repeating: "?", count: forms.count).joined(separator: ", ")))", forms
        )
      }
    guard values.contains(.null) else { return isForm }
    return BoundSQL("(\(name) IS NULL OR ") + isForm + ")"
  }
}

extension DatabaseError {
  /// Whether the SQL may have an error of syntax: it is neither a SELECT nor an expression that is understood.
  package var mayBeAboutSyntax: Bool {
    guard code == .sqlite, let sql else { return false }
    return (try? NamedSource.all(in: sql)) == nil
      && (try? NamedSource.all(in: "SELECT (\(sql)\n)")) == nil
  }

  /// The message about SQL that was checked between parentheses, without the one that SQLite met at its end.
  ///
  /// - Parameter start: the number of bytes before it.
  fileprivate func message(about fragment: String, after start: Int) -> String {
    guard code == .sqlite, .error ~= resultCode else { return message }
    let ends = FragmentEnds(fragment)
    if ends.hasOpenQuote { return "a quote is not closed" }
    let metEnd = offset.map { $0 >= start + fragment.utf8.count } ?? false
    return metEnd || ends.opensParentheses ? "the SQL ends too early" : message
  }

  /// Whether SQLite does not know a name, which is not that of a function, in a SELECT without an error of syntax.
  fileprivate func isAboutName(in sql: String) -> Bool {
    guard code == .sqlite, .error ~= resultCode, let offset,
      (try? NamedSource.all(in: sql)) != nil
    else { return false }
    let tokens = SQLLexer(sql).filter { !$0.isBlank }
    guard let index = tokens.firstIndex(where: { $0.range.lowerBound == offset }),
      [.word, .quotedName].contains(tokens[index].kind)
    else { return false }
    let next = tokens[(index + 1)...].first
    return next.map { SQLLexer(sql).text($0) } != "("
  }
}

/// Whether the quotes and parentheses of a fragment end in it. A fragment that does not end has no syntax tree, and one
/// that ends too early is two.
struct FragmentEnds {
  /// Whether a parenthesis is closed that was not opened.
  private(set) var leavesParentheses = false
  /// Whether a parenthesis is opened that is not closed.
  var opensParentheses: Bool { depth > 0 }
  /// Whether a text or a name in quotes has no end.
  private(set) var hasOpenQuote = false
  private var depth = 0

  init(_ sql: String) {
    let lexer = SQLLexer(sql)
    for token in lexer {
      switch (token.kind, lexer.text(token)) {
      case (.symbol, "("): depth += 1
      case (.symbol, ")"):
        depth -= 1
        if depth < 0 { leavesParentheses = true }
      case (.illegal, let text) where token.range.upperBound == lexer.utf8.count:
        hasOpenQuote = text.utf8.first.map("'\"`[".utf8.contains) ?? false
      default: break
      }
    }
  }
}
