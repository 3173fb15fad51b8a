internal import SQLiteStorage

// SQLite applies the affinity of a comparison to the registers that it compares. In a grouped SELECT,
// some of them hold the values of the group: `SELECT k FROM d GROUP BY k HAVING k IN (SELECT g FROM c)`
// returns 2 for '2' if k is TEXT and g is INTEGER. Such a value depends on how SQLite runs the
// statement, and a row is not found by it.
//
// Source: [Type Conversions Prior To Comparison](https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison),
// and `sqlite3CompareAffinity` in SQLite's `expr.c`.

extension DerivationFinder {
  /// Refuses a SELECT that may return a value of a group in another type than it is stored in.
  ///
  /// - Parameter tree: a resolved SELECT.
  func checkConversions(_ tree: SelectTree) throws(SelectRefusal) {
    var conversions = Conversions(finder: self)
    conversions.collect(tree, isLate: false)
    if let value = conversions.convertedValue {
      throw SelectRefusal(
        "a comparison may convert \(value.text()), the value of a group")
    }
  }
}

/// The values of groups in a SELECT, and the values that comparisons convert.
private struct Conversions {
  let finder: DerivationFinder
  /// The items of FROM in it, at any depth.
  private var items: [FromItem] = []
  /// What groups hold, and what is compared while they do.
  private var held: [Expression] = []
  private var comparisons: [(Expression, Expression)] = []

  init(finder: DerivationFinder) { self.finder = finder }

  /// A value of a group that a comparison may convert; nil if there is none.
  var convertedValue: Expression? {
    let converted = comparisons.reduce(into: Set<Expression>()) { converted, pair in
      guard let affinity = affinity(comparing: pair.0, with: pair.1) else { return }
      for value in [pair.0, pair.1] where finder.changes(value, affinity, items) {
        converted.formUnion(origins(of: value))
      }
    }
    // The last origin is the column of a table, if there is one.
    return held.lazy.compactMap { origins(of: $0).last(where: converted.contains) }.first
  }

  /// - Parameter isLate: whether its expressions are evaluated when a SELECT around it has its groups.
  mutating func collect(_ tree: SelectTree, isLate: Bool) {
    for core in tree.arms.map(\.core) {
      let isGrouped = finder.isGrouped(core)
      if isGrouped { held += core.groupBy + core.outputs }
      collect(core.from, isLate: isLate, isGrouped: isGrouped)
      for value in [core.condition].compactMap(\.self) + core.groupBy + (core.values ?? []).joined()
      {
        collect(value, isLate: isLate)
      }
      for value in core.outputs + [core.having].compactMap(\.self) {
        collect(value, isLate: isLate || isGrouped)
      }
    }
    for term in tree.orderBy { collect(term.expression, isLate: true) }
  }

  /// - Parameter isGrouped: whether the rows of the items are grouped. The columns of a SELECT may be
  ///   computed for each group.
  private mutating func collect(_ items: [FromItem], isLate: Bool, isGrouped: Bool) {
    self.items += items
    for item in items {
      for value in [item.on].compactMap(\.self) + item.arguments { collect(value, isLate: isLate) }
      switch item.source {
      case .table: break
      case .select(let select): collect(select, isLate: isLate || isGrouped)
      case .group(let items): collect(items, isLate: isLate, isGrouped: isGrouped)
      }
    }
  }

  private mutating func collect(_ expression: Expression, isLate: Bool) {
    expression.forEach { if isLate { comparisons += $0.comparisons } }
    for select in expression.selects { collect(select, isLate: isLate) }
  }

  /// The affinity that a comparison applies to both sides; nil if it applies none.
  private func affinity(comparing left: Expression, with right: Expression) -> String? {
    let sides = [left, right].compactMap { finder.affinity($0, items) }.filter { $0 != "BLOB" }
    guard sides.count > 1 else { return sides.first }
    return sides.contains { $0 != "TEXT" } ? "NUMERIC" : nil
  }

  /// The values whose registers an expression uses.
  private func origins(of expression: Expression) -> [Expression] {
    var origins = [expression]
    switch expression.kind {
    case .collate(let operand, _), .prefix("+", let operand):
      origins += self.origins(of: operand)
    case .call(let call)
    where ["likelihood", "likely", "unlikely"].contains(call.name.sqliteFolded):
      origins += call.arguments.prefix(1).flatMap(self.origins)
    case .column(let column):
      for case .select(let select) in items.filter({ $0.number == column.item }).map(\.source) {
        for core in select.arms.map(\.core) {
          guard case .output(let index) = column.column, core.outputs.indices.contains(index)
          else { continue }
          origins += self.origins(of: core.outputs[index])
        }
      }
    default: break
    }
    return origins
  }
}

extension DerivationFinder {
  /// Whether an affinity may change the type of a value.
  fileprivate func changes(
    _ value: Expression, _ affinity: String, _ items: [FromItem]
  ) -> Bool {
    // A column of type ANY is converted by nothing in a STRICT table, and stores what it is given.
    let own = isOfAnyType(value) ? "BLOB" : self.affinity(value, items) ?? "BLOB"
    let whole: Set = ["INTEGER", "NUMERIC"]
    return own != affinity && !(whole.contains(own) && whole.contains(affinity))
  }
}

extension Expression {
  /// The pairs of values that the expression itself compares.
  fileprivate var comparisons: [(Expression, Expression)] {
    switch kind {
    case .binary(let left, _, let right): Array(zip(left.components, right.components))
    case .between(let value, _, let low, let high): [(value, low), (value, high)]
    case .inList(let value, _, let list): list.map { (value, $0) }
    case .inSelect(let value, _, let select):
      select.arms.flatMap { zip(value.components, $0.core.values?.first ?? $0.core.outputs) }
    case .choice(let base?, let branches, _): branches.map { (base, $0.condition) }
    default: []
    }
  }

  /// The values of a row; a value alone is a row of one.
  private var components: [Expression] {
    switch kind {
    case .row(let values): values
    case .select(let select) where select.arms[0].core.outputs.count > 1:
      select.arms[0].core.outputs
    default: [self]
    }
  }
}
