internal import SQLiteStorage

/// How tightly an operator binds, from OR to the prefixes.
private enum Binding {
  static let or = 1
  static let and = 2
  static let not = 3
  static let equality = 4
  static let comparison = 5
  static let bits = 7
  static let sum = 8
  static let product = 9
  static let concatenation = 10
  static let collation = 11
  static let prefix = 12
}

/// Reads expressions by the precedence of their operators.
///
/// Source: [operators](https://www.sqlite.org/lang_expr.html).
extension TreeParser {
  mutating func expression() throws(SelectRefusal) -> Expression { try expression(above: 0) }

  mutating func expressions() throws(SelectRefusal) -> [Expression] {
    var expressions: [Expression] = []
    repeat { expressions.append(try expression()) } while takeSymbol(",")
    return expressions
  }

  /// Reads an expression whose operators bind more tightly than `binding`.
  private mutating func expression(above binding: Int) throws(SelectRefusal) -> Expression {
    try nested { parser throws(SelectRefusal) in
      var left = try parser.operand()
      while let next = try parser.continued(left, above: binding) { left = next }
      return left
    }
  }

  /// The expression that begins with `left`; nil if it ends there.
  private mutating func continued(
    _ left: Expression, above binding: Int
  ) throws(SelectRefusal) -> Expression? {
    if let (sign, level) = binaryOperator(), level > binding {
      if level > Binding.comparison { return try chain(left, level) }
      position += 1
      let right = try expression(above: level)
      return try node(.binary(left, sign, right))
    }
    switch word() {
    case "AND" where binding < Binding.and: return try chain("AND", left, Binding.and)
    case "OR" where binding < Binding.or: return try chain("OR", left, Binding.or)
    case "COLLATE" where binding < Binding.collation:
      position += 1
      guard kind == .word || kind == .quotedName || kind == .string else { throw unexpected }
      return try node(.collate(left, try name().exact))
    case "IS", "ISNULL", "NOTNULL", "NOT", "IN", "BETWEEN", "LIKE", "GLOB", "REGEXP", "MATCH":
      guard binding < Binding.equality else { return nil }
      return try predicate(of: left)
    default: return nil
    }
  }

  private func binaryOperator() -> (sign: String, level: Int)? {
    switch symbol() {
    case "=", "==", "<>", "!=": (symbol(), Binding.equality)
    case "<", "<=", ">", ">=": (symbol(), Binding.comparison)
    case "&", "|", "<<", ">>": (symbol(), Binding.bits)
    case "+", "-": (symbol(), Binding.sum)
    case "*", "/", "%": (symbol(), Binding.product)
    case "||", "->", "->>": (symbol(), Binding.concatenation)
    default: nil
    }
  }

  /// Operands with operators of one precedence between them, as one node.
  private mutating func chain(
    _ first: Expression, _ level: Int
  ) throws(SelectRefusal) -> Expression {
    var links: [Expression.Link] = []
    while let (sign, next) = binaryOperator(), next == level {
      position += 1
      links.append(Expression.Link(sign: sign, operand: try expression(above: level)))
    }
    return try node(.chain(first, links))
  }

  /// Terms with AND or OR between them, as one node.
  private mutating func chain(
    _ word: String, _ first: Expression, _ level: Int
  ) throws(SelectRefusal) -> Expression {
    var terms = [first]
    while take(word) { terms.append(try expression(above: level)) }
    return try node(word == "AND" ? .and(terms) : .or(terms))
  }

  /// What an equality or another predicate makes of `left`; nil if none follows.
  private mutating func predicate(
    of left: Expression
  ) throws(SelectRefusal) -> Expression? {
    if take("ISNULL") { return try node(.postfix(left, "ISNULL")) }
    if take("NOTNULL") || take("NOT", "NULL") {
      return try node(.postfix(left, "NOTNULL"))
    }
    if take("IS") {
      var sign = "IS"
      if take("NOT") { sign += " NOT" }
      if take("DISTINCT", "FROM") { sign += " DISTINCT FROM" }
      let right = try expression(above: Binding.equality)
      return try node(.binary(left, sign, right))
    }
    let isNegated = word() == "NOT"
    guard ["IN", "BETWEEN", "LIKE", "GLOB", "REGEXP", "MATCH"].contains(word(isNegated ? 1 : 0))
    else { return nil }
    if isNegated { position += 1 }
    if take("IN") { return try membership(of: left, isNegated) }
    if take("BETWEEN") {
      let low = try expression(above: Binding.and)
      try expect("AND")
      let high = try expression(above: Binding.equality)
      return try node(.between(left, isNegated: isNegated, low, high))
    }
    let sign = word()
    position += 1
    let pattern = try expression(above: Binding.equality)
    let escape = take("ESCAPE") ? try expression(above: Binding.equality) : nil
    return try node(.like(left, isNegated: isNegated, sign, pattern, escape: escape))
  }

