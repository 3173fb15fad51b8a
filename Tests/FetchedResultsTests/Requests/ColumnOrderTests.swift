import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

/// Text is sorted as SQLite sorts it by itself, wherever a column is from.
struct ColumnOrderTests {
  private let store: Database

  init() throws {
    // No two of the texts are equal under any of the collations, and each of these sorts them
    // differently.
    let texts = ["'a'", "'B'", "'c'", "'x '", "'x' || char(1)"]
    func rows(from id: Int) -> String {
      texts.enumerated().map { "(\(id + $0), \($1), \($1), \($1), \($1))" }.joined(separator: ", ")
    }
    let columns = """
      k INTEGER PRIMARY KEY, plain TEXT, folded TEXT COLLATE NOCASE, trimmed TEXT COLLATE RTRIM,
      own TEXT COLLATE backwards
      """
    store = try Database.store(
      """
      CREATE TABLE one(\(columns)); INSERT INTO one VALUES \(rows(from: 0));
      CREATE TABLE two(\(columns)); INSERT INTO two VALUES \(rows(from: 100));
      CREATE INDEX folded ON one(folded);
      CREATE VIEW mixed AS SELECT k, plain AS v FROM one UNION ALL SELECT k, folded FROM two;
      CREATE VIEW nested AS SELECT k, v FROM mixed WHERE k < 5 OR v <> 'c';
      """
    ) {
      $0.collations = [CustomCollation("backwards") { $0 < $1 ? 1 : $0 == $1 ? 0 : -1 }]
    }
  }

  /// Expects that the rows of `select`, which has the columns `k` and `v`, are sorted by `v` as SQLite
  /// sorts them.
  private func expectOrder(_ select: String, _ comment: Comment? = nil) throws {
    // The texts of both tables are equal by twos, so only the texts are compared.
    let expected = try store.read {
      try $0.rows(SQL(verbatim: "SELECT v FROM (\(select)) ORDER BY v")).map { $0["v"] }
    }
    for request in [
      FetchRequest(select: SQL(verbatim: select)),
      FetchRequest(select: SQL(verbatim: select), key: ["k"]),
    ] {
      let provider = try FetchedResultsProvider(
        database: store, request: request.sorted(by: \Row["v"]))
      try provider.performFetch()
      #expect(provider.fetchedObjects?.map { $0["v"] } == expected, comment ?? "\(select)")
    }
  }

  @Test(arguments: [
    "SELECT k, plain AS v FROM one UNION ALL SELECT k, folded FROM two",
    "SELECT k, folded AS v FROM one UNION ALL SELECT k, plain FROM two",
    "SELECT k, own AS v FROM one UNION SELECT k, folded FROM two",
    "SELECT * FROM (SELECT k, plain AS v FROM one UNION ALL SELECT k, trimmed FROM two)",
    "SELECT k, (SELECT folded FROM two WHERE k = one.k + 100) AS v FROM one",
    "SELECT k, v FROM mixed", "SELECT * FROM nested", "SELECT DISTINCT k, v FROM nested",
    "WITH c AS (SELECT k, folded AS v FROM one) SELECT * FROM c",
    "SELECT k, CAST(folded AS TEXT) AS v FROM one", "SELECT k, +own AS v FROM one",
    "SELECT min(k) AS k, own AS v FROM one GROUP BY own",
    "SELECT * FROM (SELECT k, plain AS v FROM one LIMIT 9) UNION ALL SELECT k, folded FROM two",
    "VALUES (1, 'a'), (2, 'B')",
  ])
  func textIsSortedAsSQLiteSortsIt(select: String) throws {
    try expectOrder(
      select.hasPrefix("VALUES") ? "SELECT column1 AS k, column2 AS v FROM (\(select))" : select)
  }

  @Test func aViewIsSortedAsSQLiteSortsIt() throws {
    for view in ["mixed", "nested"] {
      let expected = try store.read {
        try $0.rows(SQL(verbatim: "SELECT v FROM \"\(view)\" ORDER BY v")).map { $0["v"] }
      }
      for request in [FetchRequest(table: view), FetchRequest(table: view, key: ["k"])] {
        let provider = try FetchedResultsProvider(
          database: store, request: request.sorted(by: \Row["v"]))
        try provider.performFetch()
        #expect(provider.fetchedObjects?.map { $0["v"] } == expected)
      }
    }
  }

  @Test(arguments: SeededGenerator.seeds(60))
  func randomSelectsAreSortedAsSQLiteSortsThem(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5 {
      let select = Self.select(depth: 3, keys: 0..<2, &generator)
      try expectOrder(select, "seed \(seed): \(select)")
    }
  }

  /// A SELECT of `k` and `v` in which no `k` is there twice.
  ///
  /// - Parameter tables: which of the two tables it may read.
  private static func select(
    depth: Int, keys tables: Range<Int>, _ generator: inout SeededGenerator
  ) -> String {
    let kind = depth == 0 ? 0 : Int.random(in: 0..<8, using: &generator)
    switch kind {
    case 1 where tables.count == 2, 2 where tables.count == 2, 3 where tables.count == 2:
      let first = select(depth: depth - 1, keys: 0..<1, &generator)
      let second = select(depth: depth - 1, keys: 1..<2, &generator)
      let compound = kind == 3 ? "UNION" : "UNION ALL"
      return "SELECT * FROM (\(first)) \(compound) SELECT k, v FROM (\(second))"
    case 4:
      let inner = select(depth: depth - 1, keys: tables, &generator)
      return "WITH w AS (\(inner)) SELECT k, \(expression(of: "v", &generator)) AS v FROM w"
    case 5:
      return "SELECT DISTINCT k, v FROM (\(select(depth: depth - 1, keys: tables, &generator)))"
    case 6:
      return "SELECT k, v FROM (\(select(depth: depth - 1, keys: tables, &generator))) GROUP BY k"
    case 7:
      return "SELECT * FROM (\(select(depth: depth - 1, keys: tables, &generator))) LIMIT 99"
    default:
      let table = tables.randomElement(using: &generator) == 0 ? "one" : "two"
      let columns = ["plain", "folded", "trimmed", "own"]
      let column = columns[Int.random(in: 0..<4, using: &generator)]
      return "SELECT k, \(expression(of: column, &generator)) AS v FROM \(table)"
    }
  }

  private static func expression(
    of column: String, _ generator: inout SeededGenerator
  ) -> String {
    let forms = [
      "#", "#", "#", "+#", "CAST(# AS TEXT)", "# || ''", "# COLLATE NOCASE", "# COLLATE backwards",
      "coalesce(#, '')", "(SELECT #)",
    ]
    let form = forms[Int.random(in: forms.indices, using: &generator)]
    return form.split(separator: "#", omittingEmptySubsequences: false).joined(separator: column)
  }
}
