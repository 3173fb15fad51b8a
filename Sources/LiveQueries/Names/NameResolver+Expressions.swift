internal import SQLiteStorage

extension NameResolver {
  mutating func resolve(
    _ expressions: [Expression], in scopes: [NameScope]
  ) throws(SelectRefusal) -> [Expression] {
    try expressions.map { expression throws(SelectRefusal) in
      try resolve(expression, in: scopes)
    }
  }

  mutating func resolveAny(
    _ expression: Expression?, in scopes: [NameScope], _ windows: [NamedWindow] = []
  ) throws(SelectRefusal) -> Expression? {
    guard let expression else { return nil }
    return try resolve(expression, in: scopes, windows)
  }

  mutating func resolve(
    _ expression: Expression, in scopes: [NameScope], _ windows: [NamedWindow] = []
  ) throws(SelectRefusal) -> Expression {
    try enter()
    defer { depth -= 1 }
    var expression = expression
    switch expression.kind {
    case .name(let name): return try resolve(name, in: scopes)
    case .parameter(let text):
      guard !text.hasPrefix("?") else {
        throw SelectRefusal("the parameter \(text) has no name")
      }
      guard !text.hasPrefix(KeyParameter.prefix.exact) else {
        throw SelectRefusal(
          "the names of parameters cannot begin with \(KeyParameter.prefix)")
      }
    case .inTable(let value, let isNegated, let schema, let name, let arguments):
      var core = SelectCore()
      core.columns = [.all(of: nil)]
      let source = FromItem.Source.table(schema: schema, name: name, arguments: arguments)
      core.from = [FromItem(join: .comma, source: source)]
      expression.kind = .inSelect(value, isNegated: isNegated, SelectTree(core))
    case .collate: hasCollation = true
    case .call(var call) where call.isWindowed:
      call.window = try Window.inlined(call, windows)
      call.windowName = nil
      expression.kind = .call(call)
    default: break
    }
    return try expression.mapChildren(
      { child throws(SelectRefusal) in try resolve(child, in: scopes, windows) },
      select: { select throws(SelectRefusal) in try resolve(select, in: scopes).tree })
  }

  private func resolve(
    _ name: Expression.Name, in scopes: [NameScope]
  ) throws(SelectRefusal) -> Expression {
    for scope in scopes.reversed() {
      if let found = try scope.find(name) { return found }
    }
    if name.table == nil, !name.isQuoted, ["true", "false"].contains(name.column.sqliteFolded) {
      return Expression(.literal(name.column.uppercased().exact))
    }
    guard !name.isInDoubleQuotes || name.table != nil else {
      // SQLite allows it in the file (``DoubleQuotes``).
      if viewSchema != nil { return Expression(.literal(name.column.quotedLiteral.exact)) }
      throw SelectRefusal("\"\(name.column)\" is no column: write a string in single quotes")
    }
    throw SelectRefusal("no column is named \(name.column)")
  }
}

extension Window {
  /// The window of a call, without the names of other windows.
  fileprivate static func inlined(
    _ call: Expression.FunctionCall, _ windows: [NamedWindow]
  ) throws(SelectRefusal) -> Window {
    func named(_ name: String, _ count: Int) throws(SelectRefusal) -> Window {
      guard
        let index = windows.prefix(count).lastIndex(where: {
          $0.name.sqliteFolded == name.sqliteFolded
        })
      else { throw SelectRefusal("no window is named \(name)") }
      return try based(windows[index].window, index)
    }
    func based(_ window: Window, _ count: Int) throws(SelectRefusal) -> Window {
      guard let name = window.base else { return window }
      let base = try named(name, count)
      var result = window
      result.base = nil
      result.partitionBy = base.partitionBy
      if result.orderBy.isEmpty { result.orderBy = base.orderBy }
      return result
    }
    if let name = call.windowName { return try named(name, windows.count) }
    return try based(call.window ?? Window(), windows.count)
  }
}
