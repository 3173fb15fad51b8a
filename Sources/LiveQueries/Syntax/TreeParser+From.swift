internal import SQLiteStorage

extension TreeParser {
  /// The items of FROM, up to the end of the clause or the parenthesis.
  mutating func items() throws(SelectRefusal) -> [FromItem] {
    var items = [try item(FromItem(join: .comma, source: .group([])))]
    while var next = try join() {
      next = try item(next)
      items.append(next)
    }
    return items
  }

  /// Reads what joins the next item; nil at the end of FROM.
  private mutating func join() throws(SelectRefusal) -> FromItem? {
    var item = FromItem(join: .comma, source: .group([]))
    if takeSymbol(",") { return item }
    var kinds: Set<String> = []
    while SQLKeywords.joins.contains(word()) {
      kinds.insert(word())
      position += 1
    }
    guard take("JOIN") else {
      if kinds.isEmpty { return nil }
      throw unexpected
    }
    item.isNatural = kinds.remove("NATURAL") != nil
    let hadOuter = kinds.remove("OUTER") != nil
    switch kinds {
    case [] where !hadOuter, ["INNER"] where !hadOuter: item.join = .inner
    case ["CROSS"] where !hadOuter, ["CROSS", "INNER"] where !hadOuter: item.join = .cross
    case ["LEFT"]: item.join = .left
    case ["RIGHT"]: item.join = .right
    case ["FULL"], ["LEFT", "RIGHT"]: item.join = .full
    default: throw SelectRefusal("a join is of a kind that is not known")
    }
    return item
  }

  private mutating func item(_ joined: FromItem) throws(SelectRefusal) -> FromItem {
    var item = joined
    item.source = try nested { parser throws(SelectRefusal) in try parser.source() }
    item.alias = try alias()
    if case .table = item.source { try skipHint() }
    if take("ON") {
      item.on = try expression()
    } else if take("USING") {
      item.using = try names()
    }
    return item
  }

  private mutating func source() throws(SelectRefusal) -> FromItem.Source {
    if takeSymbol("(") {
      let source: FromItem.Source = beginsSelect ? .select(try select()) : .group(try items())
      try expectSymbol(")")
      return source
    }
    let (schema, name) = try tableName()
    let arguments = symbol() == "(" ? try arguments() : nil
    return .table(schema: schema, name: name, arguments: arguments)
  }

  mutating func tableName() throws(SelectRefusal) -> (schema: String?, name: String) {
    let name = try name()
    guard takeSymbol(".") else { return (nil, name) }
    return (name, try self.name())
  }

  mutating func arguments() throws(SelectRefusal) -> [Expression] {
    try expectSymbol("(")
    let arguments = symbol() == ")" ? [] : try expressions()
    try expectSymbol(")")
    return arguments
  }

  /// A hint about an index does not change the rows. In a derived query, it could forbid a search by another index.
  private mutating func skipHint() throws(SelectRefusal) {
    if take("NOT", "INDEXED") { return }
    if take("INDEXED", "BY") { _ = try name() }
  }
}
