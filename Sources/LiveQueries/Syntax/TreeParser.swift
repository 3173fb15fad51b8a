internal import SQLiteStorage

/// Parses a SELECT into its tree. What it does not understand it refuses with a reason.
///
/// Source: [SELECT](https://www.sqlite.org/lang_select.html).
struct TreeParser {
  let lexer: SQLLexer
  /// The tokens but white space and comments.
  let tokens: [SQLToken]
  /// For each token, the word in capitals; empty if it is no unquoted word.
  let words: [String]
  var position = 0
  /// How many expressions and SELECTs are around the position.
  var depth = 0

  /// The largest number of parentheses, SELECTs and operands that are nested, and of nodes on the
  /// way from the root of an expression to a leaf. SQLite permits 1,000, but a stack of 512 KB,
  /// which threads of Apple's systems have, has room for about 60 without optimisation.
  static let maximumDepth = 32

  init(_ sql: String) throws(SelectRefusal) {
    lexer = SQLLexer(sql)
    tokens = lexer.filter { !$0.isBlank }
    if let illegal = tokens.first(where: { $0.kind == .illegal }) {
      throw SelectRefusal("SQLite does not accept \(lexer.text(illegal))")
    }
    var words: [String] = []
    for token in tokens {
      words.append(token.kind == .word ? lexer.text(token).uppercased() : "")
    }
    self.words = words
  }

  /// Parses a whole text: one SELECT, which may end with a semicolon.
  static func parse(_ sql: String) throws(SelectRefusal) -> SelectTree {
    var parser = try TreeParser(sql)
    return try parser.lastSelect()
  }

  /// Parses a SELECT, or that of a view whose SQL is given.
  static func parseSelectOrView(_ sql: String) throws(SelectRefusal) -> SelectTree {
    let isView = try TreeParser(sql).word() == "CREATE"
    return isView ? try parseView(sql).select : try parse(sql)
  }

  /// Parses the SQL of a view.
  ///
  /// - Returns: the columns that it declares, empty if there are none, and its SELECT.
  static func parseView(
    _ sql: String
  ) throws(SelectRefusal) -> (columns: [String], select: SelectTree) {
    var parser = try TreeParser(sql)
    try parser.expect("CREATE")
    _ = parser.take("TEMP") || parser.take("TEMPORARY")
    try parser.expect("VIEW")
    _ = parser.take("IF", "NOT", "EXISTS")
    _ = try parser.name()
    if parser.takeSymbol(".") { _ = try parser.name() }
    let columns = parser.symbol() == "(" ? try parser.names() : []
    try parser.expect("AS")
    return (columns, try parser.lastSelect())
  }

  /// Parses a SELECT with which the text ends.
  private mutating func lastSelect() throws(SelectRefusal) -> SelectTree {
    let select = try select()
    while takeSymbol(";") {}
    guard position == tokens.count else { throw unexpected }
    return select
  }

