internal import FetchedResults
internal import LiveQueries
internal import SQLiteStorage

/// Explains how the result of a request is kept up to date.
struct MaintenanceExplainer<Record: Sendable> {
  let request: FetchRequest<Record>
  let sectionKey: SectionKey<Record>?
  let database: Database

  /// - Parameters:
  ///   - connection: sees the version to explain, and is only read.
  ///   - isMeasured: whether the queries are run.
  func explanation(in connection: Connection, isMeasured: Bool) throws -> MaintenanceExplanation {
    let plan = try plan(in: connection)
    let found = try ExplainedDerivations(of: plan, in: connection)
    let meter = DerivationMeter(plan, connection)
    var derivations: [MaintenanceExplanation.Derivation] = []
    /// The queries that an index should make cheaper: for each, the alternatives.
    var expensive: [[String]] = []
    for reference in found.references {
      // A value is asked for once, whatever it costs.
      let queries = try zip(reference.queries, reference.finds).map {
        try query($0, finds: $1, isJudged: reference.effect != .value, in: connection)
      }
      let obstacle = queries.compactMap(\.obstacle).first.map {
        "finding the rows that depend on \(reference.touched.name) \($0)"
      }
      if obstacle != nil { expensive += reference.queries.map { [$0] } }
      let reason = reference.reason ?? obstacle
      derivations.append(
        MaintenanceExplanation.Derivation(
          table: reference.table, schema: reference.schema,
          effect: reason == nil ? reference.effect : .comparison, summary: reference.summary,
          reason: reason, queries: queries,
          cost: isMeasured && reason == nil && plan.maintenance.reason == nil
            ? try meter.cost(of: reference) : nil))
    }
    let row = try rowQuery(of: plan, found.rowQueries, in: connection)
    if row?.obstacle != nil { expensive.append(found.rowQueries) }
    let maintenance = Maintenance(plan.maintenance)
    let advice =
      expensive.isEmpty || maintenance == .touchedRows
      ? nil : try advice(for: expensive, improving: maintenance, in: connection)
    return MaintenanceExplanation(
      maintenance: maintenance, source: request.sourceName, key: plan.parts.key,
      isPacked: plan.isPacked, derivations: derivations, row: row,
      held: plan.maintenance.held?.terms.map(\.name) ?? [],
      indexes: advice?.indexes ?? [],
      maintenanceWithIndexes: advice?.maintenance)
  }

  private func plan(in connection: Connection) throws -> QueryPlan {
    try PlanCompiler(
      request, sectionKey: sectionKey, configuration: database.configuration,
      connection: connection
    ).plan()
  }

  // MARK: - Queries

  private func rowQuery(
    of plan: QueryPlan, _ alternatives: [String], in connection: Connection
  ) throws -> MaintenanceExplanation.Query? {
    if let held = plan.maintenance.held {
      return try query(
        held.counters.named, finds: "its counters, if it was not touched lately",
        isJudged: false, in: connection)
    }
    guard !plan.parts.key.isEmpty else { return nil }
    let finds = "its row in each version"
    guard plan.maintenance.reason != nil else {
      return try query(plan.statements.observation.text, finds: finds, in: connection)
    }
    var first: MaintenanceExplanation.Query?
    for sql in alternatives {
      let query = try query(sql, finds: finds, in: connection)
      if query.obstacle == nil { return query }
      first = first ?? query
    }
    return first
  }

  private func query(
    _ sql: String, finds: String, isJudged: Bool = true, in connection: Connection
  ) throws -> MaintenanceExplanation.Query {
    let shown = sql.onOneLine
    do {
      let plan = try connection.explainedPlan(of: sql)
      let obstacles = isJudged ? plan.obstacles : []
      return MaintenanceExplanation.Query(
        finds: finds, sql: shown,
        steps: plan.steps(of: nil, obstacles: Set(obstacles.map(\.step))),
        obstacle: try obstacles.first?.reason(in: sql, connection))
    } catch let error as DatabaseError where .error ~= error.resultCode {
      return MaintenanceExplanation.Query(
        finds: finds, sql: shown, steps: [], obstacle: "cannot be prepared: \(error.message)")
    }
  }

  // MARK: - Indexes

  private func advice(
    for queries: [[String]], improving maintenance: Maintenance, in connection: Connection
  ) throws -> (indexes: [MaintenanceExplanation.Index], maintenance: Maintenance)? {
    do {
      // The copy would attach the same files, and is opened for writing.
      guard try !connection.hasAttachedFiles() else { return nil }
      let schema = try SchemaCopy(of: connection)
      let copy = try Database.inMemory(
        configuration: database.configuration, interruptedWith: database)
      return try copy.withWriter { copy in
        try schema.make(in: copy)
        return try advice(for: queries, improving: maintenance, inCopy: copy)
      }
    } catch let error as DatabaseError where !(.interrupted ~= error.resultCode) {
      // A part of the schema cannot be copied, such as a table of an unknown module, or there is no
      // room for a copy. The rest of the explanation does not need it.
      return nil
    } catch is FetchError {
      return nil
    }
  }

  private func advice(
    for queries: [[String]], improving maintenance: Maintenance, inCopy copy: Connection
  ) throws -> (indexes: [MaintenanceExplanation.Index], maintenance: Maintenance)? {
    let current = { Maintenance(try plan(in: copy).maintenance) }
    guard try current() == maintenance else { return nil }
    var advisor = IndexAdvisor(connection: copy)
    for alternatives in queries { try advisor.improve(alternatives) }
    let best = try current()
    // To be compared for another reason is no improvement.
    if case .comparison = best { return nil }
    guard best != maintenance else { return nil }
    try advisor.removeSuperfluous { try current() == best }
    return (advisor.indexes, best)
  }
}

extension ExplainedPlan {
  fileprivate func steps(
    of parent: Step?, obstacles: Set<Int64>
  ) -> [MaintenanceExplanation.Step] {
    parts(of: parent).map { step in
      MaintenanceExplanation.Step(
        detail: step.detail, isObstacle: obstacles.contains(step.id),
        parts: steps(of: step, obstacles: obstacles))
    }
  }
}

extension String {
  /// SQL without comments, and with one space for each white space.
  fileprivate var onOneLine: String {
    let lexer = SQLLexer(self)
    var text = ""
    for token in lexer {
      if !token.isBlank {
        text += lexer.text(token)
      } else if text.last != " " {
        text += " "
      }
    }
    return text.trimmingTerminator
  }
}
