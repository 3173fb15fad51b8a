package import SQLiteStorage

/// What identifies the rows of a SELECT, and their order.
package struct SelectIdentity {
  /// A column of the SELECT by which its ORDER BY sorts.
  package struct Term {
    package let column: Int
    package let collation: String?
    /// `ASC`, `DESC`, `NULLS FIRST`, `NULLS LAST`, as they are written.
    package let suffix: String
  }

  /// The columns that identify a row, by their positions.
  package let key: [Int]
  package let order: [Term]

  /// - Returns: nil if nothing identifies the rows, or they are sorted by what is not a column.
  package init?(of select: SelectAnalysis) {
    guard let key = select.finder.key(of: select.prepared),
      let order = SelectIdentity.order(of: select.resolved)
    else { return nil }
    (self.key, self.order) = (key, order)
  }

  private static func order(of tree: SelectTree) -> [Term]? {
    let core = tree.arms[0].core
    if tree.orderBy.isEmpty, tree.arms.count == 1, core.from.count == 1,
      case .select(let inner) = core.from[0].source, core.values == nil
    {
      // A SELECT of a sorted SELECT or view, which SQLite does not sort again.
      return order(of: inner)?.reduce(into: []) { terms, term in
        let column = Expression.column(core.from[0].number, .output(term.column))
        guard let index = core.outputs.firstIndex(of: column) else { return terms = nil }
        terms?.append(Term(column: index, collation: term.collation, suffix: term.suffix))
      }
    }
    return tree.orderBy.reduce(into: []) { terms, term in
      var (value, collation) = (term.expression, nil as String?)
      if case .collate(let operand, let name) = value.kind {
        (value, collation) = (operand, name.text)
      }
      let column =
        value.integer.map { $0 - 1 } ?? core.outputs.firstIndex(of: value)
      guard let column, core.outputs.indices.contains(column) else { return terms = nil }
      terms?.append(Term(column: column, collation: collation, suffix: term.suffix))
    }
  }
}

extension DerivationFinder {
  /// The columns of a SELECT that identify its rows, by their positions; nil if none are known.
  ///
  /// - Parameter tree: a prepared SELECT.
  fileprivate func key(of tree: SelectTree) -> [Int]? {
    let core = tree.arms[0].core
    let all = Array(core.outputs.indices)
    guard tree.arms.count == 1 else {
      guard hasUniformColumns(tree) else { return nil }
      return tree.arms.last?.combination != .unionAll ? all : unionKey(of: tree.arms.map(\.core))
    }
    guard core.values == nil else { return nil }
    guard let key = isGrouped(core) ? groupKey(of: core) : itemKey(of: core) else {
      return core.isDistinct ? all : nil
    }
    // A row of a window is looked up with its partition.
    let partitions = positions(of: partitions(core).flatMap(\.self), in: core) ?? []
    return key + partitions.filter { !key.contains($0) }
  }

  private func groupKey(of core: SelectCore) -> [Int]? {
    let groups = positions(of: core.groupBy, in: core)
    // Without GROUP BY there is one row, and no column of it stays the same.
    return groups?.isEmpty == true ? nil : groups
  }

  /// The keys of SELECTs that are combined by `UNION ALL`, and a column that tells each two of them apart: it is NULL in
  /// one, and never in the other; nil if there is none.
  private func unionKey(of cores: [SelectCore]) -> [Int]? {
    var key: Set<Int> = []
    for (index, core) in cores.enumerated() {
      guard let own = self.key(of: SelectTree(core)) else { return nil }
      key.formUnion(own)
      for other in cores[..<index] {
        let column = core.outputs.indices.first { column in
          [(core, other), (other, core)].contains { left, right in
            left.outputs[column] == .null && isNeverNull(right.outputs[column], from: right.from)
          }
        }
        guard let column else { return nil }
        key.insert(column)
      }
    }
    return key.sorted()
  }

  /// The keys of as few items of FROM as determine the others.
  private func itemKey(of core: SelectCore) -> [Int]? {
    let keys = core.from.map(uniqueKeys)
    guard !core.from.isEmpty, !keys.contains(where: \.isEmpty) else { return nil }
    let selected = keys.map { keys in keys.lazy.compactMap { positions(of: $0, in: core) }.first }
    var chosen = core.from.indices.filter { selected[$0] != nil }
    guard determinesAll(chosen, keys, in: core) else { return nil }
    for item in chosen.reversed() where chosen.count > 1 {
      let others = chosen.filter { $0 != item }
      if determinesAll(others, keys, in: core) { chosen = others }
    }
    return chosen.flatMap { selected[$0] ?? [] }
  }

  /// The columns that identify a row of an item of FROM: the key, and others; empty if none are known.
  /// (``key(of:)-(FromItem)`` may be the key of several equal rows.)
  func uniqueKeys(of item: FromItem) -> [[Expression]] {
    if case .select(let select) = item.source {
      return key(of: select).map { key in
        key.isEmpty ? [] : [key.map { .column(item.number, .output($0)) }]
      } ?? []
    }
    let others = table(item.number)?.uniqueKeys.columns(of: item) ?? []
    return ([key(of: item) ?? []] + others).filter { !$0.isEmpty }
  }