  private mutating func membership(
    of left: Expression, _ isNegated: Bool
  ) throws(SelectRefusal) -> Expression {
    guard takeSymbol("(") else {
      let (schema, name) = try tableName()
      let arguments = symbol() == "(" ? try arguments() : nil
      return try node(
        .inTable(left, isNegated: isNegated, schema: schema, name: name, arguments: arguments))
    }
    if beginsSelect {
      let select = try select()
      try expectSymbol(")")
      return try node(.inSelect(left, isNegated: isNegated, select))
    }
    let list = symbol() == ")" ? [] : try expressions()
    try expectSymbol(")")
    return try node(.inList(left, isNegated: isNegated, list))
  }

  // MARK: - Operands

  private mutating func operand() throws(SelectRefusal) -> Expression {
    switch kind {
    case .number, .blob:
      return try node(.literal(takeText().exact))
    case .parameter:
      let text = takeText()
      guard !text.hasPrefix("#") else { throw SelectRefusal("SQLite does not accept \(text)") }
      return try node(.parameter(text.exact))
    case .string where symbol(1) != ".": return try node(.literal(takeText().exact))
    case .symbol: return try symbolOperand()
    case .word: return try wordOperand()
    case .quotedName, .string: return try named()
    default: throw unexpected
    }
  }

  private mutating func symbolOperand() throws(SelectRefusal) -> Expression {
    switch symbol() {
    case "-", "+", "~":
      let sign = takeText()
      let operand = try expression(above: Binding.prefix)
      return try node(.prefix(sign, operand))
    case "(":
      position += 1
      if beginsSelect {
        let select = try select()
        try expectSymbol(")")
        return try node(.select(select))
      }
      let list = try expressions()
      try expectSymbol(")")
      guard list.count == 1 else { return try node(.row(list)) }
      return list[0]
    default: throw unexpected
    }
  }

  private mutating func wordOperand() throws(SelectRefusal) -> Expression {
    switch word() {
    case "NULL", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP":
      return try node(.literal(takeText().exact))
    case "NOT":
      position += 1
      let operand = try expression(above: Binding.not - 1)
      return try node(.prefix("NOT", operand))
    case "EXISTS":
      position += 1
      try expectSymbol("(")
      let select = try select()
      try expectSymbol(")")
      return try node(.exists(select))
    case "CAST":
      position += 1
      try expectSymbol("(")
      let operand = try expression()
      try expect("AS")
      let type = try typeName()
      try expectSymbol(")")
      return try node(.cast(operand, type: type))
    case "CASE": return try choice()
    case "RAISE" where symbol(1) == "(": throw SelectRefusal("RAISE is only for triggers")
    default: return try named()
    }
  }

  /// The name of a type, which may be empty, with its numbers in parentheses.
  private mutating func typeName() throws(SelectRefusal) -> String {
    let start = position
    while kind == .word || kind == .quotedName || kind == .string, isName() { position += 1 }
    if position > start, takeSymbol("(") {
      repeat {
        _ = takeSymbol("-") || takeSymbol("+")
        guard kind == .number else { throw unexpected }
        position += 1
      } while takeSymbol(",")
      try expectSymbol(")")
    }
    return text(start..<position)
  }

  private mutating func choice() throws(SelectRefusal) -> Expression {
    try expect("CASE")
    let base = word() == "WHEN" ? nil : try expression()
    var branches: [Expression.Branch] = []
    while take("WHEN") {
      let condition = try expression()
      try expect("THEN")
      branches.append(Expression.Branch(condition: condition, value: try expression()))
    }
    guard !branches.isEmpty else { throw unexpected }
    let otherwise = take("ELSE") ? try expression() : nil
    try expect("END")
    return try node(.choice(base: base, branches: branches, otherwise: otherwise))
  }

  /// A column or the call of a function.
  private mutating func named() throws(SelectRefusal) -> Expression {
    guard isName() else { throw unexpected }
    if symbol(1) == "(", kind != .string {
      return try nested { parser throws(SelectRefusal) in try parser.call() }
    }
    var parts = [try name()]
    while parts.count < 3, takeSymbol(".") { parts.append(try name()) }
    let last = lexer.text(tokens[position - 1])
    let name = Expression.Name(
      schema: parts.count == 3 ? parts[0] : nil,
      table: parts.count > 1 ? parts[parts.count - 2] : nil, column: parts[parts.count - 1],
      isInDoubleQuotes: last.hasPrefix("\""), isQuoted: tokens[position - 1].kind != .word)
    return try node(.name(name))
  }

  /// A node, unless the tree would be too deep.
  func node(_ kind: Expression.Kind) throws(SelectRefusal) -> Expression {
    var node = Expression(kind)
    node.height = 1 + (node.children.map(\.height).max() ?? 0)
    guard node.height <= TreeParser.maximumDepth else { throw TreeParser.tooDeep }
    return node
  }
}
