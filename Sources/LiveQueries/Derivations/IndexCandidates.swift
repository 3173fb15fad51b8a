package import SQLiteStorage

/// The indexes by which the equations of a query could be searched.
package struct IndexCandidates {
  package struct Column: Hashable {
    /// The column; nil for an expression.
    package let name: String?
    /// The SQL of the expression, with unqualified columns, or of the column.
    @ExactText var text: String
    /// The collation of the equation if it is written there.
    package let collation: String?
    /// The column on the other side of the equation; nil if that is something else.
    package var compared: (alias: String, name: String)? {
      comparedColumn.flatMap { column in column.table.map { ($0, column.column) } }
    }
    fileprivate let comparedColumn: Expression.Name?
    /// Whether it is on the left side, whose collation comes first.
    package let isLeft: Bool
    /// How sure it is that the other side of the equation is known when rows are searched.
    let rank: Int

    /// The column as in `CREATE INDEX`, spelled as in the schema.
    package func sql(in table: TableDescription) -> String {
      let column = name.map { name in
        table.columns.first { $0.name.sqliteFolded == name.sqliteFolded }?.name ?? name
      }
      return (column?.quotedIdentifier ?? text)
        + (collation.map { " COLLATE \($0.quotedIdentifier)" } ?? "")
    }
  }

  private struct Item {
    let alias: String
    let table: String
    var columns: [Column] = []
  }

  private var items: [Item] = []

  /// - Parameter query: a query of a ``LivePlan``, in which each column has the alias of its item.
  package init(_ query: String) throws(SelectRefusal) { collect(try TreeParser.parse(query)) }

  /// The indexes, the most promising first.
  ///
  /// - Parameter alias: the item that is read completely; nil if it is not known.
  package func sorted(by alias: String?) -> [(table: String, columns: [Column])] {
    let first = items.filter { $0.alias == alias }
    return (first + items.filter { $0.alias != alias }).flatMap { item in
      let all = item.columns.sorted { $0.rank < $1.rank }
      let lists = all.count > 1 ? [all] + all.map { [$0] } : [all]
      return lists.filter { !$0.isEmpty }.map { (item.table, $0) }
    }
  }

  /// The name of the table with an alias; nil if there is none.
  package func table(of alias: String) -> String? { items.first { $0.alias == alias }?.table }

  /// The columns of an item that are equal to something, beginning with the one that an index should
  /// begin with.
  package func columns(of alias: String) -> [Column] {
    items.filter { $0.alias == alias }.flatMap(\.columns).filter { $0.name != nil }
      .sorted { $0.rank < $1.rank }
  }

  // MARK: - Collecting

  /// - Parameter isList: whether it is on the right side of `IN`, where SQLite can use an index on
  ///   its column in place of the list.
  private mutating func collect(_ tree: SelectTree, isList: Bool = false) {
    for core in tree.arms.map(\.core) {
      let from = core.from.flattened
      var own = from.compactMap { item -> Item? in
        guard let alias = item.alias, case .table(let schema, let name, nil) = item.source,
          ["main", nil].contains(schema)
        else { return nil }
        return Item(alias: alias, table: name)
      }
      let conditions = from.compactMap(\.on)
      for index in own.indices {
        for output in core.outputs where isList {
          add(output, output.collation, rank: 3, to: &own[index])
        }
        for term in (core.condition?.terms ?? []) + conditions.flatMap(\.terms) {
          collect(term, into: &own[index])
        }
      }
      items += own
      for case .select(let select) in from.map(\.source) { collect(select) }
      for expression in core.clauses + conditions {
        expression.forEach { part in
          switch part.kind {
          case .inSelect(_, _, let select): collect(select, isList: true)
          case .exists(let select), .select(let select): collect(select)
          default: break
          }
        }
      }
    }
  }

  private func collect(_ term: Expression, into item: inout Item) {
    switch term.kind {
    case .binary(let left, let sign, let right) where ["=", "==", "IS"].contains(sign.uppercased()):
      let collation = left.collation ?? right.collation
      for (side, other) in [(left, right), (right, left)] {
        add(
          side, collation, rank: other.rank, comparedWith: other, isLeft: side == left, to: &item)
      }
    case .inSelect(let value, false, _): add(value, value.collation, rank: 1, to: &item)
    case .inList(let value, false, _): add(value, value.collation, rank: 3, to: &item)
    case .postfix(let value, "ISNULL"): add(value, value.collation, rank: 3, to: &item)
    case .or(let terms):
      // SQLite searches by each of them if all have an index.
      for term in terms.flatMap(\.terms) { collect(term, into: &item) }
    default: break
    }
  }

  private func add(
    _ side: Expression, _ collation: String?, rank: Int, comparedWith other: Expression? = nil,
    isLeft: Bool = true, to item: inout Item
  ) {
    let others = other?.aliases ?? []
    var side = side
    if case .collate(let operand, _) = side.kind { side = operand }
    // The sign keeps SQLite from searching by the term.
    if case .prefix("+", _) = side.kind { return }
    guard side.aliases == [item.alias], side.selects.isEmpty, !others.contains(item.alias) else {
      return
    }
    let column: Column
    if case .name(let name) = side.kind {
      column = Column(
        name: name.column, text: name.column, collation: collation,
        comparedColumn: other?.name, isLeft: isLeft, rank: rank)
    } else {
      let text = side.unqualified.sql
      column = Column(
        name: nil, text: text, collation: collation, comparedColumn: nil, isLeft: isLeft, rank: rank
      )
    }
    let isKnown = item.columns.contains {
      $0.text.exact == column.text.exact && $0.collation == collation
    }
    if !isKnown { item.columns.append(column) }
  }
}

extension [FromItem] {
  /// The items, with those in parentheses.
  fileprivate var flattened: [FromItem] {
    flatMap { item in
      if case .group(let items) = item.source { items.flattened + [item] } else { [item] }
    }
  }
}

extension Expression {
  fileprivate var collation: String? {
    if case .collate(_, let name) = kind { name.text } else { nil }
  }

  /// The name that it is; nil if it is something else.
  fileprivate var name: Name? { if case .name(let name) = kind { name } else { nil } }

  /// The aliases of the items whose columns it uses.
  fileprivate var aliases: Set<String> {
    var aliases: Set<String> = []
    forEach { if case .name(let name) = $0.kind, let table = name.table { aliases.insert(table) } }
    return aliases
  }

  /// 0 if it is known before rows are searched, 2 if another item may have to be searched first. A
  /// value that is written in the query selects less than one of a touched row.
  fileprivate var rank: Int {
    var hasParameter = false
    forEach { if case .parameter = $0.kind { hasParameter = true } }
    if !aliases.isEmpty { return 2 }
    return hasParameter ? 0 : 3
  }

  /// The expression with unqualified columns.
  fileprivate var unqualified: Expression {
    if case .name(var name) = kind {
      (name.schema, name.table) = (nil, nil)
      return Expression(.name(name))
    }
    return mapChildren(\.unqualified, select: { $0 })
  }
}
