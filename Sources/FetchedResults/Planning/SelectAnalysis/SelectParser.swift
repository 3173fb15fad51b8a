internal import SQLiteStorage

/// Parses a SELECT if it is a ``SimpleSelect``, and says why if it is not.
///
/// It accepts only a few forms, and refuses all others. A SELECT that is refused costs time, but
/// one that is misunderstood would make lists wrong.
struct SelectParser {
  /// Why a SELECT is not simple.
  struct Refusal: Error {
    let reason: String
  }

  private let connection: Connection
  private let aggregates: Set<String>
  /// What is parsed, as reasons name it.
  private let name: String
  /// The schema in which unqualified tables are searched; nil for all schemas.
  private let schema: String?
  let sql: SQLTokens
  /// The tokens that are not read yet.
  var rest: Range<Int>

  private init(
    _ text: String, name: String, schema: String?, _ connection: Connection,
    aggregates: Set<String>
  ) {
    sql = SQLTokens(text)
    rest = sql.tokens.indices
    self.name = name
    self.schema = schema
    self.connection = connection
    self.aggregates = aggregates
  }

  /// The source of a SELECT.
  ///
  /// - Throws: ``Refusal``, and `DatabaseError`.
  static func source(ofSelect text: String, in connection: Connection) throws -> SimpleSelect.Source
  {
    var parser = SelectParser(
      text, name: "the SELECT", schema: nil, connection, aggregates: try connection.aggregates())
    return .select(try parser.select(), columns: nil, alias: nil)
  }

  /// The source of a view.
  ///
  /// - Throws: ``Refusal``, and `DatabaseError`.
  static func source(
    ofView view: TableDescription, in connection: Connection
  ) throws -> SimpleSelect.Source {
    try source(ofView: view, alias: nil, connection, aggregates: try connection.aggregates())
  }

  private static func source(
    ofView view: TableDescription, alias: String?, _ connection: Connection,
    aggregates: Set<String>
  ) throws -> SimpleSelect.Source {
    let text = try connection.value(
      String.self,
      """
      SELECT sql FROM \(view.schema.quotedIdentifier).sqlite_schema
      WHERE type = 'view' AND name = ? COLLATE NOCASE
      """, [.text(view.name)])
    var parser = SelectParser(
      text ?? "", name: "the view \(view.name)", schema: view.schema, connection,
      aggregates: aggregates)
    let columns = try parser.viewColumns()
    return .select(try parser.select(), columns: columns, alias: alias)
  }

  /// Reads up to the SELECT of a view.
  private mutating func viewColumns() throws -> String? {
    var columns: String?
    while !rest.isEmpty, !isKeyword("as") {
      if take(.open) {
        let end = try closing()
        columns = text(rest.lowerBound..<end)
        rest = end..<rest.upperBound
      }
      rest.removeFirst()
    }
    guard takeKeyword("as") else { throw unreadable }
    return columns
  }

  // MARK: - Clauses

  private mutating func select() throws -> SimpleSelect {
    try refuseWords()
    guard takeKeyword("select") else { throw unreadable }
    _ = takeKeyword("all")
    let columns = try expression(until: ["from"])
    guard takeKeyword("from") else { throw refusal("reads no table") }
    var items = [try item(isOptional: false)]
    while let isOptional = try join() { items.append(try item(isOptional: isOptional)) }
    var condition: String?
    if takeKeyword("where") { condition = text(try expression(until: ["order"])) }
    // Without a limit the order of a nested SELECT has no effect.
    if takeKeyword("order") { _ = try expression(until: []) }
    guard rest.isEmpty else { throw unreadable }
    let aliases = items.compactMap(\.item.source.alias?.sqliteFolded)
    guard Set(aliases).count == aliases.count else { throw refusal("has two tables of one name") }
    let equations = SelectEquations(items: items.map(\.item), sql: sql)
    return SimpleSelect(
      columns: text(columns),
      items: items.map { item, condition in
        var item = item
        item.equations = condition.map(equations.equations(in:)) ?? []
        return item
      }, condition: condition)
  }

  /// Reads the keyword or comma between two items.
  ///
  /// - Returns: whether the next item is optional; nil at the end of FROM.
  private mutating func join() throws -> Bool? {
    if take(.comma) { return false }
    let isOptional = takeKeyword("left")
    let isNamed =
      isOptional ? takeKeyword("outer") || true : takeKeyword("inner") || takeKeyword("cross")
    guard takeKeyword("join") else {
      if isNamed { throw unreadable }
      return nil
    }
    return isOptional
  }

