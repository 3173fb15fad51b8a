internal import SQLiteStorage

// A tree as SQL. Each expression that has parts is in parentheses, so that SQLite combines the
// parts as the tree does.

extension SelectTree {
  var sql: String {
    var sql = ""
    if !with.isEmpty {
      sql += "WITH \(with.map(\.sql).joined(separator: ", ")) "
    }
    sql += arms.map { arm in
      (arm.combination.map { " \($0.rawValue) " } ?? "") + arm.core.sql
    }.joined()
    if !orderBy.isEmpty { sql += " ORDER BY \(orderBy.sql)" }
    if let limit { sql += " LIMIT \(limit.sql)" }
    if let offset { sql += " OFFSET \(offset.sql)" }
    return sql
  }
}

extension CommonTable {
  fileprivate var sql: String {
    let columns =
      columns.isEmpty ? "" : "(\(columns.map(\.quotedIdentifier).joined(separator: ", ")))"
    return "\(name.quotedIdentifier)\(columns) AS (\(select.sql))"
  }
}

extension SelectCore {
  var sql: String {
    if let values { return "VALUES \(values.map { "(\($0.sql))" }.joined(separator: ", "))" }
    var sql = "SELECT \(isDistinct ? "DISTINCT " : "")"
    sql += columns.map(\.sql).joined(separator: ", ")
    if !from.isEmpty { sql += " FROM \(from.sql)" }
    if let condition { sql += " WHERE \(condition.sql)" }
    if !groupBy.isEmpty { sql += " GROUP BY \(groupBy.sql)" }
    if let having { sql += " HAVING \(having.sql)" }
    if !windows.isEmpty {
      let list = windows.map { "\($0.name.quotedIdentifier) AS \($0.window.sql)" }
      sql += " WINDOW \(list.joined(separator: ", "))"
    }
    return sql
  }
}

extension ResultColumn {
  fileprivate var sql: String {
    switch self {
    case .all(let table): (table.map { "\($0.quotedIdentifier)." } ?? "") + "*"
    case .expression(let expression, let alias, _):
      expression.sql + (alias.map { " AS \($0.quotedIdentifier)" } ?? "")
    }
  }
}

extension [FromItem] {
  var sql: String {
    enumerated().map { index, item in
      guard index > 0 else { return item.sql }
      let natural = item.isNatural ? " NATURAL" : ""
      return (item.join == .comma ? ", " : "\(natural) \(item.join.rawValue) ") + item.sql
    }.joined()
  }
}

extension FromItem {
  fileprivate var sql: String {
    var sql: String
    switch source {
    case .table(let schema, let name, let arguments):
      sql = (schema.map { "\($0.quotedIdentifier)." } ?? "") + name.quotedIdentifier
      if let arguments { sql += "(\(arguments.sql))" }
    case .select(let select): sql = "(\(select.sql))"
    case .group(let items): sql = "(\(items.sql))"
    }
    if let alias { sql += " AS \(alias.quotedIdentifier)" }
    if let on { sql += " ON \(on.sql)" }
    if let using { sql += " USING (\(using.map(\.quotedIdentifier).joined(separator: ", ")))" }
    return sql
  }

  /// The alias that an item has once names are resolved.
  static func alias(_ number: Int) -> String { number == unnumbered ? "t" : "t\(number)" }
}

extension [OrderingTerm] {
  var sql: String {
    map { $0.expression.sql + ($0.suffix.isEmpty ? "" : " \($0.suffix)") }.joined(separator: ", ")
  }
}

extension Window {
  fileprivate var sql: String {
    var parts: [String] = []
    if let base { parts.append(base.quotedIdentifier) }
    if !partitionBy.isEmpty { parts.append("PARTITION BY \(partitionBy.sql)") }
    if !orderBy.isEmpty { parts.append("ORDER BY \(orderBy.sql)") }
    parts += frame.map { piece in
      switch piece {
      case .words(let words): words
      case .expression(let expression): expression.sql
      }
    }
    return "(\(parts.joined(separator: " ")))"
  }
}

