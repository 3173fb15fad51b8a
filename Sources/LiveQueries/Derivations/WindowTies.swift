internal import SQLiteStorage

/// Refuses SELECTs of which SQLite returns other rows if it reads the same rows in another order.
///
/// A window with `ORDER BY` numbers rows that are equal in its terms as it reads them. To find one row of a
/// list, SQLite may read its partition by another index than to find all of them: then `row_number()` is
/// another number, and `WHERE r <= 2` is true of another row. The same is true of a condition on
/// `group_concat()`.
struct WindowTies {
  private let finder: DerivationFinder
  private let outputs: InexactOutputs

  /// The functions of which equal rows have equal values.
  static let ranks: Set<ExactText> = ["rank", "dense_rank", "percent_rank", "cume_dist"]
  /// The aggregates whose value does not depend on the order of the rows of a frame; that of a sum of REAL
  /// values by its last bits only.
  static let commutative: Set<ExactText> = ["count", "sum", "total", "avg", "min", "max"]

  init(_ finder: DerivationFinder, _ outputs: InexactOutputs) {
    (self.finder, self.outputs) = (finder, outputs)
  }

  /// Whether anything in a resolved SELECT may be refused.
  static func concern(_ tree: SelectTree, aggregates: Set<ExactText>) -> Bool {
    let clauses = tree.arms.flatMap { $0.core.clauses + $0.core.from.flatMap(\.allExpressions) }
    return (clauses + tree.orderBy.map(\.expression)).contains { expression in
      expression.contains { part in
        guard case .call(let call) = part.kind else { return false }
        let name = call.name.sqliteFolded
        return call.isWindowed || aggregates.contains(name) && !commutative.contains(name)
      }
    } || tree.selects.contains { concern($0, aggregates: aggregates) }
  }

  /// - Parameter tree: a prepared SELECT, or one in it.
  func check(_ tree: SelectTree) throws(SelectRefusal) {
    for select in tree.selects { try check(select) }
    let order = tree.orderBy.map(\.expression)
    // What decides which rows there are.
    var deciding = tree.limit == nil ? [] : order
    let comparesRows = tree.arms.contains {
      $0.core.isDistinct || ![nil, .unionAll].contains($0.combination)
    }
    for core in tree.arms.map(\.core) {
      for call in (core.outputs + order).flatMap(\.windowCalls) {
        guard let window = call.window else { continue }
        guard isTheSameInAnyOrder(call, window, core) else {
          throw SelectRefusal(
            "\(call.name)() depends on the order of rows that are equal in its window: add a key to its ORDER BY"
          )
        }
        deciding += window.partitionBy + window.orderBy.map(\.expression)
      }
      deciding += [core.condition, core.having].compactMap(\.self) + core.groupBy
      deciding += core.from.flatMap(\.expressions)
      if comparesRows { deciding += core.outputs }
    }
    guard !deciding.contains(where: outputs.isUnordered(_:)) else {
      throw SelectRefusal(
        "which rows it has depends on the order in which an aggregate reads others")
    }
  }

  private func isTheSameInAnyOrder(
    _ call: Expression.FunctionCall, _ window: Window, _ core: SelectCore
  ) -> Bool {
    let name = call.name.sqliteFolded
    if WindowTies.ranks.contains(name) { return true }
    // In a frame of RANGE or GROUPS, which is the default, are all rows that are equal, or none.
    let isWhole = window.frame.prefix(WindowTies.wholeFrame.count) == WindowTies.wholeFrame[...]
    if WindowTies.commutative.contains(name), isWhole || window.frame.first != .words("ROWS") {
      return true
    }
    return tellsRowsApart(window, core)
  }

  private static let wholeFrame: [Window.FramePiece] = [
    "ROWS", "BETWEEN", "UNBOUNDED", "PRECEDING", "AND", "UNBOUNDED", "FOLLOWING",
  ].map { .words($0) }

  /// Whether two rows of a SELECT are never equal in the terms of a window.
  private func tellsRowsApart(_ window: Window, _ core: SelectCore) -> Bool {
    var terms = Set(window.partitionBy + window.orderBy.map(\.expression))
    let keys = core.from.map(finder.uniqueKeys)
    let chosen = core.from.indices.filter { keys[$0].contains(where: terms.isSuperset) }
    if finder.determinesAll(chosen, keys, in: core) { return true }
    guard finder.isGrouped(core) else { return false }
    for item in chosen.map({ core.from[$0] }) {
      let columns = finder.table(item.number)?.columns ?? []
      terms.formUnion(columns.map { .column(item.number, .named($0.name.exact)) })
    }
    return core.groupBy.allSatisfy(terms.contains)
  }
}

extension Expression {
  /// The calls of window functions in it, but not those in its SELECTs.
  fileprivate var windowCalls: [FunctionCall] {
    var calls: [FunctionCall] = []
    forEach { if case .call(let call) = $0.kind, call.isWindowed { calls.append(call) } }
    return calls
  }
}

extension FromItem {
  /// Its condition and its arguments, and those of the joins in it.
  fileprivate var allExpressions: [Expression] {
    guard case .group(let items) = source else { return expressions }
    return expressions + items.flatMap(\.allExpressions)
  }
}
