extension Expression {
  /// The expression with its parts replaced.
  func mapChildren<Failure: Error>(
    _ map: (Expression) throws(Failure) -> Expression,
    select mapSelect: (SelectTree) throws(Failure) -> SelectTree
  ) throws(Failure) -> Expression {
    var result = self
    switch kind {
    case .literal, .parameter, .key, .name, .column: break
    case .prefix(let sign, let operand): result.kind = .prefix(sign, try map(operand))
    case .postfix(let operand, let word): result.kind = .postfix(try map(operand), word)
    case .binary(let left, let sign, let right):
      result.kind = .binary(try map(left), sign, try map(right))
    case .chain(let first, let links):
      let operand = try map(first)
      let mapped = try links.map { link throws(Failure) in
        Link(sign: link.sign, operand: try map(link.operand))
      }
      result.kind = .chain(operand, mapped)
    case .and(let terms): result.kind = .and(try terms.map(map))
    case .or(let terms): result.kind = .or(try terms.map(map))
    case .between(let value, let isNegated, let low, let high):
      result.kind = .between(try map(value), isNegated: isNegated, try map(low), try map(high))
    case .like(let value, let isNegated, let sign, let pattern, let escape):
      result.kind = .like(
        try map(value), isNegated: isNegated, sign, try map(pattern),
        escape: try escape.map(map))
    case .inList(let value, let isNegated, let list):
      result.kind = .inList(try map(value), isNegated: isNegated, try list.map(map))
    case .inSelect(let value, let isNegated, let select):
      result.kind = .inSelect(try map(value), isNegated: isNegated, try mapSelect(select))
    case .inTable(let value, let isNegated, let schema, let name, let arguments):
      result.kind = .inTable(
        try map(value), isNegated: isNegated, schema: schema, name: name,
        arguments: try arguments?.map(map))
    case .exists(let select): result.kind = .exists(try mapSelect(select))
    case .select(let select): result.kind = .select(try mapSelect(select))
    case .call(let call): result.kind = .call(try call.mapChildren(map))
    case .cast(let operand, let type): result.kind = .cast(try map(operand), type: type)
    case .collate(let operand, let name): result.kind = .collate(try map(operand), name)
    case .choice(let base, let branches, let otherwise):
      let mapped = try branches.map { branch throws(Failure) in
        Branch(condition: try map(branch.condition), value: try map(branch.value))
      }
      result.kind = .choice(
        base: try base.map(map), branches: mapped, otherwise: try otherwise.map(map))
    case .row(let list): result.kind = .row(try list.map(map))
    }
    return result
  }

  /// Its parts, but not its SELECTs.
  var children: [Expression] {
    var children: [Expression] = []
    _ = mapChildren(
      { child in
        children.append(child)
        return child
      }, select: { $0 })
    return children
  }

  /// Calls `body` with the expression and all in it, from the root on, but not in its SELECTs.
  func forEach(_ body: (Expression) -> Void) {
    body(self)
    for child in children { child.forEach(body) }
  }

  /// Whether the expression, or one in it, is as wanted; those of its SELECTs are left out.
  func contains(where isWanted: (Expression) -> Bool) -> Bool {
    var isFound = false
    forEach { if isWanted($0) { isFound = true } }
    return isFound
  }

  /// Whether a COLLATE is somewhere in it.
  var hasCollation: Bool { contains { if case .collate = $0.kind { true } else { false } } }

  /// The SELECTs in the expression, but not those in them.
  var selects: [SelectTree] {
    var selects: [SelectTree] = []
    forEach { selects += $0.ownSelects }
    return selects
  }

  /// The SELECTs that are parts of the expression itself, but not of its children.
  var ownSelects: [SelectTree] {
    switch kind {
    case .inSelect(_, _, let select), .exists(let select), .select(let select): [select]
    default: []
    }
  }

  /// Whether a value of a key is in it, or in a SELECT of it.
  var hasKey: Bool {
    contains { if case .key = $0.kind { true } else { false } } || selects.contains(where: \.hasKey)
  }

  /// The columns in the expression, and those of its SELECTs that are from around them.
  var columns: Set<ColumnReference> {
    var columns: Set<ColumnReference> = []
    forEach { if case .column(let column) = $0.kind { columns.insert(column) } }
    for select in selects { columns.formUnion(select.columns) }
    return columns
  }

  /// The items whose columns are in the expression.
  package var items: Set<Int> { Set(columns.map(\.item)) }
}

extension Expression.FunctionCall {
  fileprivate func mapChildren<Failure: Error>(
    _ map: (Expression) throws(Failure) -> Expression
  ) throws(Failure) -> Expression.FunctionCall {
    var result = self
    result.arguments = try arguments.map(map)
    result.orderBy = try orderBy.map { term throws(Failure) in try term.mapExpression(map) }
    result.filter = try filter.map(map)
    result.window = try window?.mapExpressions(map)
    return result
  }
}