extension [Expression] {
  var sql: String { map(\.sql).joined(separator: ", ") }
}

extension Expression {
  var sql: String {
    switch kind {
    case .literal(let text), .parameter(let text): return text.text
    case .key(let position): return KeyParameter.name(position)
    case .name(let name): return name.sql
    case .column(let column):
      return "\(FromItem.alias(column.item)).\(column.column.name.quotedIdentifier)"
    case .prefix(let sign, let operand):
      return "(\(sign) \(operand.sql))"
    case .postfix(let operand, let word): return "(\(operand.sql) \(word))"
    case .binary(let left, let sign, let right): return "(\(left.sql) \(sign) \(right.sql))"
    case .chain(let first, let links):
      return "(\(first.sql)\(links.map { " \($0.sign) \($0.operand.sql)" }.joined()))"
    case .and(let terms): return "(\(terms.map(\.sql).joined(separator: " AND ")))"
    case .or(let terms): return "(\(terms.map(\.sql).joined(separator: " OR ")))"
    case .between(let value, let isNegated, let low, let high):
      return "(\(value.sql)\(isNegated ? " NOT" : "") BETWEEN \(low.sql) AND \(high.sql))"
    case .like(let value, let isNegated, let sign, let pattern, let escape):
      let escape = escape.map { " ESCAPE \($0.sql)" } ?? ""
      return "(\(value.sql)\(isNegated ? " NOT" : "") \(sign) \(pattern.sql)\(escape))"
    case .inList(let value, let isNegated, let list):
      return "(\(value.sql)\(isNegated ? " NOT" : "") IN (\(list.sql)))"
    case .inSelect(let value, let isNegated, let select):
      return "(\(value.sql)\(isNegated ? " NOT" : "") IN (\(select.sql)))"
    case .inTable(let value, let isNegated, let schema, let name, let arguments):
      let table = (schema.map { "\($0.quotedIdentifier)." } ?? "") + name.quotedIdentifier
      let list = arguments.map { "(\($0.sql))" } ?? ""
      return "(\(value.sql)\(isNegated ? " NOT" : "") IN \(table)\(list))"
    case .exists(let select): return "EXISTS (\(select.sql))"
    case .select(let select): return "(\(select.sql))"
    case .call(let call): return call.sql
    case .cast(let operand, let type): return "CAST(\(operand.sql) AS \(type))"
    case .collate(let operand, let name):
      return "(\(operand.sql) COLLATE \(name.text.quotedIdentifier))"
    case .choice(let base, let branches, let otherwise):
      let base = base.map { " \($0.sql)" } ?? ""
      let list = branches.map { " WHEN \($0.condition.sql) THEN \($0.value.sql)" }.joined()
      return "CASE\(base)\(list)\(otherwise.map { " ELSE \($0.sql)" } ?? "") END"
    case .row(let list): return "(\(list.sql))"
    }
  }
}

extension Expression.Name {
  fileprivate var sql: String {
    // TRUE and FALSE are names, which quotes would make columns.
    guard isQuoted || table != nil || !["true", "false"].contains(column.sqliteFolded) else {
      return column
    }
    return [schema, table, column].compactMap(\.self).map(\.quotedIdentifier).joined(separator: ".")
  }
}

extension Expression.FunctionCall {
  fileprivate var sql: String {
    var inner = isStar ? "*" : (isDistinct ? "DISTINCT " : "") + arguments.sql
    if !orderBy.isEmpty { inner += " ORDER BY \(orderBy.sql)" }
    var sql = "\(name.quotedIdentifier)(\(inner))"
    if let filter { sql += " FILTER (WHERE \(filter.sql))" }
    if let windowName { sql += " OVER \(windowName.quotedIdentifier)" }
    if let window { sql += " OVER \(window.sql)" }
    return sql
  }
}
