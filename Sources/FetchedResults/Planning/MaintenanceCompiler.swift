internal import SQLiteStorage

/// Determines how a result is kept up to date.
struct MaintenanceCompiler {
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
  /// - Parameter tables: the tables that the result reads, with folded names.
  /// - Throws: `DatabaseError`.
  func maintenance(reading tables: Set<String>) throws -> MaintenancePlan {
    guard !SQLTokens(parts.fragments).hasSelect else {
      // A touched row of the inner SELECT does not show which rows of the result it changes.
      return .comparison(reason: "a condition, order or section of the request has a SELECT")
    }
    do {
      let finders = try finders()
      let known = Set(finders.map(\.table.name.sqliteFolded))
      let others = tables.subtracting(known).sorted()
      guard others.isEmpty else {
        return .comparison(reason: "it also reads \(others.joined(separator: ", "))")
      }
      if !source.isKeyRowID, let obstacle = try obstacle(in: parts.observation) {
        let key = parts.key.joined(separator: ", ")
        guard let table = source.table, table.kind == .table else {
          return .comparison(reason: "finding a row by \(key) \(obstacle.reason)")
        }
        return .comparison(
          reason: """
            finding a row by \(key) reads all of \(table.name): an index on \(key) would help
            """)
      }
      return .touchedRows(finders)
    } catch let refusal as SelectParser.Refusal {
      return .comparison(reason: refusal.reason)
    }
  }

  /// Whether SQLite reads more than one row to find one by its key.
  func readsManyRowsForOne() throws -> Bool { try obstacle(in: parts.fetch) != nil }

  private func finders() throws -> [RowFinder] {
    switch (source.table, source.select) {
    case (let table?, _) where table.kind == .table: return [try finder(of: table)]
    case (let table?, _) where table.kind == .view:
      return try finders(in: try SelectParser.source(ofView: table, in: connection))
    case (nil, let select?):
      return try finders(in: try SelectParser.source(ofSelect: select, in: connection))
    case (let table, _):
      throw SelectParser.Refusal(reason: "\(table?.name ?? "the source") is no ordinary table")
    }
  }

  /// For a request that reads one table.
  private func finder(of table: TableDescription) throws -> RowFinder {
    if source.isKeyRowID { return RowFinder(table: table, way: .rowID) }
    if table.isWithoutRowID, parts.key.map(\.sqliteFolded) == table.key.map(\.sqliteFolded) {
      return RowFinder(table: table, way: .key)
    }
    let key = table.isWithoutRowID ? table.key : [table.anyRowIDName].compactMap(\.self)
    guard !key.isEmpty else {
      throw SelectParser.Refusal(reason: "columns hide the rowid of \(table.name)")
    }
    let condition = SimpleSelect.condition(key.map(\.quotedIdentifier))
    return RowFinder(table: table, way: .keys(parts.keys(from: source.sql, where: condition)))
  }

  // MARK: - Joins

  private func finders(in source: SimpleSelect.Source) throws -> [RowFinder] {
    guard case .select(let select, _, _) = source else { return [] }
    return try finders(in: select, [], of: source)
  }

  /// The finders for each table in a SELECT that is at `path` in `source`.
  ///
  /// If a row of the result is in one version only, there are two cases. Either it contains a
  /// touched row; then it is found in the result. Or the row of some LEFT JOIN is missing in it,
  /// and a touched row is its partner in the other version. Then the result of the other version
  /// may not contain it, since the conditions after the join can exclude it. So the rows that have
  /// or had a touched partner are searched in the join alone.
  private func finders(
    in select: SimpleSelect, _ path: [Int], of source: SimpleSelect.Source
  ) throws -> [RowFinder] {
    try select.items.enumerated().flatMap { index, item -> [RowFinder] in
      let leaves = item.source.leaves(path + [index])
      if item.isOptional {
        let base = select.items.prefix(index).enumerated()
          .flatMap { $1.source.leaves(path + [$0], isOptional: $1.isOptional) }
          .filter { !$0.isOptional }
        let columns = select.expressions(base, path).joined(separator: ", ")
        let from = select.from(
          path, count: index + 1, present: select.itemsPresent(withItem: index))
        return try leaves.map { leaf in
          let condition = SimpleSelect.condition(select.expressions([leaf], path))
          let partners = BoundSQL("SELECT \(columns) FROM \(from) WHERE \(condition)")
          let keys = keys(of: base, in: source)
          let reason = try reason(against: [partners, keys], touching: leaf, in: source)
          return RowFinder(
            table: leaf.table,
            way: reason.map { .none(reason: $0) } ?? .partners(partners, then: keys))
        }
      }
      if case .select(let nested, _, _) = item.source {
        return try finders(in: nested, path + [index], of: source)
      }
      return try leaves.map { leaf in
        let keys = keys(of: [leaf], in: source)
        let reason = try reason(against: [keys], touching: leaf, in: source)
        return RowFinder(
          table: leaf.table, way: reason.map { .none(reason: $0) } ?? .keys(keys))
      }
    }
  }

