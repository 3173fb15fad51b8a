package import SQLiteStorage

/// What the text of a SELECT says about the times that it asks functions for.
///
/// It does not know what depends on the data: a column may contain "now".
package struct TimeCalls {
  /// Whether a call has no time, which means now, or the text contains 'now' anywhere: it may reach a function in
  /// many ways, such as through a CASE, or a column of a subquery.
  package private(set) var asksClock = false
  /// The parameters in the arguments of calls. Elsewhere they are just words, which a request may search for.
  package private(set) var parameters: Set<ExactText> = []
  /// The arguments, as SQL, that are computed from values alone and are not just one string.
  package private(set) var computed: [String] = []

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - functions: the functions of time, in lower case.
  ///   - sql: a SELECT, or the SQL of a view.
  package init(of functions: Set<ExactText>, in sql: String) throws(SelectRefusal) {
    try TreeParser.parseSelectOrView(sql).forEachExpression { expression in
      if expression.string.map(TimeCalls.isNow) == true { asksClock = true }
      guard case .call(let call) = expression.kind, functions.contains(call.name.sqliteFolded)
      else { return }
      add(call)
    }
  }

  private mutating func add(_ call: Expression.FunctionCall) {
    // The first argument of all but strftime is the time.
    let times =
      call.name.sqliteFolded == "strftime" ? call.arguments.dropFirst() : call.arguments[...]
    if times.first.map({ $0.string.map(TimeCalls.meansNow) ?? false }) ?? true { asksClock = true }
    for argument in call.arguments {
      argument.forEachExpression { part in
        if case .parameter(let name) = part.kind {
          parameters.insert(String(name.text.dropFirst()).exact)
        }
      }
      if argument.isConstant, argument.string == nil { computed.append(argument.sql) }
    }
  }

  /// Whether a text as the argument of a function of time means now. Fractions of a second alone are those of now.
  package static func meansNow(_ text: String) -> Bool {
    isNow(text) || ["subsec", "subsecond"].contains(text.sqliteFolded)
  }

  private static func isNow(_ text: String) -> Bool { text.sqliteFolded == "now" }
}

extension Expression {
  /// The value of a string; nil for anything else. What is in double quotes is a string too, unless a column has its name.
  fileprivate var string: String? {
    switch kind {
    case .literal(let text) where text.text.hasPrefix("'"): text.text.unquotedName
    case .name(let name) where name.isInDoubleQuotes && name.table == nil: name.column
    default: nil
    }
  }

  /// Whether it has no column, no parameter and no SELECT.
  fileprivate var isConstant: Bool {
    !readsTable
      && !contains { part in
        switch part.kind {
        case .name, .column, .key, .parameter: true
        default: false
        }
      }
  }

  /// Calls `body` with the expression and all in it, those of its SELECTs included.
  fileprivate func forEachExpression(_ body: (Expression) -> Void) {
    forEach(body)
    for select in selects { select.forEachExpression(body) }
  }
}

extension SelectTree {
  /// Calls `body` with all expressions of a tree as it is parsed, those of its SELECTs included.
  fileprivate func forEachExpression(_ body: (Expression) -> Void) {
    func visit(_ item: FromItem) {
      for expression in item.expressions { expression.forEachExpression(body) }
      switch item.source {
      case .table: break
      case .select(let select): select.forEachExpression(body)
      case .group(let items): for item in items { visit(item) }
      }
    }
    for table in with { table.select.forEachExpression(body) }
    for arm in arms {
      for expression in arm.core.clauses { expression.forEachExpression(body) }
      for item in arm.core.from { visit(item) }
      for window in arm.core.windows {
        for expression in window.window.partitionBy { expression.forEachExpression(body) }
        for term in window.window.orderBy { term.expression.forEachExpression(body) }
      }
    }
    for term in orderBy { term.expression.forEachExpression(body) }
    for expression in [limit, offset].compactMap(\.self) { expression.forEachExpression(body) }
  }
}
