internal import SQLiteStorage

/// Replaces the joins that no derivation leads through by others that return the same rows:
///
/// - `a JOIN b RIGHT JOIN c ON f` is `c LEFT JOIN (SELECT … FROM a JOIN b) ON f`.
/// - `a LEFT JOIN (b JOIN c) ON f` is `a LEFT JOIN (SELECT … FROM b JOIN c) ON f`.
/// - `a FULL JOIN b ON f` is the LEFT JOIN, and the rows of b that it leaves out: `(SELECT … FROM a LEFT JOIN b ON f UNION
///   ALL SELECT NULL, … FROM b WHERE NOT EXISTS (SELECT 1 FROM a WHERE f))`.
///
/// SQLite computes all of a join that another one joins, also for one row of the other side. A SELECT in its place can be
/// limited to the rows that are wanted. Names are resolved, so that the order of the items decides no column.
struct OuterJoins {
  /// The tables of numbered items, those of copies included.
  private(set) var tables: [SelectSchema.Table?]
  /// How many SELECTs are around what is being replaced.
  private var depth = 0

  /// The largest number of SELECTs in each other: a chain of joins becomes that.
  private static let maximumDepth = TreeParser.maximumDepth / 2

  init(_ tables: [SelectSchema.Table?]) { self.tables = tables }

  /// - Parameter tree: a resolved SELECT.
  mutating func replaced(in tree: SelectTree) throws(SelectRefusal) -> SelectTree {
    guard depth < OuterJoins.maximumDepth else { throw TreeParser.tooDeep }
    depth += 1
    defer { depth -= 1 }
    var tree = tree
    for index in tree.arms.indices {
      var core = tree.arms[index].core
      try replace(in: &core, &tree.orderBy)
      tree.arms[index].core = try core.mapParts(
        { expression throws(SelectRefusal) in try replaced(in: expression) },
        select: { select throws(SelectRefusal) in try replaced(in: select) })
    }
    for index in tree.orderBy.indices {
      tree.orderBy[index].expression = try replaced(in: tree.orderBy[index].expression)
    }
    return tree
  }

  private mutating func replaced(in expression: Expression) throws(SelectRefusal) -> Expression {
    try expression.mapChildren(
      { child throws(SelectRefusal) in try replaced(in: child) },
      select: { select throws(SelectRefusal) in try replaced(in: select) })
  }

  /// Replaces the joins of one FROM. What is before the last RIGHT or FULL JOIN becomes one item, in whose SELECT the
  /// others are replaced in turn.
  private mutating func replace(
    in core: inout SelectCore, _ orderBy: inout [OrderingTerm]
  ) throws(SelectRefusal) {
    while let index = core.from.firstIndex(where: \.isOptionalGroup) {
      let item = core.from[index]
      guard case .group(let items) = item.source else { return }
      try wrap(items, on: item.on, at: index..<(index + 1), in: &core, &orderBy)
    }
    guard let last = core.from.lastIndex(where: { $0.join == .right || $0.join == .full }) else {
      return
    }
    if last > 1 || core.from[0].isGroup {
      try wrap(Array(core.from[..<last]), at: 0..<last, in: &core, &orderBy)
    }
    // With arguments that are columns of the other side, which would come after it.
    let (left, right) = ([core.from[0]].allNumbers, [core.from[1]].allNumbers)
    guard core.from[0].sourceItems.isDisjoint(with: right),
      core.from[1].sourceItems.isDisjoint(with: left)
    else { throw SelectRefusal("a RIGHT or FULL JOIN joins a table-valued function") }
    if core.from[1].join == .full {
      try replaceFullJoin(in: &core, &orderBy)
    } else {
      let (join, on) = (core.from[0].join, core.from[1].on)
      core.from.swapAt(0, 1)
      (core.from[0].join, core.from[0].on) = (join, nil)
      (core.from[1].join, core.from[1].on) = (.left, on)
    }
  }

  // MARK: - One item for several

  /// Makes items the FROM of a SELECT, which takes their place.
  ///
  /// - Parameter on: what joins it.
  private mutating func wrap(
    _ items: [FromItem], on: Expression? = nil, at range: Range<Int>, in core: inout SelectCore,
    _ orderBy: inout [OrderingTerm]
  ) throws(SelectRefusal) {
    let columns = try take(items, on: on, at: range, in: &core, orderBy)
    var select = SelectCore()
    select.from = items
    select.from[0].join = .comma
    select.columns = columns.map { Expression(.column($0)) }.results
    place(SelectTree(select), with: columns, at: range.lowerBound, in: &core, &orderBy)
  }

