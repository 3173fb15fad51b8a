import SQLiteStorage
import Testing

@testable import FetchedResults

extension RandomCase {
  /// The names of the values that each random row has, in order.
  private static let columns = "k1, k2, plain, folded, number, word"

  private var table: String {
    let columns = """
      k1, k2 TEXT, plain, folded TEXT COLLATE NOCASE, number NUMERIC, word TEXT,
      made AS (coalesce(number, word)), seq INTEGER
      """
    return switch kind {
    case .integerKey, .viewWithKey, .viewWithoutKey, .selectWithKey, .selectWithoutKey,
      .joinWithKey:
      "CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns));"
    case .noKey: "CREATE TABLE t(\(columns));"
    case .columnCalledRowID: "CREATE TABLE t(RowID, \(columns));"
    case .textKey: "CREATE TABLE t(\(columns), PRIMARY KEY(k2));"
    case .nocaseKey: "CREATE TABLE t(\(columns), PRIMARY KEY(k2 COLLATE NOCASE));"
    case .binaryKeyOfNocaseColumn:
      "CREATE TABLE t(\(columns), k3 TEXT COLLATE NOCASE, PRIMARY KEY(k3 COLLATE BINARY));"
    case .compositeKey: "CREATE TABLE t(\(columns), PRIMARY KEY(k2, k1));"
    case .withoutRowID: "CREATE TABLE t(\(columns), PRIMARY KEY(k1, k2)) WITHOUT ROWID;"
    case .descendingKey: "CREATE TABLE t(id INTEGER PRIMARY KEY DESC, \(columns));"
    }
  }

  /// The SELECT that gives the rows, and the terms of its key.
  private var source: (sql: String, key: [String]) {
    let select = "SELECT id AS k, t.* FROM t"
    return switch kind {
    case .integerKey, .descendingKey: ("SELECT * FROM t", ["id"])
    case .noKey: ("SELECT rowid AS position, * FROM t", ["position"])
    case .columnCalledRowID: ("SELECT oid AS position, * FROM t", ["position"])
    case .textKey: ("SELECT * FROM t", ["k2"])
    case .nocaseKey: ("SELECT * FROM t", ["k2 COLLATE NOCASE"])
    case .binaryKeyOfNocaseColumn: ("SELECT * FROM t", ["k3 COLLATE BINARY"])
    case .compositeKey: ("SELECT * FROM t", ["k2", "k1"])
    case .withoutRowID: ("SELECT * FROM t", ["k1", "k2"])
    case .viewWithKey, .selectWithKey: (select, ["k"])
    case .viewWithoutKey, .selectWithoutKey:
      ("SELECT row_number() OVER () AS position, * FROM (\(select))", ["position"])
    case .joinWithKey: ("SELECT t.*, u.n AS n FROM t JOIN u", ["id", "n"])
    }
  }

  private var baseRequest: FetchRequest<Row> {
    let select = "SELECT id AS k, t.* FROM t"
    return switch kind {
    case .viewWithKey: FetchRequest(table: "V", key: ["K"])
    case .viewWithoutKey: FetchRequest(table: "v")
    case .selectWithKey: FetchRequest(select: SQL(verbatim: select + " -- )"), key: ["k"])
    case .selectWithoutKey: FetchRequest(select: SQL(verbatim: select + ";"))
    case .joinWithKey:
      FetchRequest(select: "SELECT t.*, u.n AS n FROM t JOIN u", key: ["id", "n"])
    default: FetchRequest(table: "t")
    }
  }

  /// The request, with the terms and conditions that were drawn.
  var request: FetchRequest<Row> {
    var request = baseRequest.sorted(terms.map(\.term))
      .limited(window)
    for filter in filters { request = request.filter(filter.fragment) }
    if filters.contains(where: \.usesType) { request = request.with(parameters: ["type": "text"]) }
    request.fetchBatchSize = batchSize
    request.chunkPolicy = chunkPolicy
    return request
  }

  /// The store with its rows. Rows without a key, or with that of another, are left out.
  func store() throws -> Database {
    let store = try Database.store("") {
      let encoding = encoding
      $0.prepareConnection = { try $0.execute(SQL(verbatim: "PRAGMA encoding = '\(encoding)'")) }
      $0.collations = [RandomCase.lengths]
    }
    try store.write { connection in
      try connection.execute(script: table)
      try connection.execute(
        script: """
          CREATE TABLE u(n UNIQUE); INSERT INTO u VALUES (1), ('x');
          CREATE INDEX i ON t(folded, number DESC); CREATE INDEX j ON t(plain);
          """)
      if hasFittingIndex, let fitting { try connection.execute(fitting) }
      if kind == .viewWithKey || kind == .viewWithoutKey {
        try connection.execute("CREATE VIEW v AS SELECT id AS k, t.* FROM t")
      }
      for row in rows { try insert(row, on: connection) }
    }
    return store
  }

