internal import SQLiteStorage

/// What the names in the expressions of one SELECT can mean.
struct NameScope {
  /// The name of a column, and what it means.
  typealias Column = (name: String, column: Expression.Column, isHidden: Bool)

  struct Item {
    let number: Int
    /// The name that qualifies its columns; nil for a SELECT without an alias.
    let alias: String?
    let table: SelectSchema.Table?
    var isFunction = false
    /// Whether it is in parentheses with other items, where SQLite shows no rowid.
    var isInGroup = false
    let columns: [Column]
    /// The columns of `USING` in lower case, which belong to an item before it too.
    var joined: Set<ExactText> = []
  }

  var items: [Item] = []
  /// The aliases of result columns, which other clauses can use.
  var aliases: [(name: String, value: Expression)] = []

  static func column(_ column: SelectSchema.Column) -> Column {
    (column.name, .named(column.name.exact), column.isHidden)
  }
}

extension NameScope {
  /// What a name means in this scope; nil if it is not found.
  ///
  /// Source: `lookupName` in [resolve.c](https://www.sqlite.org/src/file/src/resolve.c).
  func find(_ name: Expression.Name) throws(SelectRefusal) -> Expression? {
    let column = name.column.sqliteFolded
    let candidates = items.filter { $0.isMeant(by: name) }
    var found: [Expression] = []
    for item in candidates {
      guard let match = item.columns.first(where: { $0.name.sqliteFolded == column }) else {
        continue
      }
      if !found.isEmpty, item.joined.contains(column) { continue }
      found.append(.column(item.number, match.column))
    }
    guard found.count < 2 else { throw SelectRefusal("the column \(name.column) is ambiguous") }
    if let expression = found.first { return expression }
    if TableDescription.rowIDNames.exact.contains(column) {
      let tables = candidates.filter { $0.table?.hasRowID ?? $0.isFunction }
      if tables.count == 1, tables[0].table != nil, !tables[0].isInGroup {
        // The rowid may be a column.
        return .column(tables[0].number, .named((tables[0].table?.key.first?.exact) ?? column))
      }
      // Versions of SQLite differ: it is NULL, or the rowid of a table in a SELECT around.
      let isOfView = candidates.contains { item in
        item.table.map { if case .view = $0.kind { true } else { false } } ?? !item.isFunction
      }
      if tables.isEmpty, isOfView { throw SelectRefusal("it reads the rowid of a view or SELECT") }
      guard tables.count != 1 else {
        throw SelectRefusal("it reads the rowid of a function, or of a join in parentheses")
      }
    }
    guard name.table == nil else { return nil }
    return aliases.first { $0.name.sqliteFolded == column }?.value
  }

  /// The columns of `*`, or of `table.*`.
  func expanded(_ table: String?) throws(SelectRefusal) -> [(name: String, value: Expression)] {
    let chosen = items.filter { item in
      table.map { $0.sqliteFolded == item.alias.map(\.sqliteFolded) } ?? true
    }
    guard !chosen.isEmpty else { throw SelectRefusal("no table is named \(table ?? "in FROM")") }
    return chosen.flatMap { item in
      item.columns.filter { column in
        !column.isHidden && (table != nil || !item.joined.contains(column.name.sqliteFolded))
      }
      .map { ($0.name, .column(item.number, $0.column)) }
    }
  }
}

extension NameScope.Item {
  fileprivate func isMeant(by name: Expression.Name) -> Bool {
    guard let qualifier = name.table else { return true }
    if let schema = name.schema, schema.sqliteFolded != table.map({ $0.schema.sqliteFolded }) {
      return false
    }
    return alias.map(\.sqliteFolded) == qualifier.sqliteFolded
  }
}
