internal import SQLiteStorage

/// A SELECT that only joins tables, filters rows and computes columns row by row. A row of it is
/// made of one row of each table, or of none if a LEFT JOIN finds none.
struct SimpleSelect {
  /// A table, view or nested SELECT in `FROM`.
  struct Item {
    let source: Source
    /// Whether it is joined by LEFT JOIN, so that it may have no row.
    let isOptional: Bool
    /// `ON` or `USING` with the condition or columns; empty if there is neither.
    let constraint: String
    /// The columns that `ON` requires to be equal.
    var equations: [Equation] = []
  }

  indirect enum Source {
    case table(TableDescription, alias: String)
    /// A view or a SELECT in parentheses.
    ///
    /// - columns: the column names that a view declares.
    case select(SimpleSelect, columns: String?, alias: String?)

    /// The name that qualifies its columns.
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

    /// A column of the item with this number.
    struct Side {
      let item: Int
      let column: String
    }
  }

  /// An occurrence of a table.
  struct Leaf {
    /// The number of the item in each SELECT, from the outermost one on.
    let path: [Int]
    let table: TableDescription
    let alias: String
    /// The columns that identify its rows, as in ``TouchedRows``.
    let key: [String]
    /// Whether a row of the SELECT may contain no row of this table.
    let isOptional: Bool

    /// The name of a column of the key in the SELECT at a depth.
    func name(_ column: Int, depth: Int) -> String {
      // No other column has such a name. Each depth has another name, since `*` may include the
      // columns of the depth below.
      "key \(depth): \(path.map(String.init).joined(separator: ".")).\(column)".quotedIdentifier
    }
  }

  /// The SQL between SELECT and FROM.
  let columns: String
  let items: [Item]
  /// The SQL after WHERE.
  let condition: String?
}

extension SimpleSelect.Source {
  /// The occurrences of tables in the source; those in a nested SELECT are optional relative to it.
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

  /// The SQL after `FROM`, in which the columns of a SELECT include the keys of all tables.
  func sql(_ path: [Int]) -> String {
    switch self {
    case .table(let table, let alias):
      return "\(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)"
        + " AS \(alias.quotedIdentifier)"
    case .select(let select, let columns, let alias):
      let alias = alias.map { " AS \($0.quotedIdentifier)" } ?? ""
      guard let columns else { return "(\(select.keyed(path)))\(alias)" }
      // Only WITH can name the columns. No table can be mistaken for "named", since all of them are
      // qualified by their schema.
      let names = select.names(path, depth: path.count)
      return """
        (WITH named(\(columns)
        , \(names.joined(separator: ", "))) AS (\(select.keyed(path))) SELECT * FROM named)\(alias)
        """
    }
  }
}

extension SimpleSelect {
  /// The occurrences of tables in the SELECT.
  func leaves(_ path: [Int], isOptional: Bool = false) -> [Leaf] {
    items.enumerated().flatMap { index, item in
      item.source.leaves(path + [index], isOptional: isOptional || item.isOptional)
    }
  }

  /// The SELECT with the keys of all tables after its columns.
  fileprivate func keyed(_ path: [Int]) -> String {
    let keys = zip(expressions(leaves(path), path), names(path, depth: path.count))
      .map { "\($0) AS \($1)" }.joined(separator: ", ")
    let condition = condition.map { " WHERE \($0)\n" } ?? ""
    return "SELECT \(columns)\n, \(keys) FROM \(from(path, count: items.count))\(condition)"
  }

  /// The names of its tables' keys at a depth.
  fileprivate func names(_ path: [Int], depth: Int) -> [String] {
    leaves(path).flatMap { leaf in leaf.key.indices.map { leaf.name($0, depth: depth) } }
  }

  /// The keys of some of its tables, as its own clauses name them.
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
  /// - Parameter present: the optional items that must have a row.
  func from(_ path: [Int], count: Int, present: Set<Int> = []) -> String {
    items.prefix(count).enumerated().map { index, item in
      let isOptional = item.isOptional && !present.contains(index)
      let join = index == 0 ? "" : isOptional ? " LEFT JOIN " : " JOIN "
      return join + item.source.sql(path + [index])
        + (item.constraint.isEmpty ? "" : " \(item.constraint)\n")
    }.joined()
  }

  /// The optional items that must have a row in a row of the first items, if item `index` has one.
  func itemsPresent(withItem index: Int) -> Set<Int> {
    var present: Set<Int> = [index]
    // From right to left: the condition of a join refers to items to its left.
    for item in items.indices.prefix(index + 1).reversed()
    where present.contains(item) || !items[item].isOptional {
      present.formUnion(items[item].equations.flatMap(\.sides).map(\.item))
    }
    return present.filter { $0 <= index }
  }
}

extension TableDescription {
  /// A name of the rowid, which may be the name of a column; nil if there is none.
  var anyRowIDName: String? { rowIDName ?? (isKeyRowID ? key.first : nil) }
}