  /// The columns of a SELECT in FROM that a key among them determines: those of the table whose key it is. In a compound
  /// they are of that table in each SELECT, or they are all NULL.
  func dependencies(of tree: SelectTree) -> [(key: [Int], columns: [Int])] {
    let cores = tree.arms.map(\.core)
    guard let first = cores.first, cores.allSatisfy({ $0.values == nil && !isGrouped($0) }) else {
      return []
    }
    return first.from.compactMap { item in
      let columns = first.outputs.indices.filter { first.outputs[$0].column?.item == item.number }
      guard let table = table(item.number),
        let key = positions(of: [table.key].columns(of: item)[0], in: first),
        cores.dropFirst().allSatisfy({ areOfOneRow(columns, in: $0, as: first) })
      else { return nil }
      return (key, columns)
    }
  }

  /// Whether columns of a SELECT are those of a row of the same table as in another, or all NULL.
  private func areOfOneRow(
    _ columns: [Int], in core: SelectCore, as other: SelectCore
  ) -> Bool {
    let outputs = columns.map { core.outputs[$0] }
    if outputs.allSatisfy({ $0 == .null }) { return true }
    let items = Set(outputs.map { $0.column?.item })
    guard items.count == 1, let item = items.first ?? nil, let table = table(item) else {
      return false
    }
    return columns.allSatisfy { column in
      guard let own = core.outputs[column].column, let first = other.outputs[column].column,
        let original = self.table(first.item)
      else { return false }
      return own.column == first.column && table.name.exact == original.name.exact
        && table.schema.exact == original.schema.exact
    }
  }

  /// Whether a row of each item of FROM follows from rows of some of them: one of its keys is equal to
  /// columns of those.
  ///
  /// - Parameter keys: the keys of each item.
  func determinesAll(
    _ chosen: [Int], _ keys: [[[Expression]]], in core: SelectCore
  ) -> Bool {
    var known = Set(chosen)
    var isGrowing = true
    while isGrowing, known.count < core.from.count {
      isGrowing = false
      let numbers = Set(known.map { core.from[$0].number })
      for item in core.from.indices where !known.contains(item) {
        let equal = columnsEqual(to: numbers, of: item, in: core)
        if keys[item].contains(where: equal.isSuperset) {
          known.insert(item)
          isGrowing = true
        }
      }
    }
    return known.count == core.from.count
  }

  /// The columns of an item that are equal to a column of other items.
  ///
  /// - Parameter numbers: the numbers of the other items.
  private func columnsEqual(
    to numbers: Set<Int>, of index: Int, in core: SelectCore
  ) -> Set<Expression> {
    // Under another collation a value is equal to several keys.
    guard !hasCollations else { return [] }
    let item = core.from[index]
    let terms = (item.join == .left ? item.on : core.condition)?.terms ?? []
    var columns: Set<Expression> = []
    for term in terms {
      guard case .binary(let left, "=", let right) = term.kind, case .column(let first) = left.kind,
        case .column(let second) = right.kind
      else { continue }
      if first.item == item.number, numbers.contains(second.item),
        !isConverted(left, beside: right, core.from)
      {
        columns.insert(left)
      }
      if second.item == item.number, numbers.contains(first.item),
        !isConverted(right, beside: left, core.from)
      {
        columns.insert(right)
      }
    }
    return columns
  }

  /// Whether a comparison converts a value, after which different values are equal.
  private func isConverted(
    _ value: Expression, beside other: Expression, _ items: [FromItem]
  ) -> Bool {
    TableDescription.Column.isConverted(
      affinity(value, items) ?? "BLOB", beside: affinity(other, items) ?? "BLOB")
  }

  /// The positions of values in the columns of a SELECT; nil if one is not among them.
  private func positions(of values: [Expression], in core: SelectCore) -> [Int]? {
    let outputs = core.outputs
    let positions = values.map { outputs.firstIndex(of: $0) }
    return positions.contains(nil) ? nil : positions.compactMap(\.self)
  }
}

extension Expression {
  /// The column that it is; nil if it is something else.
  fileprivate var column: ColumnReference? {
    if case .column(let column) = kind { column } else { nil }
  }
}

extension [[String]] {
  /// Keys of a table as columns of an item.
  func columns(of item: FromItem) -> [[Expression]] {
    map { $0.map { .column(item.number, .named($0.exact)) } }
  }
}

extension TableDescription.Column {
  /// Whether a comparison converts values of an affinity, so that no index on them serves it.
  ///
  /// Source: [Type Conversions Prior To Comparison](https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison).
  ///
  /// - Parameter other: the affinity of the other side.
  package static func isConverted(_ affinity: String, beside other: String) -> Bool {
    let texts: Set = ["TEXT", "BLOB"]
    return texts.contains(affinity) && !texts.contains(other)
      || affinity == "BLOB" && other == "TEXT"
  }
}