  /// The query for the keys of the result by the keys of some tables.
  private func keys(of leaves: [SimpleSelect.Leaf], in source: SimpleSelect.Source) -> BoundSQL {
    let names = leaves.flatMap { leaf in leaf.key.indices.map { leaf.name($0, depth: 0) } }
    return parts.keys(from: source.sql([]), where: SimpleSelect.condition(names))
  }

  // MARK: - Cost

  /// A step of a query plan that reads more rows than the query returns.
  private struct Obstacle {
    /// The table that is read completely, as named in the query; nil if the step is something else.
    let table: String?
    let detail: String

    /// - Returns: nil if the step is a look-up, or sorts the rows that were found.
    init?(_ step: ExplainedPlan.Step) {
      switch step.operation {
      case .search(let access) where access.isLookUp: return nil
      case .multiIndexOr, .indexOfOr, .temporaryTree: return nil
      case .scan(let access), .search(let access): table = access.source
      default: table = nil
      }
      detail = step.detail
    }

    var reason: String {
      table.map { "reads all of \($0)" } ?? "takes more than look-ups: \(detail)"
    }
  }

  /// Why queries would cost more than comparing both versions; nil if they would not.
  private func reason(
    against queries: [BoundSQL], touching leaf: SimpleSelect.Leaf, in source: SimpleSelect.Source
  ) throws -> String? {
    do {
      for query in queries {
        guard let obstacle = try obstacle(in: query) else { continue }
        let column = obstacle.table.flatMap { source.column(joining: $0, to: leaf) }
        let advice = column.map { ": an index on \($0) would help" } ?? ""
        return "finding rows by those of \(leaf.table.name) \(obstacle.reason)\(advice)"
      }
      return nil
    } catch let error as DatabaseError {
      return "rows cannot be found by those of \(leaf.table.name): \(error.message)"
    }
  }

  /// The first step of a query plan that is not a look-up; nil if there is none.
  private func obstacle(in query: BoundSQL) throws -> Obstacle? {
    try connection.explainedPlan(of: query.text).steps.lazy.compactMap(Obstacle.init).first
  }
}

extension SimpleSelect {
  /// The condition that some columns equal values that are not bound yet.
  static func condition(_ columns: [String]) -> String {
    columns.map { "\($0) = ?" }.joined(separator: " AND ")
  }
}

extension SimpleSelect.Source {
  /// The column that a join compares with a column of `leaf`, in the table that the query calls
  /// `name`.
  fileprivate func column(joining name: String, to leaf: SimpleSelect.Leaf) -> String? {
    guard case .select(let select, _, _) = self else { return nil }
    let sides = select.items.flatMap(\.equations).filter { equation in
      equation.sides.contains { select.items[$0.item].source.alias == leaf.alias }
    }.flatMap(\.sides)
    for side in sides {
      let source = select.items[side.item].source
      guard source.alias == name, case .table(let table, _) = source else { continue }
      return "\(table.name)(\(side.column))"
    }
    return select.items.lazy.compactMap { $0.source.column(joining: name, to: leaf) }.first
  }
}

extension SQLTokens {
  /// Whether it contains a SELECT or an equivalent of one.
  fileprivate var hasSelect: Bool {
    tokens.indices.contains { index in
      guard let word = keyword(at: index) else { return false }
      if word == "in" { return index + 1 < tokens.count && tokens[index + 1] != .open }
      return ["select", "values", "exists"].contains(word)
    }
  }
}
