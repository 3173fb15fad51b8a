internal import SQLiteStorage

/// How the rows of a SELECT are kept true from touched rows: for each place where a table is read,
/// how touched rows of it lead to keys of the result, and how the rows of one key are evaluated.
///
/// A plan follows from syntax and schema alone. What its queries cost is for the caller to judge,
/// by `EXPLAIN QUERY PLAN`.
struct LivePlan: Sendable {
  /// What can be said of the rows that a touched row may have changed.
  enum Way: Hashable, Sendable {
    /// Queries to run one after the other. The parameters of the first are the key of the touched
    /// row, those of each other are a row of the query before it. The last returns keys of the
    /// result. Each query is asked in both versions, and each row of either is a parameter of the
    /// next.
    case queries([String])
    /// Without parameters. If its value is the same in both versions, no row differs on account of
    /// this place. If it is not, every row may.
    case value(String)
    /// Queries as those of ``queries(_:)``. If the last returns a row in either version, every row
    /// of the result may differ.
    case alarm([String])
    /// There is no way: if rows of the table are touched, both versions are compared.
    case none(reason: String)
  }

  /// A place where a table is read. A table may have several, and a place several ways, which all
  /// count.
  struct Place: Hashable, Sendable {
    let table: String
    let schema: String
    let way: Way
  }

  let places: [Place]
  /// The SELECT for the rows of one key, whose values are the parameters. There may be several that
  /// return the same; the first is cheapest if SQLite searches in it.
  let restricted: [String]
  /// The SELECT for the rows that have given values in some columns of the key, as parameters: those
  /// that determine the partitions of all windows. Nil if there are none, or all of the key does.
  let partition: (key: [Int], restricted: String)?
  /// The names of the result's columns.
  let columns: [String]
  /// The columns of the result whose values may depend on the order in which rows are read.
  let inexact: Set<Int>
  /// Whether equal rows are merged into one.
  let mergesRows: Bool

  /// The name of the parameter for a value of a key, in all queries of a plan.
  static func parameter(_ index: Int) -> String { "\(parameterPrefix)\(index)" }

  static let parameterPrefix = ":key$"

  /// The number of the value in a key that a parameter stands for; nil for any other parameter.
  ///
  /// - Parameter name: the name without the colon.
  static func keyColumn(ofParameter name: String) -> Int? {
    name.hasPrefix("key$") ? Int(name.dropFirst(4)) : nil
  }

  /// Makes the plan for a SELECT.
  ///
  /// - Parameters:
  ///   - sql: the SELECT. Its parameters have names.
  ///   - keys: the columns that identify a row of the result.
  /// - Throws: ``SelectRefusal`` if nothing can be said of any place.
  init(
    _ sql: String, keys: [String], schema: SelectSchema
  ) throws(SelectRefusal) {
    let (finder, _, tree, names) = try LivePlan.analysis(of: sql, schema)
    let positions = try LivePlan.positions(of: keys, in: names)
    places = try finder.places(of: tree, keys: positions)
    columns = names
    let outputs = InexactOutputs(of: tree, aggregates: schema.aggregates)
    inexact = Set(names.indices.filter(outputs.contains))
    mergesRows = outputs.mergesRows
    guard inexact.isDisjoint(with: positions) else {
      throw SelectRefusal("a key is a sum, whose last bits depend on the order of addition")
    }
    let parameters = positions.indices.map { Expression(.parameter(LivePlan.parameter($0))) }
    let restriction = try finder.restricted(tree, Array(zip(positions, parameters)))
      .named(names)
    let pushed = finder.pushed(restriction).sql
    restricted = pushed == restriction.sql ? [pushed] : [pushed, restriction.sql]
    let parts = positions.indices.filter {
      !finder.partitionColumns(among: [positions[$0]], of: tree).isEmpty
    }
    if parts.isEmpty || parts.count == positions.count {
      partition = nil
    } else {
      let columns = zip(parts.map { positions[$0] }, parameters).map { (index: $0, value: $1) }
      let rows = try finder.restricted(tree, columns).named(names)
      partition = (parts, finder.pushed(rows).sql)
    }
  }

  /// Resolves a SELECT and brings it into the form in which ways are searched.
  static func analysis(
    of sql: String, _ schema: SelectSchema
  ) throws(SelectRefusal) -> (
    finder: WayFinder, resolved: SelectTree, prepared: SelectTree, names: [String]
  ) {
    let (finder, tree, names) = try resolution(of: sql, schema)
    return (finder, tree, try finder.prepared(tree), names)
  }

  /// Parses a SELECT and resolves its names.
  ///
  /// - Throws: ``SelectRefusal`` if it is not understood, or if a row of it may not be found by its key.
  static func resolution(
    of sql: String, _ schema: SelectSchema
  ) throws(SelectRefusal) -> (finder: WayFinder, tree: SelectTree, names: [String]) {
    guard !sql.contains(LivePlan.parameterPrefix) else {
      throw SelectRefusal("the names of parameters cannot begin with \(LivePlan.parameterPrefix)")
    }
    var resolver = NameResolver(schema)
    let resolved = try resolver.resolve(try TreeParser.parse(sql))
    let isPlain = resolver.tables.compactMap(\.self).allSatisfy { table in
      table.columns.allSatisfy { $0.collation.uppercased() == "BINARY" }
    }
    let finder = WayFinder(
      tables: resolver.tables, aggregates: schema.aggregates,
      hasCollations: !isPlain || resolver.hasCollation)
    try finder.checkConversions(resolved.tree)
    return (finder, resolved.tree, resolved.names)
  }

  /// The positions of columns with some names.
  static func positions(
    of keys: [String], in names: [String]
  ) throws(SelectRefusal) -> [Int] {
    var positions: [Int] = []
    for key in keys {
      let matches = names.indices.filter { names[$0].sqliteFolded == key.sqliteFolded }
      guard matches.count == 1 else {
        throw SelectRefusal(
          "\(matches.isEmpty ? "no column" : "more than one column") is named \(key)")
      }
      positions += matches
    }
    return positions
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

extension Connection {
  /// Runs a query of a plan once for each of some tuples, until `body` returns false.
  ///
  /// - Parameters:
  ///   - tuples: the values of the query's key parameters.
  ///   - parameters: the values of its other parameters.
  /// - Returns: whether `body` returned true for all rows.
  func forEachRow(
    of query: String, with tuples: some Sequence<KeyTuple>, _ parameters: [String: Value],
    _ body: (borrowing RowView) throws -> Bool
  ) throws -> Bool {
    let statement = try cachedStatement(query)
    statement.reset()
    defer { statement.reset() }
    var indices: [[Int]] = []
    for index in 1..<(statement.parameterCount + 1) {
      let name = statement.parameterName(at: index) ?? ""
      guard let column = LivePlan.keyColumn(ofParameter: name) else {
        try statement.bind(parameters[name] ?? .null, at: index)
        continue
      }
      while indices.count <= column { indices.append([]) }
      indices[column].append(index)
    }
    let row = statement.currentRow
    for tuple in tuples {
      statement.reset()
      try tuple.bind(to: statement, at: indices)
      while try statement.step() {
        guard try body(row) else { return false }
      }
    }
    return true
  }
}
