internal import SQLiteStorage

/// How the rows of a SELECT follow from touched rows: for each reference to a table, how its touched
/// rows lead to keys of the result, and how the rows of one key are evaluated.
///
/// A plan follows from syntax and schema alone. What its queries cost is for the caller to judge,
/// by `EXPLAIN QUERY PLAN`.
package struct LivePlan: Sendable {
  /// What can be said of the rows that a touched row may have changed.
  package enum Derivation: Hashable, Sendable {
    /// Queries to run one after the other. The parameters of the first are the key of the touched
    /// row, those of each other are a row of the query before it. The last returns keys of the
    /// result. Each query is asked in both versions, and each row of either is a parameter of the
    /// next.
    case queries([PlanQuery])
    /// Without parameters. If its value is the same in both versions, no row differs because of
    /// this reference. If it is not, every row may.
    case value(PlanQuery)
    /// Queries as those of ``queries(_:)``. If the last returns a row in either version, every row
    /// of the result may differ.
    case invalidation([PlanQuery])
    /// There is no derivation: if rows of the table are touched, both versions are compared.
    case none(reason: String)
  }

  /// A reference to a table, with one derivation. A table may have several references, and a reference may be
  /// listed several times. All of them count.
  package struct TableReference: Hashable, Sendable {
    package let table: String
    package let schema: String
    package let derivation: Derivation
  }

  /// The derivations from each reference to a table. They are searched when they are first asked for, and then kept:
  /// that takes longer than all else here, and a caller that cannot search rows by their key needs none.
  ///
  /// - Throws: ``SelectRefusal`` if a table has no derivation: nothing is known of its touched rows.
  package var references: [TableReference] {
    get throws(SelectRefusal) {
      if let known = found.withLock({ $0 }) { return known }
      let references = try finder.references(of: tree, keys: positions)
      found.withLock { $0 = references }
      return references
    }
  }

  /// The SELECT for the rows of one key, whose values are the parameters. There may be several that
  /// return the same; the first is cheapest if SQLite searches in it.
  package let restricted: [String]
  /// The SELECT for the rows that have given values in some columns of the key, as parameters: those
  /// that determine the partitions of all windows. Nil if there are none, or all of the key does.
  package let partition: (key: [Int], restricted: String)?
  /// The columns of the result whose values may depend on the order in which rows are read.
  package let inexact: Set<Int>
  /// Those of them that are no sums: a list of texts, or an aggregate of the app.
  package let unordered: Set<Int>
  /// Whether equal rows are merged into one.
  package let mergesRows: Bool
  private let finder: DerivationFinder
  private let tree: SelectTree
  /// The positions of the columns that identify a row.
  private let positions: [Int]
  /// What ``references`` has found; nil if it was not asked for.
  private let found = Locked<[TableReference]?>(nil)

  /// The tables that the SELECT reads, each once.
  package var tables: [(schema: String, name: String)] {
    var known: Set<[ExactText]> = []
    return finder.tables.compactMap { table in
      table.flatMap {
        known.insert([$0.schema.exact, $0.name.exact]).inserted ? ($0.schema, $0.name) : nil
      }
    }
  }

  /// Makes the plan for a SELECT.
  ///
  /// - Parameters:
  ///   - select: the SELECT. Its parameters have names.
  ///   - keys: the columns that identify a row of the result.
  /// - Throws: ``SelectRefusal`` if nothing can be said of any reference.
  package init(_ select: SelectAnalysis, keys: [String]) throws(SelectRefusal) {
    let (finder, tree) = (select.finder, select.prepared)
    let positions = try select.positions(of: keys)
    (self.finder, self.tree, self.positions) = (finder, tree, positions)
    let columns = select.columns
    let outputs = InexactOutputs(of: tree, aggregates: finder.aggregates)
    inexact = Set(columns.indices.filter(outputs.contains))
    unordered = Set(columns.indices.filter { outputs.isUnordered($0) })
    mergesRows = outputs.mergesRows
    try WindowTies(finder, outputs).check(tree)
    guard inexact.isDisjoint(with: positions) else {
      throw SelectRefusal("a key is a sum, whose last bits depend on the order of addition")
    }
    let parameters = positions.indices.map { Expression(.key($0)) }
    let restriction = try finder.restricted(tree, Array(zip(positions, parameters)))
      .named(columns)
    let check = PlanCheck(finder: finder)
    try check.check(restriction)
    let pushed = finder.pushed(restriction)
    restricted = pushed == restriction ? [pushed.sql] : [pushed.sql, restriction.sql]
    let parts = positions.indices.filter {
      !finder.partitionColumns(among: [positions[$0]], of: tree).isEmpty
    }
    if parts.isEmpty || parts.count == positions.count {
      partition = nil
    } else {
      let key = zip(parts.map { positions[$0] }, parameters).map { (index: $0, value: $1) }
      let rows = try finder.restricted(tree, key).named(columns)
      try check.check(rows)
      partition = (parts, finder.pushed(rows).sql)
    }
  }
}

extension SelectTree {
  /// The tree with names for its result columns.
  func named(_ names: [String]) -> SelectTree {
    var tree = self
    for (index, column) in tree.arms[0].core.columns.enumerated() {
      guard case .expression(let value, _, let text) = column else { continue }
      tree.arms[0].core.columns[index] = .expression(value, alias: names[index], text: text)
    }
    return tree
  }
}
