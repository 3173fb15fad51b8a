package import SQLiteStorage

extension SelectSchema {
  /// Looks up the tables and views that a SELECT reads.
  ///
  /// - Parameter names: the names of the tables and views.
  /// - Throws: ``SelectRefusal`` if the touched rows of a table are not known, and `DatabaseError`.
  package init(_ names: Set<ExactText>, in connection: Connection) throws {
    let tables = try names.sorted().map(\.text).flatMap { name in
      try connection.schemas(with: name).compactMap { schema in
        try connection.table(named: name, in: schema).flatMap {
          try Table($0, in: connection)
        }
      }
    }
    self.init(tables: tables, aggregates: try connection.aggregates())
  }
}

extension SelectSchema.Table {
  fileprivate init?(_ table: TableDescription, in connection: Connection) throws {
    let kind: SelectSchema.Kind
    var key: [String] = []
    guard table.schema != "temp" else {
      throw SelectRefusal("it reads the temporary \(table.name)")
    }
    switch table.kind {
    case .table where !table.name.sqliteFolded.hasPrefix("sqlite_"):
      kind = .table
      let rowID = table.isKeyRowID ? table.key.first : table.rowIDName
      key = table.isWithoutRowID ? table.key : [rowID].compactMap(\.self)
      guard !key.isEmpty else {
        throw SelectRefusal("columns hide the rowid of \(table.name)")
      }
    case .view: kind = .view(sql: try connection.definition(of: table))
    case .virtual where try connection.fullTextContent(of: table) != nil:
      (kind, key) = (.fullText, ["rowid"])
    case .virtual, .table:
      throw SelectRefusal("the touched rows of \(table.name) are not known")
    // A part of a virtual table.
    case .shadow: return nil
    }
    let columns = try SelectSchema.Table.columns(of: table, in: connection)
    let keys = table.kind == .table ? try connection.uniqueKeys(of: table, columns) : []
    guard !table.isWithoutRowID || keys.contains(where: { $0.exact == key.exact }) else {
      throw SelectRefusal("the key of \(table.name) has another collation than its columns")
    }
    let canBeNull = Set(columns.filter { !$0.isNotNull }.map(\.name.exact))
    self.init(
      schema: table.schema, name: table.name, kind: kind, columns: columns, key: key,
      uniqueKeys: keys.filter { canBeNull.isDisjoint(with: $0.exact) },
      sharedKeys: keys.filter { !canBeNull.isDisjoint(with: $0.exact) },
      hasRowID: !table.isWithoutRowID && table.kind != .view)
  }

  private static func columns(
    of table: TableDescription, in connection: Connection
  ) throws -> [SelectSchema.Column] {
    let keyOfTable = Set(table.isWithoutRowID || table.isKeyRowID ? table.key.exact : [])
    var columns = try table.columns.map { column in
      SelectSchema.Column(
        column.name, type: column.declaredType,
        collation: table.kind == .table
          ? try connection.collation(
            ofColumn: column.name, table: table.name, schema: table.schema) ?? "BINARY" : "BINARY",
        isNotNull: column.isNotNull || keyOfTable.contains(column.name.exact))
    }
    if table.kind == .virtual {
      columns += [table.name, "rank"].map { SelectSchema.Column($0, isHidden: true) }
    }
    return columns
  }
}

extension Connection {
  /// The columns of each UNIQUE constraint or index that two rows of a table never have in common, unless
  /// one is NULL. An index that excludes rows or contains expressions does not count, nor do columns whose
  /// collation is not that of the index: equal values could be in two rows.
  fileprivate func uniqueKeys(
    of table: TableDescription, _ columns: [SelectSchema.Column]
  ) throws -> [[String]] {
    try indexes(of: table).filter { $0.isUnique && !$0.isPartial }.compactMap { index in
      let names = index.columns.compactMap { indexed in
        columns.first { column in
          column.name.sqliteFolded == indexed.name?.sqliteFolded
            && column.collation.sqliteFolded == indexed.collation.sqliteFolded
        }?.name
      }
      return names.count == index.columns.count ? names : nil
    }
  }

  /// The names of functions that can be aggregates.
  ///
  /// - Throws: ``SelectRefusal`` if this SQLite does not list them.
  fileprivate func aggregates() throws -> Set<ExactText> {
    var names: Set<ExactText> = []
    do {
      try query("SELECT name FROM pragma_function_list WHERE type <> 's'") { row in
        names.insert(row.string(at: 0).sqliteFolded)
      }
    } catch let error as DatabaseError where .error ~= error.resultCode {
      throw SelectRefusal("this SQLite does not list its functions")
    }
    guard names.contains("count") else {
      throw SelectRefusal("this SQLite does not list its aggregates")
    }
    return names
  }
}