  /// Runs `body` one level deeper.
  mutating func nested<Node>(
    _ body: (inout TreeParser) throws(SelectRefusal) -> Node
  ) throws(SelectRefusal) -> Node {
    guard depth < TreeParser.maximumDepth else { throw TreeParser.tooDeep }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  static let tooDeep = SelectRefusal("the SELECT is nested too deeply")

  // MARK: - SELECT

  var beginsSelect: Bool { ["SELECT", "VALUES", "WITH"].contains(word()) }

  mutating func select() throws(SelectRefusal) -> SelectTree {
    try nested { parser throws(SelectRefusal) in
      var tree = SelectTree(arms: [])
      if parser.take("WITH") {
        // A common table is recursive if it reads itself, with the word or without it.
        _ = parser.take("RECURSIVE")
        repeat { tree.with.append(try parser.commonTable()) } while parser.takeSymbol(",")
      }
      var combination: SelectTree.Operator?
      repeat {
        tree.arms.append(SelectTree.Arm(combination: combination, core: try parser.core()))
        combination = parser.combination()
      } while combination != nil
      if parser.take("ORDER") { tree.orderBy = try parser.orderingTerms() }
      if parser.take("LIMIT") {
        tree.limit = try parser.expression()
        if parser.take("OFFSET") {
          tree.offset = try parser.expression()
        } else if parser.takeSymbol(",") {
          tree.offset = tree.limit
          tree.limit = try parser.expression()
        }
      }
      return tree
    }
  }

  private mutating func commonTable() throws(SelectRefusal) -> CommonTable {
    let name = try name()
    let columns = symbol() == "(" ? try names() : []
    try expect("AS")
    // A hint about the plan does not change the rows.
    if !take("NOT", "MATERIALIZED") { _ = take("MATERIALIZED") }
    try expectSymbol("(")
    let select = try select()
    try expectSymbol(")")
    return CommonTable(name: name, columns: columns, select: select)
  }

  private mutating func combination() -> SelectTree.Operator? {
    if take("UNION", "ALL") { return .unionAll }
    if take("UNION") { return .union }
    if take("EXCEPT") { return .except }
    return take("INTERSECT") ? .intersect : nil
  }

  private mutating func core() throws(SelectRefusal) -> SelectCore {
    var core = SelectCore()
    if take("VALUES") {
      var rows: [[Expression]] = []
      repeat {
        try expectSymbol("(")
        rows.append(try expressions())
        try expectSymbol(")")
      } while takeSymbol(",")
      core.values = rows
      return core
    }
    try expect("SELECT")
    core.isDistinct = take("DISTINCT")
    if !core.isDistinct { _ = take("ALL") }
    repeat { core.columns.append(try resultColumn()) } while takeSymbol(",")
    if take("FROM") { core.from = try items() }
    if take("WHERE") { core.condition = try expression() }
    if take("GROUP") {
      try expect("BY")
      core.groupBy = try expressions()
    }
    if take("HAVING") { core.having = try expression() }
    if word() == "WINDOW", isName(1), word(2) == "AS" {
      position += 1
      repeat {
        let name = try name()
        try expect("AS")
        core.windows.append(NamedWindow(name: name, window: try window()))
      } while takeSymbol(",")
    }
    return core
  }

  private mutating func resultColumn() throws(SelectRefusal) -> ResultColumn {
    if takeSymbol("*") { return .all(of: nil) }
    if isName(), symbol(1) == ".", symbol(2) == "*" {
      let table = try name()
      position += 2
      return .all(of: table)
    }
    let start = position
    let expression = try expression()
    let text = text(start..<position)
    return .expression(expression, alias: try alias(), text: text)
  }

  /// An alias, with or without AS; nil if there is none.
  mutating func alias() throws(SelectRefusal) -> String? {
    if take("AS") { return try name() }
    guard isName(isAlias: true), word() != "WINDOW" || !(isName(1) && word(2) == "AS") else {
      return nil
    }
    return try name()
  }

  mutating func names() throws(SelectRefusal) -> [String] {
    try expectSymbol("(")
    var names: [String] = []
    repeat { names.append(try name()) } while takeSymbol(",")
    try expectSymbol(")")
    return names
  }

  mutating func orderingTerms() throws(SelectRefusal) -> [OrderingTerm] {
    try expect("BY")
    var terms: [OrderingTerm] = []
    repeat {
      let expression = try expression()
      let start = position
      _ = take("ASC") || take("DESC")
      if take("NULLS") {
        guard take("FIRST") || take("LAST") else { throw unexpected }
      }
      terms.append(
        OrderingTerm(
          expression: expression, suffix: words[start..<position].joined(separator: " ")))
    } while takeSymbol(",")
    return terms
  }
}

/// Why a SELECT is not understood, or has no derivation from touched rows to its rows.
package struct SelectRefusal: Error, Hashable, Sendable {
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
