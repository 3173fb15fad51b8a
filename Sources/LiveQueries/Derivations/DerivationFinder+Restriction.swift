// A SELECT for the rows with given values.

extension DerivationFinder {
  /// The SELECT, restricted to rows with given values in some columns.
  ///
  /// SQLite does not move a condition into the SELECTs of a compound, nor into a window unless all
  /// of its partitions are determined by it, so it is put into each.
  func restricted(
    _ tree: SelectTree, _ columns: [(index: Int, value: Expression)]
  ) throws(SelectRefusal) -> SelectTree {
    guard tree.limit == nil else {
      throw SelectRefusal("a LIMIT decides which rows are in a SELECT")
    }
    var tree = tree
    tree.orderBy = []
    let isCompound = tree.arms.count > 1
    for column in columns where isCompound {
      // Under another collation the condition would take a part of a group. NULL has none.
      let collations = Set(
        tree.arms.filter { $0.core.values == nil && $0.core.outputs[column.index] != .null }
          .map { arm in collation(arm.core.outputs[column.index], arm.core.from) ?? "BINARY" })
      guard collations.count < 2 else {
        throw SelectRefusal("the SELECTs of a compound differ in the collation of a key")
      }
    }
    for index in tree.arms.indices {
      tree.arms[index].core = try restricted(
        tree.arms[index].core, columns, isCompound: isCompound)
    }
    return tree
  }

  private func restricted(
    _ core: SelectCore, _ columns: [(index: Int, value: Expression)], isCompound: Bool
  ) throws(SelectRefusal) -> SelectCore {
    // VALUES has no WHERE.
    if core.values != nil { return core.filtered(columns) }
    let outputs = columns.map { core.outputs[$0.index] }
    guard !outputs.contains(where: hasWindow) else {
      throw SelectRefusal("a key is the value of a window function")
    }
    let partitions = partitions(core)
    guard outputs.allSatisfy({ output in partitions.allSatisfy { isDetermined(output, by: $0) } })
    else {
      var whole = core
      try bindPartitions(partitions, outputs, columns.map(\.value), in: &whole)
      return whole.filtered(columns)
    }
    var core = core
    bind(outputs, to: columns.map(\.value), in: &core)
    for (output, column) in zip(outputs, columns) where isCompound || !isStored(output) {
      // The column of a compound can contain both '1' and 1, which are one value for the affinity
      // of the column. The first condition is for the search, the second compares values alone.
      add(.binary(Expression(.prefix("+", output)), "IS", column.value), of: output, to: &core)
    }
    return core
  }

  /// The rows of a core that are in one partition, whose values are the parameters. All windows of a row
  /// are computed from all of their rows.
  func rows(of core: SelectCore, in partition: [Expression]) throws(SelectRefusal) -> SelectCore {
    let count = core.outputs.count
    let columns = partition.parameters.enumerated().map { (index: count + $0, value: $1) }
    var rows = core
    rows.columns += zip(partition, columns).map { value, column in
      .expression(value, alias: Expression.Column.output(column.index).name, text: "")
    }
    rows = try restricted(rows, columns, isCompound: false)
    rows.columns.removeLast(partition.count)
    return rows
  }

  /// The columns of a SELECT that determine the partition of each window in it.
  func partitionColumns(among columns: [Int], of tree: SelectTree) -> [Int] {
    let core = tree.arms[0].core
    guard tree.arms.count == 1, core.values == nil, tree.limit == nil else { return [] }
    let partitions = partitions(core)
    return columns.filter { column in
      let output = core.outputs[column]
      guard partitions.isEmpty else {
        return partitions.allSatisfy { !$0.isEmpty && isDetermined(output, by: $0) }
      }
      guard !isGrouped(core), case .column(let inner) = output.kind,
        let item = core.from.first(where: { $0.number == inner.item }),
        case .select(let select) = item.source, case .output(let index) = inner.column
      else { return false }
      return !partitionColumns(among: [index], of: select).isEmpty
    }
  }