  /// An index that fits the order; nil where there can be none, or it would have nothing.
  private var fitting: String? {
    let terms = (section.map { [$0.order, $0.term] } ?? []).compactMap(\.self) + self.terms
    let indexed = terms.compactMap(\.indexed)
    guard !indexed.isEmpty, indexed.count == terms.count else { return nil }
    // The rowid stands at the end of any index.
    let hasColumnsForKey =
      switch kind {
      case .textKey, .nocaseKey, .binaryKeyOfNocaseColumn, .compositeKey, .withoutRowID,
        .descendingKey:
        true
      default: false
      }
    let key = hasColumnsForKey ? source.key : []
    return "CREATE INDEX fitting ON t(\((indexed + key).joined(separator: ", ")))"
  }

  private func insert(_ row: String, or conflict: String = "IGNORE", on connection: Connection)
    throws
  {
    let key =
      switch kind {
      case .binaryKeyOfNocaseColumn: (column: ", k3", value: ", coalesce(CAST(k2 AS TEXT), 'none')")
      case .descendingKey: (column: ", id", value: ", k1")
      default: (column: "", value: "")
      }
    try connection.execute(
      SQL(
        verbatim: """
          INSERT OR \(conflict) INTO t(\(Self.columns), seq\(key.column))
          SELECT *\(key.value) FROM (
            SELECT column1 AS k1, column2 AS k2, column3, column4, column5, column6,
              (SELECT coalesce(max(abs(seq)), 0) + 1 FROM t)
            FROM (VALUES (\(row)))
          ) WHERE k1 NOTNULL AND k2 NOTNULL
          """))
  }

  /// Changes some rows in one transaction.
  mutating func write(to store: Database) throws {
    var generator = generator
    defer { self.generator = generator }
    try store.write { connection in
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let value = pool.randomElement(using: &generator) ?? "NULL"
        let column = ["plain", "folded", "number", "word"].randomElement(using: &generator) ?? ""
        let condition = "abs(seq) % 7 = \(Int.random(in: 0..<7, using: &generator))"
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: try connection.execute(SQL(verbatim: "DELETE FROM t WHERE \(condition)"))
        case 1: try connection.execute(SQL(verbatim: "UPDATE t SET seq = -seq WHERE \(condition)"))
        case 2:
          try connection.execute(
            SQL(verbatim: "UPDATE OR IGNORE t SET k2 = \(value) WHERE \(value) NOTNULL"))
        case 3:
          try connection.execute(
            SQL(
              verbatim:
                "INSERT OR IGNORE INTO u VALUES (\(Int.random(in: 2...999, using: &generator)))"))
        case 4: try connection.execute("DELETE FROM u WHERE n > 500")
        case 5, 6:
          let conflict = Bool.random(using: &generator) ? "REPLACE" : "IGNORE"
          let row = (0..<6).map { _ in pool.randomElement(using: &generator) ?? "" }
          try insert(row.joined(separator: ", "), or: conflict, on: connection)
        default:
          try connection.execute(
            SQL(verbatim: "UPDATE t SET \(column) = \(value) WHERE \(condition)"))
        }
      }
    }
  }

  struct ExpectedRow {
    let row: Row
    /// Whether it stands in the section of the row before it.
    let continuesSection: Bool
  }

  /// The rows that the request must give; `seq` tells which is which.
  func expected(in store: Database) throws -> [ExpectedRow] {
    let key = source.key
    let order = section.map { ($0.order.map { [$0.orderBy] } ?? []) + [$0.term.orderBy] } ?? []
    let orderBy = (order + terms.map(\.orderBy) + key).joined(separator: ", ")
    let condition = filters.isEmpty ? "1" : filters.map(\.sql).joined(separator: " AND ")
    let isSame =
      section.map { section in
        let collation = section.term.collated.split(separator: " ").last ?? ""
        return "s COLLATE \(collation) IS lag(s) OVER (ORDER BY place)"
      } ?? "1"
    let sql = """
      WITH base AS (\(source.sql)),
        ordered AS (
          SELECT *, \(section?.term.sql ?? "0") AS s, row_number() OVER (ORDER BY \(orderBy)) AS place
          FROM base WHERE \(condition)),
        numbered AS (SELECT *, place > 1 AND \(isSame) AS isSame FROM ordered)
      SELECT * FROM numbered WHERE \(window.sql(from: "numbered")) ORDER BY place
      """
    return try store.read { connection in
      try connection.rows(sql).enumerated().map { number, row in
        ExpectedRow(row: row, continuesSection: number > 0 && row["isSame"] == 1)
      }
    }
  }
}
