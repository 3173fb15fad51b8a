internal import SQLiteStorage

/// A SELECT that joins tables, leaves rows out and computes columns row by row, and does nothing
/// else: a row of it is made of one row of each table, or of none where a LEFT JOIN finds none.
struct SimpleSelect {
  /// What is between two joins.
  struct Item {
    let source: Source
    /// Whether it is joined by LEFT JOIN: then there may be no row of it.
    let isOptional: Bool
    /// `ON` or `USING` with what follows, or nothing.
    let constraint: String
    /// What `ON` demands to be equal.
    var equations: [Equation] = []
  }

  indirect enum Source {
    case table(TableDescription, alias: String)
    /// A view or a SELECT in parentheses.
    ///
    /// - columns: the names that a view declares for its columns.
    case select(SimpleSelect, columns: String?, alias: String?)

    /// The name that columns are qualified with.
    var alias: String? {
      switch self {
      case .table(_, let alias): alias
      case .select(_, _, let alias): alias
      }
    }
  }

  /// Two columns that must be equal, and so not NULL.
  struct Equation {
    let sides: [Side]

    /// A column of the item with that number.
    struct Side {
      let item: Int
      let column: String
    }
  }

  /// A place of a table.
  struct Leaf {
    /// The number of the item in each SELECT, from the outermost one on.
    let path: [Int]
    let table: TableDescription
    let alias: String
    /// The columns that identify its rows as ``TouchedRows`` does.
    let key: [String]
    /// Whether there may be no row of it in a row of the SELECT that was asked.
    let isOptional: Bool

    /// The name that a column of the key has in the SELECT at a depth.
    func name(_ column: Int, depth: Int) -> String {
      // No other column is called like that; at each depth it is another name, since `*` may show
      // those of the depth below.
      "key \(depth): \(path.map(String.init).joined(separator: ".")).\(column)".quotedIdentifier
    }
  }

  /// What stands between SELECT and FROM.
  let columns: String
  let items: [Item]
  /// What stands after WHERE.
  let condition: String?
}

extension SimpleSelect.Source {
  /// The places of tables in it; those in a SELECT are optional within that.
  func leaves(_ path: [Int], isOptional: Bool = false) -> [SimpleSelect.Leaf] {
    switch self {
    case .table(let table, let alias):
      let key = table.isWithoutRowID ? table.key : [table.anyRowIDName].compactMap(\.self)
      return [
        SimpleSelect.Leaf(
          path: path, table: table, alias: alias, key: key, isOptional: isOptional)
      ]
    case .select(let select, _, _): return select.leaves(path, isOptional: isOptional)
    }
  }

  /// The SQL after `FROM`, with the keys of all tables among the columns of a SELECT.
  func sql(_ path: [Int]) -> String {
    switch self {
    case .table(let table, let alias):
      return "\(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)"
        + " AS \(alias.quotedIdentifier)"
    case .select(let select, let columns, let alias):
      let alias = alias.map { " AS \($0.quotedIdentifier)" } ?? ""
      guard let columns else { return "(\(select.keyed(path)))\(alias)" }
      // Only WITH can name the columns. No table in it can be taken for "named": they all have
      // their schema in front.
      let names = select.names(path, depth: path.count)
      return """
        (WITH named(\(columns)
        , \(names.joined(separator: ", "))) AS (\(select.keyed(path))) SELECT * FROM named)\(alias)
        """
    }
  }
}

extension SimpleSelect {
  /// The places of tables in it.
  func leaves(_ path: [Int], isOptional: Bool = false) -> [Leaf] {
    items.enumerated().flatMap { index, item in
      item.source.leaves(path + [index], isOptional: isOptional || item.isOptional)
    }
  }

  /// The SELECT, with the keys of all tables behind its columns.
  fileprivate func keyed(_ path: [Int]) -> String {
    let keys = zip(expressions(leaves(path), path), names(path, depth: path.count))
      .map { "\($0) AS \($1)" }.joined(separator: ", ")
    let condition = condition.map { " WHERE \($0)\n" } ?? ""
    return "SELECT \(columns)\n, \(keys) FROM \(from(path, count: items.count))\(condition)"
  }

  /// The names that the keys of its tables have at a depth.
  fileprivate func names(_ path: [Int], depth: Int) -> [String] {
    leaves(path).flatMap { leaf in leaf.key.indices.map { leaf.name($0, depth: depth) } }
  }

  /// The keys of some of its tables, as its own clauses call them.
  func expressions(_ leaves: [Leaf], _ path: [Int]) -> [String] {
    leaves.flatMap { leaf in
      leaf.key.enumerated().map { index, column in
        leaf.path.count == path.count + 1
          ? "\(leaf.alias.quotedIdentifier).\(column.quotedIdentifier)"
          : leaf.name(index, depth: path.count + 1)
      }
    }
  }

  /// The first items of `FROM`.
  ///
  /// - Parameter present: optional items of which only rows are wanted that are there.
  func from(_ path: [Int], count: Int, present: Set<Int> = []) -> String {
    items.prefix(count).enumerated().map { index, item in
      let isOptional = item.isOptional && !present.contains(index)
      let join = index == 0 ? "" : isOptional ? " LEFT JOIN " : " JOIN "
      return join + item.source.sql(path + [index])
        + (item.constraint.isEmpty ? "" : " \(item.constraint)\n")
    }.joined()
  }

  /// The optional items of which a row must be there in a row of the first items that has one of
  /// the item `index`.
  func itemsPresent(withItem index: Int) -> Set<Int> {
    var present: Set<Int> = [index]
    // From right to left: what a join demands is to its left.
    for item in items.indices.prefix(index + 1).reversed()
    where present.contains(item) || !items[item].isOptional {
      present.formUnion(items[item].equations.flatMap(\.sides).map(\.item))
    }
    return present.filter { $0 <= index }
  }
}

extension TableDescription {
  /// A name of the rowid, which may be that of a column; nil where there is none.
  var anyRowIDName: String? { rowIDName ?? (isKeyRowID ? key.first : nil) }
}