  /// Replaces the FULL JOIN of the first two items.
  private mutating func replaceFullJoin(
    in core: inout SelectCore, _ orderBy: inout [OrderingTerm]
  ) throws(SelectRefusal) {
    var (left, right) = (core.from[0], core.from[1])
    let columns = try take([left, right], at: 0..<2, in: &core, orderBy)
    (left.join, right.join) = (.comma, .left)
    var joined = SelectCore()
    joined.from = [left, right]
    joined.columns = columns.map { Expression(.column($0)) }.results
    // A query that is bound to a row must not read it a second time, so the other rows have items of their own.
    let copy = try renumbering(of: [left, right])
    var partners = SelectCore()
    partners.from = [copy.apply(to: left)]
    partners.condition = right.on.map(copy.apply(to:))
    partners.columns = [Expression.one].results
    var others = SelectCore()
    others.from = [copy.apply(to: right)]
    (others.from[0].join, others.from[0].on) = (.comma, nil)
    others.condition = Expression(.prefix("NOT", Expression(.exists(SelectTree(partners)))))
    others.columns =
      columns.map { column in
        column.item == left.number ? .null : copy.apply(to: Expression(.column(column)))
      }.results
    var union = SelectTree(joined)
    union.arms.append(SelectTree.Arm(combination: .unionAll, core: others))
    place(union, with: columns, at: 0, in: &core, &orderBy)
  }

  /// Puts an item without a source in the place of others.
  ///
  /// - Parameter on: what joins it.
  /// - Returns: the columns of the others that the SELECT uses, and those that identify their rows.
  private mutating func take(
    _ items: [FromItem], on: Expression? = nil, at range: Range<Int>, in core: inout SelectCore,
    _ orderBy: [OrderingTerm]
  ) throws(SelectRefusal) -> [Expression.ColumnReference] {
    let numbers = items.allNumbers
    let others = core.from.allNumbers.subtracting(numbers)
    guard items.allSatisfy({ others.isDisjoint(with: $0.allColumns.map(\.item)) }) else {
      throw SelectRefusal("a join that another one joins uses a table outside of it")
    }
    guard !numbers.contains(where: { tables[$0]?.isFullText == true }) else {
      throw SelectRefusal("another join joins the join of a full-text index")
    }
    var item = FromItem(join: core.from[range.lowerBound].join, source: .group([]))
    item.on = on
    item.number = try tables.addItem(nil)
    item.alias = FromItem.alias(item.number)
    core.from.replaceSubrange(range, with: [item])
    var columns = orderBy.reduce(into: core.allColumns) { $0.formUnion($1.expression.columns) }
    columns = columns.filter { numbers.contains($0.item) }
    columns.formUnion(items.flatMap(identity))
    return columns.sorted { ($0.item, $0.column.name) < ($1.item, $1.column.name) }
  }

  /// Makes a SELECT the source of an item, and its columns those that the item is used for.
  private func place(
    _ select: SelectTree, with columns: [Expression.ColumnReference], at index: Int,
    in core: inout SelectCore, _ orderBy: inout [OrderingTerm]
  ) {
    let number = core.from[index].number
    let positions = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1, $0) })
    let substitution = Substitution { column in
      positions[column].map { .column(number, .output($0)) }
    }
    core = substitution.apply(to: core)
    orderBy = substitution.apply(to: orderBy)
    core.from[index].source = .select(select)
  }

  /// The columns that identify a row of an item, if they are known before its SELECT is prepared: else all.
  private func identity(of item: FromItem) -> [Expression.ColumnReference] {
    let columns: [Expression.Column]
    switch item.source {
    case .table: columns = (tables[item.number]?.key ?? []).map { .named($0.exact) }
    case .select(let select):
      let core = select.arms[0].core
      columns =
        core.values.map { ($0.first ?? []).indices.map { .value($0) } }
        ?? core.columns.indices.map { .output($0) }
    case .group(let items): return items.flatMap(identity)
    }
    return columns.map { Expression.ColumnReference(item: item.number, column: $0) }
  }

  // MARK: - Numbers

  /// New numbers for the items in others, at any depth.
  private mutating func renumbering(of items: [FromItem]) throws(SelectRefusal) -> Substitution {
    var core = SelectCore()
    core.from = items
    var numbers: [Int: Int] = [:]
    for old in SelectTree(core).innerNumbers.sorted() {
      numbers[old] = try tables.addItem(tables[old])
    }
    let known = numbers
    return Substitution(
      { column in known[column.item].map { .column($0, column.column) } },
      item: { $0.numbered(known) })
  }
}

extension FromItem {
  /// The items outside of it whose columns its source uses.
  fileprivate var sourceItems: Set<Int> {
    var item = self
    item.on = nil
    return Set(item.allColumns.map(\.item)).subtracting([item].allNumbers)
  }

  /// The item with other numbers for some.
  fileprivate func numbered(_ numbers: [Int: Int]) -> FromItem {
    var item = self
    if case .group(let items) = source { item.source = .group(items.map { $0.numbered(numbers) }) }
    if let number = numbers[number] { (item.number, item.alias) = (number, FromItem.alias(number)) }
    return item
  }

  fileprivate var isGroup: Bool { if case .group = source { true } else { false } }

  /// Whether it is a join in parentheses that cannot be part of the FROM around it.
  fileprivate var isOptionalGroup: Bool {
    guard case .group(let items) = source else { return false }
    return join == .left || join == .full || items.contains(where: \.hasOptionalLeftSide)
  }
}

extension [Expression] {
  /// The expressions as the columns of a SELECT in FROM.
  fileprivate var results: [ResultColumn] {
    enumerated().map { .expression($1, alias: Expression.Column.output($0).name, text: "") }
  }
}
