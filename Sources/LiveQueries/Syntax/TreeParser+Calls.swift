internal import SQLiteStorage

/// Calls of functions, and windows.
///
/// Source: [window functions](https://www.sqlite.org/windowfunctions.html).
extension TreeParser {
  mutating func call() throws(SelectRefusal) -> Expression {
    var call = Expression.FunctionCall(name: try name())
    try expectSymbol("(")
    if takeSymbol("*") {
      call.isStar = true
    } else {
      call.isDistinct = take("DISTINCT")
      if !call.isDistinct { _ = take("ALL") }
      if symbol() != ")" { call.arguments = try expressions() }
      if take("ORDER") { call.orderBy = try orderingTerms() }
    }
    try expectSymbol(")")
    if word() == "FILTER", symbol(1) == "(", word(2) == "WHERE" {
      position += 3
      call.filter = try expression()
      try expectSymbol(")")
    }
    if word() == "OVER", symbol(1) == "(" || isName(1) {
      position += 1
      if symbol() == "(" { call.window = try window() } else { call.windowName = try name() }
    }
    return try node(.call(call))
  }

  /// A window in its parentheses.
  mutating func window() throws(SelectRefusal) -> Window {
    try expectSymbol("(")
    var window = Window()
    let clauses: Set = ["PARTITION", "ORDER", "RANGE", "ROWS", "GROUPS"]
    if isName(), !clauses.contains(word()) { window.base = try name() }
    if take("PARTITION") {
      try expect("BY")
      window.partitionBy = try expressions()
    }
    if take("ORDER") { window.orderBy = try orderingTerms() }
    if ["RANGE", "ROWS", "GROUPS"].contains(word()) { window.frame = try frame() }
    try expectSymbol(")")
    return window
  }

  private mutating func frame() throws(SelectRefusal) -> [Window.FramePiece] {
    var pieces: [Window.FramePiece] = [.words(word())]
    position += 1
    if take("BETWEEN") {
      pieces.append(.words("BETWEEN"))
      pieces += try bound()
      try expect("AND")
      pieces.append(.words("AND"))
    }
    pieces += try bound()
    if take("EXCLUDE") {
      if take("NO", "OTHERS") {
        pieces.append(.words("EXCLUDE NO OTHERS"))
      } else if take("CURRENT", "ROW") {
        pieces.append(.words("EXCLUDE CURRENT ROW"))
      } else if take("GROUP") {
        pieces.append(.words("EXCLUDE GROUP"))
      } else if take("TIES") {
        pieces.append(.words("EXCLUDE TIES"))
      } else {
        throw unexpected
      }
    }
    return pieces
  }

  private mutating func bound() throws(SelectRefusal) -> [Window.FramePiece] {
    if take("CURRENT", "ROW") { return [.words("CURRENT ROW")] }
    var pieces: [Window.FramePiece] = []
    if ["PRECEDING", "FOLLOWING"].contains(word(1)), take("UNBOUNDED") {
      pieces.append(.words("UNBOUNDED"))
    } else {
      pieces.append(.expression(try expression()))
    }
    guard ["PRECEDING", "FOLLOWING"].contains(word()) else { throw unexpected }
    pieces.append(.words(word()))
    position += 1
    return pieces
  }
}