extension Window {
  fileprivate func mapExpressions<Failure: Error>(
    _ map: (Expression) throws(Failure) -> Expression
  ) throws(Failure) -> Window {
    var result = self
    result.partitionBy = try partitionBy.map(map)
    result.orderBy = try orderBy.map { term throws(Failure) in try term.mapExpression(map) }
    result.frame = try frame.map { piece throws(Failure) in
      guard case .expression(let expression) = piece else { return piece }
      return .expression(try map(expression))
    }
    return result
  }
}

extension OrderingTerm {
  fileprivate func mapExpression<Failure: Error>(
    _ map: (Expression) throws(Failure) -> Expression
  ) throws(Failure) -> OrderingTerm {
    OrderingTerm(expression: try map(expression), suffix: suffix)
  }
}

extension ResultColumn {
  /// The column with its expression replaced; `*` stays.
  func mapValue<Failure: Error>(
    _ map: (Expression) throws(Failure) -> Expression
  ) throws(Failure) -> ResultColumn {
    guard case .expression(let value, let alias, let text) = self else { return self }
    return .expression(try map(value), alias: alias, text: text)
  }
}

extension SelectTree {
  /// The SELECTs in it, but not those in them.
  var selects: [SelectTree] {
    arms.flatMap { $0.core.from.flatMap(\.selects) + $0.core.clauses.flatMap(\.selects) }
  }

  /// Whether it is for the rows of one key.
  var hasKey: Bool {
    arms.contains {
      $0.core.clauses.contains(where: \.hasKey) || $0.core.from.contains(where: \.hasKey)
    }
  }

  /// The columns of a resolved tree that are from SELECTs around it.
  var columns: Set<Expression.ColumnReference> {
    var columns: Set<Expression.ColumnReference> = []
    for arm in arms {
      let own = arm.core.from.allNumbers
      let used = orderBy.reduce(into: arm.core.allColumns) { $0.formUnion($1.expression.columns) }
      columns.formUnion(used.filter { !own.contains($0.item) })
    }
    return columns
  }
}

extension SelectCore {
  /// The core with its expressions replaced, and the SELECTs of its FROM.
  func mapParts<Failure: Error>(
    _ map: (Expression) throws(Failure) -> Expression,
    select mapSelect: (SelectTree) throws(Failure) -> SelectTree
  ) throws(Failure) -> SelectCore {
    var core = self
    core.values = try values?.map { row throws(Failure) in try row.map(map) }
    core.columns = try columns.map { column throws(Failure) in try column.mapValue(map) }
    core.from = try from.map { item throws(Failure) in
      try item.mapParts(map, select: mapSelect)
    }
    core.condition = try condition.map(map)
    core.groupBy = try groupBy.map(map)
    core.having = try having.map(map)
    return core
  }

  /// The expressions of its clauses, without those in FROM.
  var clauses: [Expression] {
    (values ?? []).joined() + outputs + [condition, having].compactMap(\.self) + groupBy
  }

  /// The expressions between SELECT and FROM.
  var outputs: [Expression] {
    columns.compactMap(\.value)
  }

  /// The columns in it, and those of its SELECTs that are from around them.
  var allColumns: Set<Expression.ColumnReference> {
    from.reduce(into: Set(clauses.flatMap(\.columns))) { $0.formUnion($1.allColumns) }
  }
}

extension FromItem {
  /// The item with its expressions replaced, and its SELECT.
  func mapParts<Failure: Error>(
    _ map: (Expression) throws(Failure) -> Expression,
    select mapSelect: (SelectTree) throws(Failure) -> SelectTree
  ) throws(Failure) -> FromItem {
    var item = self
    item.on = try on.map(map)
    switch source {
    case .table(let schema, let name, let arguments):
      item.source = .table(schema: schema, name: name, arguments: try arguments?.map(map))
    case .select(let select): item.source = .select(try mapSelect(select))
    case .group(let items):
      item.source = .group(
        try items.map { item throws(Failure) in try item.mapParts(map, select: mapSelect) })
    }
    return item
  }

  /// Its condition and its arguments.
  var expressions: [Expression] { arguments + [on].compactMap(\.self) }

  fileprivate var hasKey: Bool {
    if expressions.contains(where: \.hasKey) { return true }
    return switch source {
    case .table: false
    case .select(let select): select.hasKey
    case .group(let items): items.contains(where: \.hasKey)
    }
  }

  /// The SELECTs in it, but not those in them.
  fileprivate var selects: [SelectTree] {
    let inSource: [SelectTree] =
      switch source {
      case .table: []
      case .select(let select): [select]
      case .group(let items): items.flatMap(\.selects)
      }
    return inSource + expressions.flatMap(\.selects)
  }

  /// The columns that its condition, its arguments and its SELECT use from outside.
  var allColumns: Set<Expression.ColumnReference> {
    var columns = Set(expressions.flatMap(\.columns))
    switch source {
    case .table: break
    case .select(let select): columns.formUnion(select.columns)
    case .group(let items): for item in items { columns.formUnion(item.allColumns) }
    }
    return columns
  }
}

extension [FromItem] {
  /// The numbers of the items, those in parentheses included.
  var allNumbers: Set<Int> {
    reduce(into: []) { numbers, item in
      if case .group(let items) = item.source {
        numbers.formUnion(items.allNumbers)
      } else {
        numbers.insert(item.number)
      }
    }
  }
}
