internal import LiveQueries
internal import SQLiteStorage

/// Determines how a result is kept up to date.
final class MaintenanceCompiler {
  private let source: ResolvedSource
  private let parts: RequestParts
  private let connection: Connection

  init(_ source: ResolvedSource, _ parts: RequestParts, in connection: Connection) {
    self.source = source
    self.parts = parts
    self.connection = connection
  }

  /// Returns how the result is kept up to date.
  ///
  /// - Parameter names: the tables and views that the result reads, with folded names.
  func maintenance(reading names: Set<ExactText>) throws -> MaintenancePlan {
    if let finder = directFinder(reading: names) { return MaintenancePlan(finders: [finder]) }
    if let reason = source.fragility { return .comparison(reason: reason) }
    do {
      return try maintenance(byLiveQueriesReading: names)
    } catch let refusal as SelectRefusal {
      return .comparison(reason: refusal.reason)
    }
  }

  /// Whether rows must be packed in memory: SQLite would read more than one row to find one by its
  /// key, or might not find it.
  ///
  /// - Parameter plan: the result of ``maintenance(reading:)``.
  func needsPacking(_ plan: MaintenancePlan, reading names: Set<ExactText>) throws -> Bool {
    // What was analysed is found by its key.
    try obstacle(in: parts.fetch.text) != nil
      || plan.live == nil && !findsRowsByKey(reading: names)
  }

  private func findsRowsByKey(reading names: Set<ExactText>) throws -> Bool {
    if let table = source.table, table.kind != .view, !hasSubquery { return true }
    do {
      let schema = try SelectSchema(names, in: connection)
      try SelectAnalysis.check(parts.observationOfAny.sql.named().sql, schema)
      return true
    } catch is SelectRefusal {
      return false
    }
  }

  /// Whether the request adds a subquery to its source; true if its SQL is not understood.
  private lazy var hasSubquery =
    (try? Expression.list(parsing: parts.fragments))?.contains(where: \.readsTable) ?? true

  /// For a request that reads one table, whose key is the key of the result.
  private func directFinder(reading names: Set<ExactText>) -> RowFinder? {
    guard let table = source.table, table.kind == .table, names == [table.name.sqliteFolded],
      !hasSubquery
    else { return nil }
    if source.isKeyRowID { return RowFinder(table: table, method: .rowID) }
    guard table.isWithoutRowID, parts.key.map(\.sqliteFolded) == table.key.map(\.sqliteFolded)
    else { return nil }
    return RowFinder(table: table, method: .key)
  }

  // MARK: - Live queries

  private func maintenance(byLiveQueriesReading names: Set<ExactText>) throws -> MaintenancePlan {
    let (select, keys) = parts.observationOfAny
    let (sql, values) = select.named()
    let analysis = try SelectAnalysis(of: sql, SelectSchema(names, in: connection))
    let plan = try LivePlan(analysis, keys: keys)
    var result = MaintenancePlan(live: plan, parameters: parts.parameters.merging(values) { $1 })
    if let (sql, values) = parts.storedKey?.named(from: values.count) {
      result.storedKey = PlanQuery(.storedKey, sql)
      result.parameters.merge(values) { $1 }
    }
    let parameters = result.parameters
    if let obstacle = try obstacle(in: parts.observation.text) {
      result.rowQueries = try plan.restricted.lazy
        .map { [parts] in RowQueries($0, parts, parameters) }
        .first { try isLookUp($0.observation.text) && isLookUp($0.fetch.text) }
      if result.rowQueries == nil { return result.compared(because: try reason(obstacle)) }
    }
    guard result.storedKey == nil || !plan.mergesRows else {
      return result.compared(because: "rows that are merged may have keys of several spellings")
    }
    let known = plan.tables.map(\.name.sqliteFolded)
    for name in names.subtracting(known).sorted() {
      // SQLite itself lists what is read, with views and functions. So a table that the tree misses
      // is noticed.
      guard let table = try connection.table(named: name.text),
        [.table, .virtual].contains(table.kind)
      else { continue }
      return result.compared(because: "it also reads \(table.name)")
    }
    for reference in try plan.references {
      guard let table = try connection.table(named: reference.table, in: reference.schema) else {
        return result.compared(because: "it reads \(reference.table), which is not a table")
      }
      result.finders.append(
        RowFinder(
          table: try connection.fullTextContent(of: table) ?? table,
          method: .live(
            try judged(reference.derivation, touching: table, storedKey: result.storedKey)),
          parameters: parameters))
    }
    guard result.finders.contains(where: { $0.reason == nil }) else {
      return result.compared(because: result.finders.first?.reason ?? "it reads no table")
    }
    if result.storedKey == nil {
      result.held = try held(
        analysis, keys: keys, by: &result.finders, reading: names, parameters)
    }
    result.inexactTerms = inexactTerms(plan)
    result.partition = try partitionQuery(plan, parameters)
    return result
  }

  private func inexactTerms(_ plan: LivePlan) -> [(term: Int, isSum: Bool)] {
    let first = parts.columns.count
    return parts.terms.indices.filter { plan.inexact.contains(first + $0) }
      .map { ($0, isSum: !plan.unordered.contains(first + $0)) }
  }

