internal import FetchedResults
internal import LiveQueries
internal import SQLiteStorage

/// Finds indexes with which queries only look rows up. It creates them in an empty copy of the
/// schema, and keeps those that SQLite uses.
struct IndexAdvisor {
  let connection: Connection
  private var created: [(name: String, index: MaintenanceExplanation.Index)] = []

  init(connection: Connection) { self.connection = connection }

  /// The indexes that were kept.
  var indexes: [MaintenanceExplanation.Index] { created.map(\.index) }

  /// Creates indexes until one of several queries only looks rows up. If that is not possible, none
  /// is created.
  mutating func improve(_ alternatives: [String]) throws {
    for query in alternatives where try obstacles(in: query).isEmpty { return }
    for query in alternatives {
      let before = created.count
      var obstacles = try obstacles(in: query)
      while let first = obstacles.first, try improve(query, first, obstacles.count) {
        obstacles = try self.obstacles(in: query)
      }
      if obstacles.isEmpty { return }
      while created.count > before { try drop(created.removeLast().name) }
    }
  }

  /// Drops each index without which a condition stays true.
  mutating func removeSuperfluous(_ isEnough: () throws -> Bool) throws {
    for (number, index) in created.enumerated().reversed() {
      try drop(index.name)
      if try isEnough() {
        created.remove(at: number)
      } else {
        try connection.execute(index.index.sql)
      }
    }
  }

  private func obstacles(in query: String) throws -> [Obstacle] {
    try connection.explainedPlan(of: query).obstacles
  }

  /// - Parameter count: the number of obstacles in the query's plan.
  /// - Returns: whether an index was created with which there are fewer.
  private mutating func improve(_ query: String, _ first: Obstacle, _ count: Int) throws -> Bool {
    guard let candidates = try? IndexCandidates(query).sorted(by: first.source) else {
      return false
    }
    for candidate in candidates {
      guard let index = try create(candidate.table, candidate.columns) else { continue }
      let plan = try connection.explainedPlan(of: query)
      let isBetter = plan.obstacles.count < count
      let used = plan.searchedColumnCount(ofIndex: index.name)
      // Without a search it is used in place of the list of an IN.
      if isBetter, used == candidate.columns.count || used == 0 {
        created.append(index)
        return true
      }
      try drop(index.name)
      // The further columns do not help.
      guard isBetter,
        let shorter = try create(candidate.table, Array(candidate.columns.prefix(used)))
      else { continue }
      if try obstacles(in: query).count < count {
        created.append(shorter)
        return true
      }
      try drop(shorter.name)
    }
    return false
  }

  // MARK: - Creating

  /// - Returns: nil if there can be no such index, for example on a view.
  private func create(
    _ table: String, _ columns: [IndexCandidates.Column]
  ) throws -> (name: String, index: MaintenanceExplanation.Index)? {
    guard let table = try connection.table(named: table, in: "main"), table.kind == .table else {
      return nil
    }
    let columns = columns.map { $0.sql(in: table) }
    let plain = ([table.name] + columns).joined(separator: "_").map { character in
      character.isLetter || character.isNumber ? character : "_"
    }
    let base = String(plain).split(separator: "_").joined(separator: "_")
    var name = base
    var number = 1
    while try isTaken(name) {
      number += 1
      name = "\(base)_\(number)"
    }
    let sql =
      "CREATE INDEX \(name.quotedIdentifier) ON \(table.name.quotedIdentifier)"
      + "(\(columns.joined(separator: ", ")))"
    do {
      try connection.execute(sql)
    } catch let error as DatabaseError where .error ~= error.resultCode {
      return nil
    }
    return (name, MaintenanceExplanation.Index(table: table.name, columns: columns, sql: sql + ";"))
  }

  private func isTaken(_ name: String) throws -> Bool {
    try connection.value(
      Int.self, "SELECT 1 FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE",
      [.text(name)]) != nil
  }

  private func drop(_ name: String) throws {
    try connection.execute(SQL(verbatim: "DROP INDEX main.\(name.quotedIdentifier)"))
  }
}

extension ExplainedPlan {
  /// The largest number of columns of an index by which a step searches; 0 if none does.
  fileprivate func searchedColumnCount(ofIndex name: String) -> Int {
    steps.map { step in
      guard case .search(let access) = step.operation, case .named(name)? = access.index else {
        return 0
      }
      return access.conditions.split(separator: " AND ").count { $0.hasSuffix("=?") }
    }.max() ?? 0
  }
}

/// The schema of a database, to be made again without rows.
struct SchemaCopy {
  private var statements: [String] = []
  private var statistics: [[Value]] = []

  init(of connection: Connection) throws {
    // The tables of a virtual table are made with it.
    let shadows = Set(
      try connection.listedTables(in: "main").filter { $0.kind == .shadow }.map(\.name.exact))
    try connection.query(
      """
      SELECT sql, tbl_name FROM main.sqlite_schema
      WHERE sql NOTNULL AND type <> 'trigger' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rowid
      """
    ) { row in
      if !shadows.contains(row.string(at: 1).exact) { statements.append(row.string(at: 0)) }
    }
    guard try connection.table(named: "sqlite_stat1", in: "main") != nil else { return }
    try connection.query("SELECT tbl, idx, stat FROM main.sqlite_stat1") { row in
      statistics.append((0..<3).map { row.value(at: $0) })
    }
  }

  /// Makes the schema in an empty database, except for what this SQLite cannot make.
  func make(in connection: Connection) throws {
    for statement in statements {
      do {
        try connection.execute(statement)
      } catch let error as DatabaseError where .error ~= error.resultCode {
        // The queries that read it fail, and get no advice.
      }
    }
    guard !statistics.isEmpty else { return }
    try connection.execute("ANALYZE main")
    for row in statistics {
      try connection.execute("INSERT INTO main.sqlite_stat1(tbl, idx, stat) VALUES (?, ?, ?)", row)
    }
    try connection.execute("ANALYZE main.sqlite_schema")
  }
}
