internal import SQLiteStorage

extension NameResolver {
  /// Resolves items of FROM and notes their columns in `scope`. The conditions are left: they can
  /// use the columns of all items.
  mutating func resolve(
    _ items: inout [FromItem], _ outer: [NameScope], _ scope: inout NameScope
  ) throws(SelectRefusal) {
    let start = scope.items.count
    let arguments = items.map(\.arguments)
    let isBesideRightJoin = items.contains { $0.join == .right || $0.join == .full }
    for index in items.indices {
      // In parentheses, USING and NATURAL see only what is in them.
      let leftItems = Array(scope.items.dropFirst(start))
      try resolve(
        &items[index], besides: leftItems, isBesideRightJoin: isBesideRightJoin, outer, &scope)
    }
    for (index, arguments) in arguments.enumerated() where !arguments.isEmpty {
      try check(arguments, of: items[index], outer, scope)
    }
  }

  /// Refuses arguments of a function that SQLite, which knows all items there, could take for columns
  /// of a later item.
  private mutating func check(
    _ arguments: [Expression], of item: FromItem, _ outer: [NameScope], _ scope: NameScope
  ) throws(SelectRefusal) {
    guard arguments.allSatisfy(\.selects.isEmpty) else { return }
    var others = scope
    others.items.removeAll { $0.number == item.number }
    let resolved = try resolve(arguments, in: outer + [others])
    guard resolved == item.arguments else {
      throw SelectRefusal("an argument of a function is a column of a table after it")
    }
  }

  private mutating func resolve(
    _ item: inout FromItem, besides leftItems: [NameScope.Item], isBesideRightJoin: Bool,
    _ outer: [NameScope], _ scope: inout NameScope
  ) throws(SelectRefusal) {
    if case .group(let items) = item.source {
      return try resolve(group: items, in: &item, outer, &scope)
    }
    var alias = item.alias
    if case .table(_, let name, _) = item.source { alias = alias ?? name }
    let (table, columns) = try resolveSource(of: &item, outer, scope)
    item.number = try tables.addItem(table)
    item.alias = FromItem.alias(item.number)
    var named = NameScope.Item(number: item.number, alias: alias, table: table, columns: columns)
    if case .table = item.source { named.isFunction = table == nil }
    if let joined = joinedColumns(of: item, columns.filter { !$0.isHidden }.map(\.name), leftItems)
    {
      guard item.join != .right, item.join != .full else {
        throw SelectRefusal("a RIGHT or FULL JOIN has NATURAL or USING")
      }
      var terms: [Expression] = []
      for column in joined {
        let count = leftItems.count { $0.hasColumn(column) }
        guard !isBesideRightJoin || count < 2 else {
          // SQLite compares coalesce() of them with the column: without their affinity and their collation.
          throw SelectRefusal(
            "NATURAL or USING joins columns of three tables beside a RIGHT or FULL JOIN")
        }
        terms.append(try equation(of: column, leftItems, named))
      }
      item.on = Expression.all(terms)
      (item.using, item.isNatural) = (nil, false)
      if item.join == .comma { item.join = .inner }
      named.joined = Set(joined.map(\.sqliteFolded))
    }
    scope.items.append(named)
  }

  /// Resolves the items of a join in parentheses.
  private mutating func resolve(
    group: [FromItem], in item: inout FromItem, _ outer: [NameScope], _ scope: inout NameScope
  ) throws(SelectRefusal) {
    guard !item.isNatural, item.using == nil, item.alias == nil else {
      throw SelectRefusal("a join in parentheses is joined by USING, NATURAL or has an alias")
    }
    let count = scope.items.count
    var items = group
    try resolve(&items, outer, &scope)
    for index in scope.items.indices.dropFirst(count) { scope.items[index].isInGroup = true }
    item.source = .group(items)
  }

