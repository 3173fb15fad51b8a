package import SQLiteStorage

/// A query of a ``LivePlan``, and what it finds.
package struct PlanQuery: Hashable, Sendable {
  package enum Role: Hashable, Sendable {
    /// Rows, by the values that identify them.
    case rows
    /// The groups that rows are in.
    case groups
    /// The partitions that rows are in.
    case partitions
    /// Whether there is a NULL in a list.
    case null
    /// One value for all rows.
    case value
    /// A key as the result spells it.
    case storedKey
  }

  @ExactText package private(set) var sql: String
  package let role: Role
  /// The columns of its rows; empty if there is only one row.
  package var values: [Expression] = []
  /// The tables that it reads, by the numbers of their items.
  package var tables: [Int: String] = [:]
  /// Whether the columns are those of the row that the parameters identify.
  package var isOfBoundRow = false
  /// The query as it was composed, before conditions were put into its SELECTs; nil if it was not.
  private(set) var composed: SelectCore?

  package init(_ role: Role, _ sql: String) { (self.role, self.sql) = (role, sql) }

  init(_ role: Role, _ core: SelectCore) {
    self.init(role, core.sql)
    composed = core
  }

  /// - Parameters:
  ///   - core: the query, with conditions put into its SELECTs.
  ///   - composed: the query without them.
  ///   - roles: what some lists of columns are.
  init(_ core: SelectCore, of composed: SelectCore, _ roles: [[Expression]: Role]) {
    sql = core.sql
    self.composed = composed
    let source = core.source
    let outputs = source.outputs
    role = roles[outputs] ?? .rows
    values = outputs
    let items = outputs.reduce(into: Set<Int>()) { $0.formUnion($1.items) }
    for case (let number, .table(_, let name, _)) in source.from.map({ ($0.number, $0.source) }) {
      tables[number] = name
    }
    isOfBoundRow = items.isSubset(of: source.boundItems)
  }
}

extension DerivationFinder {
  /// The terms of each GROUP BY and PARTITION BY in a SELECT.
  func roles(in tree: SelectTree) -> [[Expression]: PlanQuery.Role] {
    var roles: [[Expression]: PlanQuery.Role] = [:]
    for core in tree.arms.map(\.core) {
      for partition in partitions(core) { roles[partition] = .partitions }
      if !core.groupBy.isEmpty { roles[core.groupBy] = .groups }
    }
    for select in tree.selects { roles.merge(self.roles(in: select)) { own, _ in own } }
    return roles
  }
}

extension SelectCore {
  /// The core in which its columns are computed, which may be in FROM.
  fileprivate var source: SelectCore {
    guard from.count == 1, case .select(let select) = from[0].source,
      var inner = select.arms.first?.core, inner.values == nil
    else { return self }
    var columns: [ResultColumn] = []
    for value in outputs {
      guard case .column(let column) = value.kind, case .output(let position) = column.column,
        inner.columns.indices.contains(position)
      else { return self }
      columns.append(inner.columns[position])
    }
    inner.columns = columns
    return inner.source
  }

  /// The items whose columns are equal to parameters.
  fileprivate var boundItems: Set<Int> {
    (condition?.terms ?? []).reduce(into: []) { items, term in
      guard case .binary(let left, "=", let right) = term.kind, case .key = right.kind else {
        return
      }
      items.formUnion(left.items)
    }
  }
}

extension Expression {
  /// The expression as people write it.
  ///
  /// - Parameter tables: the names that qualify its columns, by the numbers of their items.
  package func text(_ tables: [Int: String] = [:]) -> String {
    let named = Substitution { column in
      let name = Name(table: tables[column.item], column: column.column.name, isQuoted: true)
      return Expression(.name(name))
    }
    let lexer = SQLLexer(named.apply(to: self).sql)
    return lexer.map { token in
      let piece = lexer.text(token)
      guard token.kind == .quotedName else { return piece }
      let name = piece.unquotedName
      return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        ? name : piece
    }.joined()
  }
}
