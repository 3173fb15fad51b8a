internal import SQLiteStorage

/// Replaces the names in a tree by what they mean: each column by its item of FROM, and each view and
/// common table by its SELECT. Items of FROM are numbered, so that no name can hide another, and parts can
/// be moved to other places.
struct NameResolver {
  /// A resolved SELECT, and the names of its columns.
  struct Resolved {
    var tree: SelectTree
    let names: [String]
  }

  /// A common table, which is resolved again at each use.
  private struct Common {
    let table: CommonTable
    /// The common tables that it can use: all of its WITH clause and those around it.
    let level: Int
  }

  /// A resolved SELECT of a compound, and what ORDER BY can name of it.
  private struct ResolvedCore {
    var core: SelectCore
    /// The names of its columns.
    var names: [String]
    /// The aliases of its columns, in lower case. A column of `*` has its name as its alias.
    var aliases: [ExactText?] = []
    var scope = NameScope()
  }

  let schema: SelectSchema
  /// The tables of numbered items; nil for SELECTs and functions.
  var tables: [SelectSchema.Table?] = []
  /// Whether COLLATE was read.
  var hasCollation = false
  private var common: [Common] = []
  /// The views and common tables that are being resolved.
  private var open: [String] = []
  /// How many expressions and SELECTs are around what is being resolved.
  var depth = 0
  /// The schema of the view whose SELECT is being resolved.
  var viewSchema: String?
  /// Whether the SELECT that is resolved next is that of a view, and not one in it.
  private var isOfView = false

  init(_ schema: SelectSchema) { self.schema = schema }

  // MARK: - SELECT

  mutating func resolve(
    _ tree: SelectTree, in scopes: [NameScope] = []
  ) throws(SelectRefusal) -> Resolved {
    try enter()
    defer { depth -= 1 }
    let outerCount = common.count
    for table in tree.with {
      common.append(Common(table: table, level: outerCount + tree.with.count))
    }
    defer { common.removeLast(common.count - outerCount) }
    var result = SelectTree(arms: [])
    var cores: [ResolvedCore] = []
    for arm in tree.arms {
      let resolved = try resolve(arm.core, in: scopes)
      guard resolved.names.count == cores.first?.names.count ?? resolved.names.count else {
        throw SelectRefusal("the SELECTs of a compound differ in their number of columns")
      }
      cores.append(resolved)
      result.arms.append(SelectTree.Arm(combination: arm.combination, core: resolved.core))
    }
    for term in tree.orderBy {
      result.orderBy.append(
        OrderingTerm(expression: try order(term.expression, cores), suffix: term.suffix))
    }
    result.limit = try resolveAny(tree.limit, in: [])
    result.offset = try resolveAny(tree.offset, in: [])
    return Resolved(tree: result, names: cores.first?.names ?? [])
  }

  /// A term of ORDER BY: the position of a result column if it is one.
  ///
  /// Source: `resolveCompoundOrderBy` in [resolve.c](https://www.sqlite.org/src/file/src/resolve.c).
  private mutating func order(
    _ term: Expression, _ cores: [ResolvedCore]
  ) throws(SelectRefusal) -> Expression {
    if let position = term.integer {
      guard let count = cores.first?.names.count, 1...count ~= position else {
        throw SelectRefusal("ORDER BY \(position)")
      }
      return Expression(.literal("\(position)"))
    }
    var collation: String?
    var inner = term
    if case .collate(let operand, let name) = term.kind {
      (inner, collation) = (operand, name.text)
    }
    if case .name(let name) = inner.kind, let index = position(of: name, in: cores) {
      let position = Expression(.literal("\(index + 1)"))
      return collation.map { Expression(.collate(position, $0.exact)) } ?? position
    }
    guard let only = cores.first, cores.count == 1 else {
      throw SelectRefusal("ORDER BY of a compound is an expression")
    }
    // ORDER BY and GROUP BY do not see the SELECTs around them.
    let value = try resolve(term, in: [only.scope])
    return value.integer == nil ? value : Expression(.literal("NULL"))
  }

  /// The position of the result column that a name in ORDER BY means: an alias, or in a compound a column. The first
  /// SELECT that has one decides.
  private mutating func position(of name: Expression.Name, in cores: [ResolvedCore]) -> Int? {
    for core in cores {
      if name.table == nil, let index = core.aliases.firstIndex(of: name.column.sqliteFolded) {
        return index
      }
      guard cores.count > 1 else { return nil }
      // What is no column of one SELECT may be one of the next.
      let value = try? resolve(Expression(.name(name)), in: [core.scope])
      if let value, let index = core.core.outputs.firstIndex(of: value) { return index }
    }
    return nil
  }

