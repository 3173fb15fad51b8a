import SQLiteStorage
import TableDataTesting

@testable import FetchedResults
@testable import LiveQueries

extension LivePlan {
  /// Makes the plan of a SELECT.
  init(_ sql: String, keys: [String], schema: SelectSchema) throws(SelectRefusal) {
    try self.init(SelectAnalysis(of: sql, schema), keys: keys)
  }
}

/// Two versions of a database, and the rows that were touched between them.
struct TwoVersions {
  typealias Value = TestStore.Value
  typealias Row = TestStore.Row

  let old: TestStore
  let new: TestStore
  let schema: SelectSchema
  /// Whether columns other than e.s compare text without case.
  private(set) var isFolded = false
  /// The keys of touched rows by table.
  private(set) var touched: [String: Set<Row>] = [:]

  static let tables = ["a", "b", "c", "e"]

  static let creation = creation("TEXT", "TEXT", "INT", " WITHOUT ROWID")

  private static let indexes = [
    "CREATE INDEX a_g ON a(g)", "CREATE INDEX b_aid ON b(aid)", "CREATE INDEX b_g ON b(g)",
    "CREATE INDEX a_v ON a(v, g)", "CREATE INDEX c_n ON c(n)",
    "CREATE UNIQUE INDEX e_id ON e(id, v)",
  ]

  /// - Parameter options: what is after the columns of c.
  private static func creation(
    _ aText: String, _ bText: String, _ number: String, _ options: String
  ) -> String {
    """
    CREATE TABLE a(id INTEGER PRIMARY KEY, g \(aText), v INT, w INT NOT NULL);
    CREATE TABLE b(id INTEGER PRIMARY KEY, aid \(number), g \(bText), v INT);
    CREATE TABLE c(g \(aText), n INT, v INT, PRIMARY KEY(g, n))\(options);
    CREATE TABLE e(id INTEGER PRIMARY KEY, s TEXT COLLATE NOCASE, v INT, j TEXT NOT NULL);
    CREATE VIRTUAL TABLE f USING fts5(body);
    \(indexes.prefix(3).joined(separator: ";\n"));
    CREATE VIEW groups(g, n, total) AS SELECT g, count(*), sum(v) FROM b GROUP BY g;
    CREATE VIEW pairs AS SELECT a.id, a.g, b.id AS bid, b.v FROM a LEFT JOIN b ON b.aid = a.id;
    """
  }

  /// A schema with random collations, keys, constraints and indexes.
  private static func randomCreation(_ numbers: inout SeededGenerator) -> String {
    let texts = ["TEXT", "TEXT", "TEXT COLLATE NOCASE"]
    let aText = texts[Int(numbers.small(3)) - 1]
    let bText = numbers.chance(70) ? aText : texts[Int(numbers.small(3)) - 1]
    var sql = creation(
      aText, bText, numbers.chance(30) ? "INT NOT NULL DEFAULT 3" : "INT",
      numbers.chance(70) ? " WITHOUT ROWID" : "")
    for name in ["a_g", "b_aid", "b_g"] where numbers.chance(40) { sql += "DROP INDEX \(name);" }
    for index in indexes.dropFirst(3) where numbers.chance(40) { sql += "\(index);" }
    return sql
  }

  /// Random versions.
  ///
  /// - Parameter other: versions whose databases are emptied and used again.
  init(
    _ numbers: inout SeededGenerator, reusing other: TwoVersions? = nil,
    isRandomSchema: Bool = false
  ) throws {
    let creation =
      isRandomSchema ? TwoVersions.randomCreation(&numbers) : TwoVersions.creation
    old = try other?.old ?? TestStore()
    new = try other?.new ?? TestStore()
    for store in [old, new] {
      try store.run(
        other == nil
          ? creation
          : (TwoVersions.tables + ["f"]).map { "DELETE FROM \($0)" }.joined(separator: ";"))
    }
    schema = try other?.schema ?? SelectSchema(old)
    isFolded = other?.isFolded ?? creation.contains("g TEXT COLLATE NOCASE")
    for _ in 0..<Int(numbers.small(25)) {
      let sql = TwoVersions.change(&numbers)
      try old.run(sql)
      try new.run(sql)
    }
    for _ in 0..<Int(numbers.small(4)) { try new.run(TwoVersions.change(&numbers)) }
    try findTouchedRows()
  }

  /// - Parameters:
  ///   - script: what is in both versions.
  ///   - change: what the new version has besides.
  init(_ script: String, then change: String) throws {
    old = try TestStore()
    new = try TestStore()
    for store in [old, new] {
      try store.run(TwoVersions.creation)
      try store.run(script)
    }
    schema = try SelectSchema(old)
    try new.run(change)
    try findTouchedRows()
  }

  private mutating func findTouchedRows() throws {
    for table in TwoVersions.tables + ["f"] {
      let key = schema.table(table, in: nil)?.key ?? []
      let sql = "SELECT \(key.joined(separator: ", ")), * FROM \(table)"
      let size = key.count
      let before = Set(try old.rows(sql))
      let after = Set(try new.rows(sql))
      touched[table] = Set(before.symmetricDifference(after).map { Array($0.prefix(size)) })
    }
  }

  static func text(_ numbers: inout SeededGenerator) -> String {
    ["'a'", "'b'", "'1'", "'2'", "NULL", "'A'"][Int(numbers.small(6)) - 1]
  }

