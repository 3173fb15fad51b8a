internal import SQLiteStorage

/// A SELECT whose names are resolved, and what is known of it: how touched rows lead to its rows, which
/// aggregates are held, and the explanation of both follow from it.
package struct SelectAnalysis: Sendable {
  let finder: DerivationFinder
  let resolved: SelectTree
  /// The SELECT in the form in which derivations are searched.
  let prepared: SelectTree
  let columns: [String]

  /// - Parameter sql: the SELECT. Its parameters have names.
  /// - Throws: ``SelectRefusal`` if nothing can be said of its rows.
  package init(of sql: String, _ schema: SelectSchema) throws(SelectRefusal) {
    try self.init(SelectAnalysis.resolve(sql, schema))
  }

  private init(_ select: ResolvedSelect) throws(SelectRefusal) {
    var finder: DerivationFinder
    (finder, resolved, columns) = select
    var joins = OuterJoins(finder.tables)
    let tree = try joins.replaced(in: resolved)
    if joins.tables.count > finder.tables.count {
      finder.tables = joins.tables
      try finder.checkConversions(tree)
    }
    prepared = try finder.prepared(tree)
    finder.roles = finder.roles(in: prepared)
    self.finder = finder
  }

  /// Checks that a row of a SELECT is found by its key.
  ///
  /// - Throws: ``SelectRefusal`` if it may not be.
  package static func check(_ sql: String, _ schema: SelectSchema) throws(SelectRefusal) {
    let select = try resolve(sql, schema)
    let aggregates = schema.aggregates
    guard WindowTies.concern(select.tree, aggregates: aggregates) else { return }
    let analysis = try SelectAnalysis(select)
    let outputs = InexactOutputs(of: analysis.prepared, aggregates: aggregates)
    try WindowTies(analysis.finder, outputs).check(analysis.prepared)
  }

  private typealias ResolvedSelect = (
    finder: DerivationFinder, tree: SelectTree, columns: [String]
  )

  /// Parses a SELECT and resolves its names.
  ///
  /// - Throws: ``SelectRefusal`` if it is not understood, or if a row of it may not be found by its key.
  private static func resolve(
    _ sql: String, _ schema: SelectSchema
  ) throws(SelectRefusal) -> ResolvedSelect {
    var resolver = NameResolver(schema)
    let resolved = try resolver.resolve(try TreeParser.parse(sql))
    let isPlain = resolver.tables.compactMap(\.self).allSatisfy { table in
      table.columns.allSatisfy { $0.collation.uppercased() == "BINARY" }
    }
    let finder = DerivationFinder(
      tables: resolver.tables, aggregates: schema.aggregates,
      hasCollations: !isPlain || resolver.hasCollation)
    try finder.checkConversions(resolved.tree)
    return (finder, resolved.tree, resolved.names)
  }

  func positions(of keys: [String]) throws(SelectRefusal) -> [Int] {
    var positions: [Int] = []
    for key in keys {
      let matches = columns.indices.filter { columns[$0].sqliteFolded == key.sqliteFolded }
      guard matches.count == 1 else {
        throw SelectRefusal(
          "\(matches.isEmpty ? "no column" : "more than one column") is named \(key)")
      }
      positions += matches
    }
    return positions
  }
}