  /// The query for the rows of one partition; nil if there are no partitions, or it reads other rows too.
  private func partitionQuery(
    _ plan: LivePlan, _ values: [ExactText: Value]
  ) throws -> (key: [Int], rows: NumberedQuery)? {
    guard let partition = plan.partition else { return nil }
    let query = NumberedQuery(partition.restricted, values)
    return try isLookUp(query.sql.text) ? (partition.key, query) : nil
  }

  // MARK: - Held aggregates

  /// The maintenance of aggregates without GROUP BY; nil if they cannot be held.
  ///
  /// - Parameter names: as for ``maintenance(reading:)``.
  func maintenanceOfOnlyRow(reading names: Set<ExactText>) throws -> MaintenancePlan? {
    let (sql, values) = parts.observationOfAny.sql.named()
    let parameters = parts.parameters.merging(values) { $1 }
    do {
      let analysis = try SelectAnalysis(of: sql, SelectSchema(names, in: connection))
      let plan = try LivePlan(analysis, keys: [])
      var finders = try plan.references.compactMap { reference in
        try connection.table(named: reference.table, in: reference.schema).map {
          RowFinder(table: $0, method: .live(reference.derivation), parameters: parameters)
        }
      }
      return try held(analysis, keys: [], by: &finders, reading: names, parameters).map {
        MaintenancePlan(
          finders: finders, inexactTerms: inexactTerms(plan), held: $0, live: plan,
          parameters: parameters)
      }
    } catch is SelectRefusal {
      return nil
    }
  }

  /// How the aggregates of a grouped SELECT are held; nil if they cannot be.
  ///
  /// - Parameter finders: one for each table that is grouped, which gets the query for what a touched
  ///   row adds.
  private func held(
    _ select: SelectAnalysis, keys: [String], by finders: inout [RowFinder],
    reading names: Set<ExactText>, _ parameters: [ExactText: Value]
  ) throws -> HeldQueries? {
    guard try connection.hasStandardAggregates,
      let held = try? HeldAggregates(select, keys: keys),
      held.contributions.map(\.table).exact == finders.map(\.table.name).exact,
      held.contributions.map(\.schema).exact == finders.map(\.table.schema).exact,
      try held.contributions.allSatisfy({ try isLookUp($0.query) })
    else { return nil }
    for name in names.subtracting(held.contributions.map(\.table.sqliteFolded)) {
      guard try connection.table(named: name.text)?.kind == .view else { return nil }
    }
    finders = zip(finders, held.contributions).map { finder, contribution in
      RowFinder(
        table: finder.table, method: finder.method, parameters: parameters,
        contribution: NumberedQuery(contribution.query, parameters))
    }
    return HeldQueries(held, parts, parameters)
  }

  /// Why rows are not found by their key.
  private func reason(_ obstacle: Obstacle) throws -> String {
    let key = parts.key.joined(separator: ", ")
    guard let table = source.table, table.kind == .table, let name = obstacle.source,
      [table.name, "\(table.schema).\(table.name)"].exact.contains(name.exact)
    else { return "finding a row by \(key) \(obstacle.reason)" }
    let columns = try parts.key.compactMap { column in
      try connection.comparedColumn(column, of: table)
        .map { IndexColumn(name: column, collation: $0.collation) }
    }
    let index = try connection.missingIndex(on: table, columns)
    return "finding a row by \(key) reads all of \(table.name)"
      + (index.map { ": an index on \($0) would help" } ?? "")
  }

  /// A derivation without the queries that cost more than comparing both versions.
  ///
  /// - Parameter storedKey: the query that follows the others if equal keys may be spelled in
  ///   different ways.
  private func judged(
    _ derivation: LivePlan.Derivation, touching table: TableDescription, storedKey: PlanQuery?
  ) throws -> LivePlan.Derivation {
    let queries: [PlanQuery]
    switch derivation {
    case .queries(let all): queries = all + [storedKey].compactMap(\.self)
    case .invalidation(let all): queries = all
    // It is asked once, whatever it costs: the alternative reads all rows of the result too.
    case .value, .none: return derivation
    }
    do {
      for query in queries.map(\.sql) {
        guard let obstacle = try obstacle(in: query) else { continue }
        return .none(
          reason:
            "finding the rows that depend on \(table.name) \(try obstacle.reason(in: query, connection))"
        )
      }
    } catch let error as DatabaseError where .error ~= error.resultCode {
      return .none(
        reason: "the rows that depend on \(table.name) cannot be found: \(error.message)")
    }
    if case .queries = derivation { return .queries(queries) }
    return derivation
  }

  // MARK: - Cost

  /// Whether SQLite accepts a query that was composed, and only looks up the rows that it returns.
  private func isLookUp(_ query: String) throws -> Bool {
    do {
      return try obstacle(in: query) == nil
    } catch let error as DatabaseError where .error ~= error.resultCode {
      return false
    }
  }

  /// The first step of a query that reads more rows than it returns; nil if there is none.
  private func obstacle(in query: String) throws -> Obstacle? {
    try connection.explainedPlan(of: query).obstacles.first
  }
}

extension Connection {
  /// Whether SQLite's own functions compute aggregates, and text is in UTF-8.
  fileprivate var hasStandardAggregates: Bool {
    get throws {
      guard try !storesUTF16() else { return false }
      return try value(
        Int64.self,
        """
        SELECT count(*) FROM pragma_function_list WHERE NOT builtin AND name COLLATE NOCASE
        IN ('abs', 'avg', 'count', 'max', 'min', 'sum', 'total', 'typeof')
        """) == 0
    }
  }
}
