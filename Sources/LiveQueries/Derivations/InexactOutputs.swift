internal import SQLiteStorage

/// Finds the columns of a prepared SELECT whose values may depend on the order in which SQLite reads
/// rows: sums of REAL values, whose last bits do, and everything that is made of many rows in an
/// unknown way.
///
/// The same row, read alone and with all others, may have another value in such a column. So the
/// position of a row must not be searched by it.
struct InexactOutputs {
  private let tree: SelectTree
  private let aggregates: Set<ExactText>
  /// The SELECTs in FROM, by the numbers of their items.
  private var selects: [Int: SelectTree] = [:]
  /// Whether equal rows are merged into one somewhere in it. Which spelling of a key that row has may
  /// depend on the order too.
  private(set) var mergesRows = false

  init(of tree: SelectTree, aggregates: Set<ExactText>) {
    self.tree = tree
    self.aggregates = aggregates
    add(tree)
  }

  /// Whether a column is one of them.
  func contains(_ column: Int) -> Bool { isInexact(tree, column, InexactOutputs.exact) }

  /// Whether a column is one of them, and no sum: any of its values may be another one, not only its last bits.
  func isUnordered(_ column: Int) -> Bool { isInexact(tree, column, InexactOutputs.ordered) }

  /// Whether the same is true of an expression in the SELECT.
  func isUnordered(_ expression: Expression) -> Bool {
    isInexact(expression, InexactOutputs.ordered)
  }

  private mutating func add(_ tree: SelectTree) {
    if tree.arms.count > 1 { mergesRows = true }
    for core in tree.arms.map(\.core) {
      if core.isDistinct || !core.groupBy.isEmpty { mergesRows = true }
      // Joins in parentheses are gone.
      for item in core.from {
        if case .select(let select) = item.source { selects[item.number] = select }
      }
    }
    for select in tree.selects { add(select) }
  }

  private func isInexact(_ tree: SelectTree, _ column: Int, _ exact: Set<ExactText>) -> Bool {
    tree.arms.contains { arm in
      arm.core.outputs.indices.contains(column) && isInexact(arm.core.outputs[column], exact)
    }
  }

  /// - Parameter exact: the aggregates that do not make a value inexact.
  private func isInexact(_ expression: Expression, _ exact: Set<ExactText>) -> Bool {
    var isInexact = expression.selects.contains { select in
      (0..<(select.arms.first?.core.outputs.count ?? 0)).contains {
        self.isInexact(select, $0, exact)
      }
    }
    expression.forEach { part in
      switch part.kind {
      case .call(let call):
        let name = call.name.sqliteFolded
        if aggregates.contains(name), !exact.contains(name) { isInexact = true }
      case .column(let column):
        guard let select = selects[column.item], case .output(let index) = column.column else {
          return
        }
        if self.isInexact(select, index, exact) { isInexact = true }
      default: return
      }
    }
    return isInexact
  }

  /// What counts rows, compares them or chooses one. A window chooses the same one in any order of
  /// the rows: ``WindowTies`` refuses others.
  private static let exact: Set<ExactText> = WindowTies.ranks.union([
    "count", "min", "max", "row_number", "ntile", "lag", "lead", "first_value", "last_value",
    "nth_value",
  ])

  private static let ordered = exact.union(["sum", "total", "avg"])
}