  /// Resolves the table, function or SELECT of an item.
  ///
  /// - Returns: the table, if it is one, and the columns.
  private mutating func resolveSource(
    of item: inout FromItem, _ outer: [NameScope], _ scope: NameScope
  ) throws(SelectRefusal) -> (SelectSchema.Table?, [NameScope.Column]) {
    switch item.source {
    case .group: return (nil, [])
    case .select(let select): return (nil, try take(resolve(select, in: outer), &item))
    case .table(let schemaName, let name, let arguments?):
      let table = schema.table(name, in: schemaName).flatMap { $0.isFullText ? $0 : nil }
      guard let columns = table?.columns ?? SelectSchema.columns(ofFunction: name) else {
        throw SelectRefusal("the table-valued function \(name) is not known")
      }
      let values = try resolve(arguments, in: outer + [scope])
      item.source = .table(schema: nil, name: table?.name ?? name, arguments: values)
      return (table, columns.map(NameScope.column))
    case .table(let schemaName, let name, nil):
      if let resolved = try select(named: name, in: schemaName) {
        return (nil, take(resolved, &item))
      }
      let table = try table(named: name, in: schemaName)
      guard !table.columns.isEmpty else {
        throw SelectRefusal("the columns of \(table.name) are not known")
      }
      item.source = .table(schema: table.schema, name: table.name, arguments: nil)
      return (table, table.columns.map(NameScope.column))
    }
  }

  /// Makes a SELECT the source of an item.
  ///
  /// - Returns: its columns.
  private func take(
    _ resolved: Resolved, _ item: inout FromItem
  ) -> [NameScope.Column] {
    item.source = .select(resolved.tree)
    let isValues = resolved.tree.arms[0].core.values != nil
    var seen: Set<ExactText> = []
    return resolved.names.enumerated().map { index, name in
      // SQLite gives a column another name if one before it has that name.
      var (unique, count) = (name, 0)
      while !seen.insert(unique.sqliteFolded).inserted {
        count += 1
        unique = "\(name):\(count)"
      }
      // It takes a random number after some attempts: such a column has no name here.
      let column: Expression.Column = isValues ? .value(index) : .output(index)
      return (count > 4 ? "" : unique, column, false)
    }
  }

  private func joinedColumns(
    of item: FromItem, _ columns: [String], _ left: [NameScope.Item]
  ) -> [String]? {
    if let using = item.using { return using }
    guard item.isNatural else { return nil }
    let names = Set(
      left.flatMap { $0.columns.filter { !$0.isHidden }.map { $0.name.sqliteFolded } })
    return columns.filter { names.contains($0.sqliteFolded) }
  }

  private func equation(
    of column: String, _ left: [NameScope.Item], _ right: NameScope.Item
  ) throws(SelectRefusal) -> Expression {
    let name = Expression.Name(column: column)
    var first: Expression?
    for item in left where first == nil { first = try NameScope(items: [item]).find(name) }
    guard let first, let second = try NameScope(items: [right]).find(name)
    else { throw SelectRefusal("USING has no column \(column)") }
    return .binary(first, "=", second)
  }

  /// Resolves what is after ON.
  mutating func resolveConditions(
    _ items: inout [FromItem], _ scopes: [NameScope]
  ) throws(SelectRefusal) {
    for index in items.indices {
      // NATURAL and USING are resolved already.
      if let on = items[index].on, on.isUnresolved {
        items[index].on = try resolve(on, in: scopes)
      }
      if case .group(var inner) = items[index].source {
        try resolveConditions(&inner, scopes)
        items[index].source = .group(inner)
      }
    }
  }
}

extension NameScope.Item {
  fileprivate func hasColumn(_ name: String) -> Bool {
    columns.contains { $0.name.sqliteFolded == name.sqliteFolded }
  }
}

extension Expression {
  /// Whether it can contain names.
  fileprivate var isUnresolved: Bool {
    !selects.isEmpty
      || contains { part in
        switch part.kind {
        case .name, .inTable, .parameter: true
        default: false
        }
      }
  }
}