  /// Reads an item and its constraint.
  ///
  /// - Returns: the item, and the tokens of the condition after `ON`.
  private mutating func item(
    isOptional: Bool
  ) throws -> (item: SimpleSelect.Item, condition: Range<Int>?) {
    let source = try source()
    if isOptional, source.leaves([]).contains(where: \.isOptional) {
      throw refusal("has a LEFT JOIN in what is joined by a LEFT JOIN")
    }
    var constraint = ""
    var condition: Range<Int>?
    if takeKeyword("on") {
      let range = try expression(until: ["join", "left", "inner", "cross", "where", "order"])
      constraint = "ON " + text(range)
      condition = range
    } else if takeKeyword("using") {
      guard take(.open) else { throw unreadable }
      let end = try closing()
      constraint = "USING (\(text(rest.lowerBound..<end)))"
      rest = (end + 1)..<rest.upperBound
    }
    return (
      SimpleSelect.Item(source: source, isOptional: isOptional, constraint: constraint), condition
    )
  }

  private mutating func source() throws -> SimpleSelect.Source {
    if take(.open) {
      guard isKeyword("select") else { throw refusal("has parentheses in FROM") }
      let end = try closing()
      var nested = self
      nested.rest = rest.lowerBound..<end
      let select = try nested.select()
      rest = (end + 1)..<rest.upperBound
      return .select(select, columns: nil, alias: try alias())
    }
    var name = try identifier()
    var schema = schema
    if take(.dot) {
      schema = name
      name = try identifier()
    }
    guard peek != .open else { throw refusal("reads the table-valued function \(name)") }
    let alias = try alias()
    guard let table = try connection.table(named: name, in: schema) else { throw unreadable }
    guard table.schema != "temp" else { throw refusal("reads the temporary \(table.name)") }
    switch table.kind {
    case .view:
      return try SelectParser.source(
        ofView: table, alias: alias ?? name, connection, aggregates: aggregates)
    case .table where !table.name.sqliteFolded.hasPrefix("sqlite_"):
      guard table.isWithoutRowID || table.anyRowIDName != nil else {
        throw Refusal(reason: "columns hide the rowid of \(table.name)")
      }
      return .table(table, alias: alias ?? name)
    default: throw refusal("reads \(table.name), which is no ordinary table")
    }
  }

  private mutating func alias() throws -> String? {
    if takeKeyword("as") { return try identifier() }
    guard case .word? = peek, !clauseWords.contains(where: isKeyword) else { return nil }
    return try identifier()
  }

  // MARK: - Refusals

  private func refuseWords() throws {
    for index in rest {
      guard let word = keyword(at: index) else { continue }
      if refusedWords.contains(word) { throw refusal("has \(word.uppercased())") }
      if word == "in", token(index + 1) != .open { throw refusal("has IN with a table") }
    }
    for call in SQLTokens(text(rest)).calls(of: aggregates)
    where !["min", "max"].contains(call.function) || call.arguments.count < 2 {
      throw refusal("calls the aggregate \(call.function)()")
    }
  }

  func refusal(_ reason: String) -> Refusal { Refusal(reason: "\(name) \(reason)") }

  var unreadable: Refusal { refusal("is of a form that is not known") }
}

/// Words that cannot be the alias of a table.
private let clauseWords = [
  "on", "using", "join", "left", "inner", "cross", "where", "order",
]

/// Words that combine several rows of a table into one row, or make rows depend on each other.
private let refusedWords: Set = [
  "distinct", "group", "having", "union", "intersect", "except", "limit", "over", "window", "with",
  "values", "exists", "right", "full", "natural", "indexed",
]

extension Connection {
  /// The names of functions that can be aggregates.
  ///
  /// - Throws: ``SelectParser/Refusal`` if this SQLite does not list them.
  fileprivate func aggregates() throws -> Set<String> {
    var names: Set<String> = []
    do {
      try query("SELECT name FROM pragma_function_list WHERE type <> 's'") { row in
        names.insert(row.string(at: 0).lowercased())
      }
    } catch is DatabaseError {
      throw SelectParser.Refusal(reason: "this SQLite does not list its functions")
    }
    guard names.contains("count") else {
      throw SelectParser.Refusal(reason: "this SQLite does not list its aggregates")
    }
    return names
  }
}