  private mutating func resolve(
    _ core: SelectCore, in outer: [NameScope]
  ) throws(SelectRefusal) -> ResolvedCore {
    let isOfView = isOfView
    self.isOfView = false
    var result = SelectCore()
    if let values = core.values {
      var rows: [[Expression]] = []
      for row in values { rows.append(try resolve(row, in: outer)) }
      result.values = rows
      let names = (rows.first ?? []).indices.map { "column\($0 + 1)" }
      return ResolvedCore(core: result, names: names)
    }
    result.isDistinct = core.isDistinct
    var scope = NameScope()
    var items = core.from
    try resolve(&items, outer, &scope)
    let windows = core.windows
    var names: [String] = []
    var aliases: [(name: String, value: Expression)?] = []
    func add(_ value: Expression, text: String, name: String, alias: String?) {
      result.columns.append(
        .expression(value, alias: Expression.Column.output(result.columns.count).name, text: text))
      names.append(name)
      aliases.append(alias.map { ($0, value) })
    }
    for column in core.columns {
      switch column {
      case .all(let table):
        for (name, value) in try scope.expanded(table) {
          add(value, text: name, name: name, alias: name)
        }
      case .expression(let expression, let alias, let text):
        let value = try resolve(expression, in: outer + [scope], windows)
        let rowIDName = isOfView ? rowIDName(of: value) : nil
        add(
          value, text: text, name: alias ?? rowIDName ?? expression.columnName ?? text, alias: alias
        )
      }
    }
    // The other clauses see an alias only if no column has its name. So the names that come from `*` change nothing.
    scope.aliases = aliases.compactMap(\.self)
    let scopes = outer + [scope]
    try resolveConditions(&items, scopes)
    result.from = items
    result.condition = try resolveAny(core.condition, in: scopes)
    for term in core.groupBy {
      var value = try resolve(term, in: [scope])
      if let position = term.integer {
        guard result.columns.indices.contains(position - 1) else {
          throw SelectRefusal("GROUP BY \(position) is no column")
        }
        value = result.outputs[position - 1]
      }
      // A number would mean a column here.
      result.groupBy.append(value.integer == nil ? value : Expression(.literal("NULL")))
    }
    result.having = try resolveAny(core.having, in: scopes, windows)
    return ResolvedCore(
      core: result, names: names, aliases: aliases.map { $0?.name.sqliteFolded }, scope: scope)
  }

  /// What SQLite calls a rowid among the columns of a view: as the column that it is. In another SELECT it has the name
  /// that is written.
  private func rowIDName(of value: Expression) -> String? {
    if case .collate(let operand, _) = value.kind { return rowIDName(of: operand) }
    guard case .column(let column) = value.kind, case .named(let name) = column.column,
      let table = tables[column.item], table.hasRowID, table.key.map(\.exact) == [name]
    else { return nil }
    return table.columns.contains { $0.name.exact == name } ? name.text : "rowid"
  }

  /// Views in views could make a tree deeper than the parser permits.
  mutating func enter() throws(SelectRefusal) {
    guard depth < TreeParser.maximumDepth else { throw TreeParser.tooDeep }
    depth += 1
  }

  // MARK: - Tables

  /// The common table or view with a name, resolved; nil if the name means something else.
  mutating func select(
    named name: String, in schemaName: String?
  ) throws(SelectRefusal) -> Resolved? {
    let folded = name.sqliteFolded
    if schemaName == nil,
      let index = common.lastIndex(where: { $0.table.name.sqliteFolded == folded })
    {
      let table = common[index].table
      let hidden = Array(common[common[index].level...])
      common.removeLast(hidden.count)
      defer { common += hidden }
      return try opened("WITH \(folded) \(index)", table.name) { resolver throws(SelectRefusal) in
        // The last SELECT of a recursive table reads the table itself.
        try resolver.resolve(table.select).renamed(table.columns)
      }
    }
    guard let table = schema.table(name, in: schemaName ?? viewSchema),
      case .view(let sql) = table.kind
    else { return nil }
    let (columns, select) = try TreeParser.parseView(sql)
    let saved = (common, viewSchema)
    (common, viewSchema) = ([], table.schema)
    defer { (common, viewSchema) = saved }
    return try opened("\(table.schema).\(folded)", table.name) { resolver throws(SelectRefusal) in
      resolver.isOfView = true
      return try resolver.resolve(select).renamed(columns)
    }
  }

  private mutating func opened(
    _ key: String, _ name: String,
    _ body: (inout NameResolver) throws(SelectRefusal) -> Resolved
  ) throws(SelectRefusal) -> Resolved {
    guard !open.contains(key) else { throw SelectRefusal("\(name) is recursive") }
    open.append(key)
    defer { open.removeLast() }
    // A view takes as much of the stack as several expressions.
    depth += 2
    defer { depth -= 2 }
    return try body(&self)
  }

  func table(named name: String, in schemaName: String?) throws(SelectRefusal) -> SelectSchema.Table
  {
    guard let table = schema.table(name, in: schemaName ?? viewSchema) else {
      throw SelectRefusal("no table is named \(name)")
    }
    return table
  }
}

extension [SelectSchema.Table?] {
  /// Adds the table of another item of FROM; nil for one that is no table.
  ///
  /// - Returns: the number of the item.
  /// - Throws: if there are too many, which copies of views and common tables could multiply.
  mutating func addItem(_ table: SelectSchema.Table?) throws(SelectRefusal) -> Int {
    let limit = 200
    guard count < limit else { throw SelectRefusal("the SELECT reads more than \(limit) tables") }
    append(table)
    return count - 1
  }
}

extension NameResolver.Resolved {
  /// The same with names that WITH or a view declares; empty if it declares none.
  fileprivate func renamed(_ columns: [String]) throws(SelectRefusal) -> NameResolver.Resolved {
    guard columns.isEmpty || columns.count == names.count else {
      throw SelectRefusal(
        "a view or a table of WITH declares another number of columns than it has")
    }
    return NameResolver.Resolved(tree: tree, names: columns.isEmpty ? names : columns)
  }
}

extension Expression {
  /// The number that it is, which ORDER BY and GROUP BY take for a column.
  var integer: Int? {
    switch kind {
    case .literal(let text):
      text.hasPrefix("0x") || text.hasPrefix("0X")
        ? Int32(text.text.dropFirst(2), radix: 16).map { Int($0) }
        : Int32(text.text).map { Int($0) }
    case .prefix("+", let operand): operand.integer
    case .prefix("-", let operand): operand.integer.map { -$0 }
    default: nil
    }
  }

  fileprivate var columnName: String? {
    switch kind {
    case .name(let name): name.column
    case .collate(let operand, _): operand.columnName
    default: nil
    }
  }
}
