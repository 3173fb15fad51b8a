package import SQLiteStorage

/// The arguments of some functions in a SELECT that are computed from nothing but values.
package enum ConstantArguments {
  /// The arguments, as SQL. One that is a single string is left out. Empty if the SELECT is not
  /// understood.
  ///
  /// - Parameters:
  ///   - functions: the names of the functions, in lower case.
  ///   - sql: a SELECT, or the SQL of a view.
  package static func of(_ functions: Set<ExactText>, in sql: String) -> [String] {
    guard let tree = tree(sql) else { return [] }
    var arguments: [String] = []
    tree.forEachExpression { expression in
      guard case .call(let call) = expression.kind,
        functions.contains(call.name.sqliteFolded)
      else { return }
      arguments += call.arguments.filter { $0.isConstant && !$0.isString }.map(\.sql)
    }
    return arguments
  }

  private static func tree(_ sql: String) -> SelectTree? {
    do {
      return try TreeParser.parse(sql)
    } catch {
      // Nothing is known of SQL that is not understood.
      return try? TreeParser.parseView(sql).select
    }
  }
}

extension Expression {
  fileprivate var isString: Bool {
    if case .literal(let text) = kind { text.hasPrefix("'") } else { false }
  }

  /// Whether it has no column, no parameter and no SELECT.
  fileprivate var isConstant: Bool {
    !contains { part in
      switch part.kind {
      case .name, .column, .key, .parameter, .inSelect, .inTable, .exists, .select: true
      default: false
      }
    }
  }
}

extension SelectTree {
  /// Calls `body` with all expressions of a tree as it is parsed, those of its SELECTs included.
  fileprivate func forEachExpression(_ body: (Expression) -> Void) {
    func visit(_ expression: Expression) {
      expression.forEach(body)
      for select in expression.selects { select.forEachExpression(body) }
    }
    func visit(_ item: FromItem) {
      for expression in item.expressions { visit(expression) }
      switch item.source {
      case .table: break
      case .select(let select): select.forEachExpression(body)
      case .group(let items): for item in items { visit(item) }
      }
    }
    for table in with { table.select.forEachExpression(body) }
    for arm in arms {
      for expression in arm.core.clauses { visit(expression) }
      for item in arm.core.from { visit(item) }
      for window in arm.core.windows {
        for expression in window.window.partitionBy { visit(expression) }
        for term in window.window.orderBy { visit(term.expression) }
      }
    }
    for term in orderBy { visit(term.expression) }
    for expression in [limit, offset].compactMap(\.self) { visit(expression) }
  }
}