  /// Requires that values are those of parameters, in the core and in SELECTs that they are from.
  func bind(_ values: [Expression], to parameters: [Expression], in core: inout SelectCore) {
    var columns: [Int: [(index: Int, value: Expression)]] = [:]
    for (value, parameter) in zip(values, parameters) {
      // A full-text index has no search by IS.
      let sign = isNeverNull(value, optional: core.from.optional) ? "=" : "IS"
      let isInWhere = add(.binary(value, sign, parameter), of: value, to: &core)
      guard isInWhere, case .column(let column) = value.kind,
        let item = core.from.firstIndex(where: { $0.number == column.item && $0.join != .left }),
        case .select = core.from[item].source, case .output(let index) = column.column
      else { continue }
      columns[item, default: []].append((index, parameter))
    }
    for (item, columns) in columns {
      // An ORDER BY that is still there decides a value. SQLite restricts such a SELECT itself.
      guard case .select(let select) = core.from[item].source,
        select.arms[0].core.values == nil, select.orderBy.isEmpty,
        let restricted = try? restricted(select, columns)
      else { continue }
      core.from[item].source = .select(restricted)
    }
  }

  /// Adds a condition on a value: to WHERE, or to HAVING if groups do not determine it.
  ///
  /// - Returns: whether it is in WHERE.
  @discardableResult private func add(
    _ term: Expression, of value: Expression, to core: inout SelectCore
  ) -> Bool {
    // Without GROUP BY there is a row even if WHERE excludes all.
    guard isGrouped(core), core.groupBy.isEmpty || !isDetermined(value, by: core.groupBy) else {
      core.require([term])
      return true
    }
    core.having = Expression.all((core.having?.terms ?? []) + [term])
    return false
  }

  /// Requires that a row is in a partition of a row with given values. Partitions are left whole.
  private func bindPartitions(
    _ partitions: [[Expression]], _ values: [Expression], _ parameters: [Expression],
    in core: inout SelectCore
  ) throws(SelectRefusal) {
    guard !partitions.contains(where: \.isEmpty) else {
      throw SelectRefusal("a window has no PARTITION BY")
    }
    var rows = core
    bind(values, to: parameters, in: &rows)
    let optional = core.from.optional
    let terms = partitions.map { partition in
      let terms = partition.map { value -> Expression in
        let isMember = value.isIn(SelectTree(rows.selecting([value])))
        guard !isNeverNull(value, optional: optional) else { return isMember }
        var nulls = rows
        add(Expression(.postfix(value, "ISNULL")), of: value, to: &nulls)
        let isNull = Expression(.postfix(value, "ISNULL"))
        let hasNull = Expression(
          .exists(SelectTree(nulls.selecting([.one]))))
        return Expression(.or([isMember, Expression(.and([isNull, hasNull]))]))
      }
      return Expression.all(terms) ?? .one
    }
    let term = terms.count > 1 ? Expression(.or(terms)) : terms[0]
    let all = Expression(.row(partitions.flatMap(\.self)))
    add(term, of: all, to: &core)
  }

  /// Whether a value is a column of a table, so that all of its values have the same affinity.
  func isStored(_ expression: Expression) -> Bool {
    guard case .column(let column) = expression.kind else { return false }
    return table(column.item) != nil
  }
}

extension SelectTree {
  init(_ core: SelectCore) {
    self.init(arms: [SelectTree.Arm(combination: nil, core: core)])
  }
}

extension SelectCore {
  /// The rows of the core with given values in some columns.
  fileprivate func filtered(_ columns: [(index: Int, value: Expression)]) -> SelectCore {
    let (rows, outputs) = SelectTree(self).wrapped
    var outer = rows
    for column in columns {
      let output = outputs[column.index]
      outer.require([
        .binary(output, "IS", column.value),
        .binary(Expression(.prefix("+", output)), "IS", column.value),
      ])
    }
    return outer
  }
}