  static func change(_ numbers: inout SeededGenerator) -> String {
    let id = numbers.small(6)
    let number = numbers.chance(15) ? "NULL" : "\(numbers.small(4))"
    let other = numbers.small(4)
    let text = text(&numbers)
    let either = numbers.chance(70) ? number : text
    let spelled = ["'x'", "'X'", "'A'", "NULL"][Int(numbers.small(4)) - 1]
    let json = ["[]", "[1,2]", "[1,1]", "[\"a\"]"][Int(numbers.small(4)) - 1]
    let words = ["red", "red blue", "blue", "green"][Int(numbers.small(4)) - 1]
    switch numbers.small(12) {
    case 1, 2: return "INSERT OR REPLACE INTO a VALUES (\(id), \(text), \(number), \(other))"
    case 3, 4: return "INSERT OR REPLACE INTO b VALUES (\(id), \(number), \(text), \(either))"
    case 5:
      return
        "INSERT OR REPLACE INTO c VALUES (ifnull(\(text), 'a'), \(numbers.small(3)), \(number))"
    case 6: return "INSERT OR REPLACE INTO e VALUES (\(id), \(spelled), \(number), '\(json)')"
    case 7: return "INSERT OR REPLACE INTO f(rowid, body) VALUES (\(id), '\(words)')"
    case 8:
      return "DELETE FROM \(["a", "b", "e", "f"][Int(numbers.small(4)) - 1]) WHERE rowid = \(id)"
    case 9: return "DELETE FROM c WHERE n = \(numbers.small(3))"
    case 10: return "UPDATE a SET v = \(number), g = \(text) WHERE id = \(id)"
    case 11: return "UPDATE OR REPLACE b SET aid = \(number) WHERE id = \(id)"
    default: return "UPDATE b SET v = \(either) WHERE g = 'a'"
    }
  }

  // MARK: - Checks

  /// What the derivations say.
  enum Outcome {
    case keys(Set<Row>)
    /// All rows may differ.
    case all
  }

  func outcome(of plan: LivePlan) throws -> Outcome {
    var keys: Set<Row> = []
    for reference in try plan.references {
      let rows = touched[reference.table] ?? []
      guard !rows.isEmpty else { continue }
      switch reference.derivation {
      case .none: return .all
      case .value(let query):
        if try old.rows(query.sql) != new.rows(query.sql) { return .all }
      case .invalidation(let queries):
        if try !ask(queries, rows).isEmpty { return .all }
      case .queries(let queries): keys.formUnion(try ask(queries, rows))
      }
    }
    return .keys(keys)
  }

  private func ask(_ queries: [PlanQuery], _ rows: Set<Row>) throws -> Set<Row> {
    var rows = rows
    for query in queries {
      var next: Set<Row> = []
      for row in rows {
        for store in [old, new] { next.formUnion(try store.rows(query.sql, parameters(row))) }
      }
      rows = next
    }
    return rows
  }

  private func parameters(_ row: Row) -> [String: Value] {
    Dictionary(
      uniqueKeysWithValues: row.enumerated().map { (KeyParameter.name($0.offset), $0.element) })
  }

  /// What is wrong with a plan; nil if nothing is. Text is compared without case if `isFolded`.
  func fault(
    in plan: LivePlan, _ sql: String, keys: [String], isFolded: Bool = false
  ) throws -> (fault: String?, isAll: Bool, keyCount: Int, differingCount: Int) {
    let columns = try SelectAnalysis(of: sql, schema).columns
    let positions = keys.map { key in columns.firstIndex(of: key) ?? 0 }
    func grouped(_ rows: [Row], isKeyFolded: Bool) -> [Row: [String]] {
      Dictionary(grouping: rows) { row in folded(positions.map { row[$0] }, isKeyFolded) }
        .mapValues { $0.map { "\(folded($0, isFolded))" }.sorted() }
    }
    let exact = [old, new].map { store in
      (try? store.rows(sql)).map { grouped($0, isKeyFolded: false) } ?? [:]
    }
    let before = grouped(try old.rows(sql), isKeyFolded: isFolded)
    let after = grouped(try new.rows(sql), isKeyFolded: isFolded)
    let differing = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    guard case .keys(let rows) = try outcome(of: plan) else {
      return (nil, true, 0, differing.count)
    }
    let found = Set(rows.map { Array($0.prefix(keys.count)) })
    let affected = Set(found.map { folded($0, isFolded) })
    if let missed = differing.first(where: { !affected.contains($0) }) {
      return ("the key \(missed) is missed", false, affected.count, differing.count)
    }
    let checked =
      isFolded
      ? found : found.union(Array(before.keys).prefix(3)).union(Array(after.keys).prefix(3))
    for query in plan.restricted {
      for key in checked {
        for (store, full, exact) in [(old, before, exact[0]), (new, after, exact[1])] {
          let rows = try store.rows(query, parameters(key))
          let restricted = rows.map { "\(folded($0, isFolded))" }.sorted()
          let expected = full[folded(key, isFolded)] ?? []
          // A key of a column that compares case is that of fewer rows.
          if restricted != expected, restricted != exact[folded(key, false)] ?? [] {
            return (
              "restricted to \(key) there is \(restricted) in place of \(expected): \(query)",
              false,
              affected.count, differing.count
            )
          }
        }
      }
    }
    return (nil, false, affected.count, differing.count)
  }

  private func folded(_ row: Row, _ isFolded: Bool) -> Row {
    row.map { value in
      switch value {
      case .text(let text) where isFolded: .text(text.lowercased())
      // 4 and 4.0 are one group, and SQLite shows either.
      case .real(let number): Int64(exactly: number).map { .integer($0) } ?? value
      default: value
      }
    }
  }
}
