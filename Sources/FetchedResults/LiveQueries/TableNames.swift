internal import SQLiteStorage

extension SelectTree {
  /// The names of the tables and views in its FROM clauses, folded, but not those of common tables.
  ///
  /// SQLite does not report a table of which only the columns of a `USING` are read.
  var tableNames: Set<String> {
    var names: Set<String> = []
    var commonNames: Set<String> = []
    collectTableNames(&names, &commonNames)
    return names.subtracting(commonNames)
  }

  private func collectTableNames(_ names: inout Set<String>, _ commonNames: inout Set<String>) {
    for table in with {
      commonNames.insert(table.name.sqliteFolded)
      table.select.collectTableNames(&names, &commonNames)
    }
    for core in arms.map(\.core) {
      core.from.collectTableNames(&names)
      for select in core.allSelects { select.collectTableNames(&names, &commonNames) }
    }
  }
}

extension [FromItem] {
  fileprivate func collectTableNames(_ names: inout Set<String>) {
    for item in self {
      switch item.source {
      case .table(_, let name, nil, _): names.insert(name.sqliteFolded)
      case .group(let items): items.collectTableNames(&names)
      case .table, .select: break
      }
    }
  }
}

extension Connection {
  /// The names of the tables and views that a SELECT and the views in it name in FROM, folded.
  ///
  /// - Throws: `SelectRefusal` if the SELECT or a view cannot be parsed, and `DatabaseError`.
  func tableNames(in select: String) throws -> Set<String> {
    var names: Set<String> = []
    var unread = try TreeParser.parse(select).tableNames
    while let name = unread.popFirst() {
      guard names.insert(name).inserted, let table = try table(named: name), table.kind == .view
      else { continue }
      unread.formUnion(try TreeParser.parseView(try definition(of: table)).select.tableNames)
    }
    return names
  }
}
