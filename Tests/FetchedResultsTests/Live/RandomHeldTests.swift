import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Random transactions by the list's own writer and by another connection on lists of groups whose
/// aggregates are held: after each, the list and its rows are those of a plain query, and the changes
/// are those that a comparison of all rows finds.
@Suite struct RandomHeldTests {
  @Test(arguments: HeldCase.all)
  func rowsAreThoseOfAPlainQuery(_ heldCase: HeldCase) throws {
    for amounts in RandomAmounts.allCases {
      for seed in SeededGenerator.seeds(1) {
        var run = try HeldRun(heldCase, amounts, seed: seed)
        do {
          try run.run(rounds: 18)
        } catch {
          Issue.record(
            "\(heldCase.testDescription), \(amounts), seed \(seed): \(run.scripts.log): \(error)"
          )
          return
        }
      }
    }
  }
}

/// A grouped SELECT.
struct HeldCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  var request: FetchRequest<Row>
  var sectionKey: SectionKey<Row>?
  /// The same rows in the same order, as plain SQL.
  let plain: String
  var isHeld = true

  init(
    _ description: String, _ select: String, key: [String], order: String,
    sectionKey: SectionKey<Row>? = nil, isHeld: Bool = true,
    _ configure: (FetchRequest<Row>) -> FetchRequest<Row> = { $0 }
  ) {
    testDescription = description
    request = configure(
      key.isEmpty
        ? FetchRequest(select: SQL(verbatim: select))
        : FetchRequest(select: SQL(verbatim: select), key: key))
    plain = "SELECT * FROM (\(select)) \(order)"
    self.sectionKey = sectionKey
    self.isHeld = isHeld
  }

  static let schema = """
    CREATE TABLE item(
      id INTEGER PRIMARY KEY, g INTEGER, h TEXT, k, c TEXT COLLATE NOCASE, x, i INTEGER, r REAL);
    CREATE TABLE kind(id INTEGER PRIMARY KEY, title TEXT, weight);
    CREATE TABLE keyed(a INTEGER, b TEXT, g INTEGER, x, PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE INDEX item_g ON item(g, x);
    CREATE INDEX item_h ON item(h, g);
    CREATE INDEX item_k ON item(k);
    CREATE INDEX item_c ON item(c);
    CREATE INDEX item_i ON item(i);
    CREATE INDEX item_e ON item(id % 3);
    CREATE INDEX kind_title ON kind(title);
    CREATE INDEX keyed_g ON keyed(g);
    CREATE VIEW grouped AS SELECT h, count(*) AS n, sum(x) AS s FROM item GROUP BY h;
    CREATE TRIGGER item_keyed AFTER UPDATE ON item BEGIN
      INSERT OR REPLACE INTO keyed VALUES (new.id % 5, coalesce(new.h, '') || '!', new.g, new.x);
    END;
    INSERT INTO kind VALUES (0, 'zero', 1), (1, 'one', 2), (2, 'two', NULL), (3, 'two', 4);
    """

  private static let all8 = """
    count(*) AS n, count(x) AS m, total(x) AS t, avg(x) AS a, min(x) AS low, max(x) AS high
    """

  static let all: [HeldCase] = [
    HeldCase(
      "integers", "SELECT g, \(all8), sum(x) AS s FROM item GROUP BY g", key: ["g"],
      order: "ORDER BY g"),
    HeldCase(
      "sorted by an aggregate", "SELECT g, \(all8) FROM item GROUP BY g", key: ["g"],
      order: "ORDER BY high DESC, n, g"
    ) { $0.sorted(by: \Row["high"], .descending).sorted(by: \Row["n"]) },
    HeldCase(
      "texts, HAVING, expressions",
      """
      SELECT h, max(x) AS high, CASE WHEN h > 'a' THEN count(*) * 2 ELSE -count(x) END AS e,
        min(i) || '-' || h AS f, total(i) AS t
      FROM item WHERE i > -5 OR i IS NULL GROUP BY h HAVING count(*) > 1 OR h = 'b'
      """, key: ["h"], order: "ORDER BY e, h"
    ) { $0.sorted(by: \Row["e"]) },
    HeldCase(
      "any values", "SELECT k, \(all8) FROM item GROUP BY k", key: ["k"], order: "ORDER BY k"),
    HeldCase(
      "an expression", "SELECT id % 3 AS e, \(all8) FROM item GROUP BY id % 3", key: ["e"],
      order: "ORDER BY e"),
    HeldCase(
      "two keys", "SELECT h, g, \(all8), max(r) AS top FROM item GROUP BY h, g", key: ["h", "g"],
      order: "ORDER BY n, h, g"
    ) { $0.sorted(by: \Row["n"]) },
    HeldCase(
      "a join",
      """
      SELECT kind.title AS title, count(*) AS n, sum(item.i) AS s, max(weight + item.i) AS w
      FROM item JOIN kind ON kind.id = item.g GROUP BY kind.title
      """, key: ["title"], order: "ORDER BY title"),
    HeldCase(
      "a table twice",
      """
      SELECT p.g AS g, count(*) AS n, sum(q.i) AS s FROM item p JOIN item q ON q.id = p.i
      GROUP BY p.g
      """, key: ["g"], order: "ORDER BY g"),
    HeldCase(
      "FILTER and conditions",
      """
      SELECT g, n, s FROM (
        SELECT g, count(*) FILTER (WHERE i > 0) AS n, sum(i) FILTER (WHERE h = 'a') AS s,
          max(i) FILTER (WHERE h IS NOT NULL) AS m FROM item GROUP BY g)
      WHERE n > 0 OR g = 2
      """, key: ["g"], order: "WHERE s IS NOT 3 ORDER BY g"
    ) { $0.filter("s IS NOT 3") },
    HeldCase(
      "sections by an aggregate", "SELECT g, count(*) AS n, max(i) AS m FROM item GROUP BY g",
      key: ["g"], order: "ORDER BY n > 4, m, g", sectionKey: .expression("n > 4")
    ) { $0.sorted(by: \Row["m"]).totals(.count, .sum(\Row["n"]), .max(\Row["m"])) },
    HeldCase(
      "limit", "SELECT g, \(all8) FROM item GROUP BY g", key: ["g"],
      order: "ORDER BY n DESC, g LIMIT 2 OFFSET 1"
    ) { $0.sorted(by: \Row["n"], .descending).limited(to: 2, offset: 1) },
    HeldCase(
      "a view", "SELECT * FROM grouped", key: ["h"], order: "ORDER BY h"),
    HeldCase(
      "without rowid", "SELECT g, count(*) AS n, sum(a) AS s, min(b) AS b FROM keyed GROUP BY g",
      key: ["g"], order: "ORDER BY g"),
    HeldCase(
      "no aggregate", "SELECT g FROM item GROUP BY g", key: ["g"], order: "ORDER BY g"),
    HeldCase("the only group", "SELECT \(all8) FROM item", key: [], order: ""),
    HeldCase(
      "the only group, with conditions",
      "SELECT count(*) AS n, sum(i) AS s, max(h) AS h FROM item WHERE g = 2 HAVING count(*) <> 3",
      key: [], order: "WHERE n <> 5"
    ) { $0.filter("n <> 5").sorted(by: \Row["n"]) },
    HeldCase(
      "DISTINCT", "SELECT g, count(DISTINCT i) AS n FROM item GROUP BY g", key: ["g"],
      order: "ORDER BY g", isHeld: false),
  ]
}

private struct HeldRun {
  let heldCase: HeldCase
  let amounts: RandomAmounts
  let database: Database
  var scripts: RandomScripts
  let loader: ResultLoader<Row>
  var generator: SeededGenerator

  init(_ heldCase: HeldCase, _ amounts: RandomAmounts, seed: UInt64) throws {
    (self.heldCase, self.amounts) = (heldCase, amounts)
    generator = SeededGenerator(seed: seed)
    database = try Database.store(HeldCase.schema)
    scripts = try RandomScripts(database, longest: 60)
    loader = ResultLoader(
      database: database, request: heldCase.request, sectionKey: heldCase.sectionKey)
  }

  mutating func run(rounds: Int) throws {
    try database.run((0..<12).map { _ in statement(&generator) + ";" }.joined())
    var version = try fetched()
    try #require((version.plan.maintenance.held != nil) == heldCase.isHeld)
    for round in 0..<rounds {
      try scripts.write(round: round, using: &generator, statement)
      let snapshot = try database.snapshot()
      guard snapshot !== version.snapshot else { continue }
      do {
        version = try step(from: version, to: snapshot)
      } catch let error as DatabaseError where error.message.contains("integer overflow") {
        try #require(amounts == .large)
        try database.run("UPDATE item SET x = id WHERE abs(x / 2) > 1e15")
        version = try fetched()
      }
    }
  }

  private func fetched() throws -> ResultsVersion {
    do {
      return try loader.version(of: try database.snapshot())
    } catch let error as DatabaseError where error.message.contains("integer overflow") {
      try #require(amounts == .large)
      try database.run("UPDATE item SET x = id WHERE abs(x / 2) > 1e15")
      return try loader.version(of: try database.snapshot())
    }
  }

  private func step(
    from version: ResultsVersion, to snapshot: Snapshot
  ) throws -> ResultsVersion {
    let updater = ResultUpdater(from: version, to: ResultSource(snapshot, version.plan))
    let update = try updater.advance()
    let compared = try updater.compare()
    let next = update.version
    try #require(
      update.changes == compared.changes, "\(update.changes) and \(compared.changes)")
    try #require(try next.keys() == compared.version.keys())
    try next.checkInvariants()
    let count = next.index.layout.count
    var rows: [[Value]] = []
    try next.read(0..<count) { row in rows.append(row.allValues) }
    let plain = try database.read { try $0.rows(heldCase.plain) }.map(\.values)
    try #require(rows.count == plain.count)
    for (row, plain) in zip(rows, plain) {
      // Sums of REALs depend on their order.
      try #require(row == plain || row.isSame(as: plain), "\(row) and \(plain)")
    }
    return next
  }

  // MARK: Writing

  private func statement(_ generator: inout SeededGenerator) -> String {
    let id = Int.random(in: 0..<24, using: &generator)
    switch Int.random(in: 0..<13, using: &generator) {
    case 0..<3:
      return """
        INSERT OR REPLACE INTO item VALUES (\(id), \(group(&generator)), \(text(&generator)), \(key(&generator)), \(text(&generator)),
          \(amounts.next(using: &generator)), \(Int.random(in: -6...20, using: &generator)),
          \(Int.random(in: 0..<9, using: &generator)) / 4.0)
        """
    case 3..<6: return "UPDATE item SET x = \(amounts.next(using: &generator)) WHERE id = \(id)"
    case 6:
      return "UPDATE item SET g = \(group(&generator)), h = \(text(&generator)) WHERE id = \(id)"
    case 7:
      return "UPDATE item SET k = \(key(&generator)), c = \(text(&generator)) WHERE id = \(id)"
    case 8: return "UPDATE item SET i = \(id % 7), r = NULL WHERE id = \(id)"
    case 9: return "DELETE FROM item WHERE id = \(id)"
    case 10: return "DELETE FROM item WHERE x = (SELECT max(x) FROM item)"
    case 11: return "DELETE FROM item WHERE g IS \(group(&generator))"
    default:
      return "UPDATE kind SET title = \(text(&generator)), weight = \(id % 5) WHERE id = \(id % 4)"
    }
  }

  private func group(_ generator: inout SeededGenerator) -> String {
    ["NULL", "1", "2", "3"].randomElement(using: &generator) ?? ""
  }

  private func text(_ generator: inout SeededGenerator) -> String {
    ["NULL", "'a'", "'b'", "'A'", "''"].randomElement(using: &generator) ?? ""
  }

  private func key(_ generator: inout SeededGenerator) -> String {
    ["NULL", "1", "1.0", "'1'", "x'31'", "1.5", "2"].randomElement(using: &generator) ?? ""
  }
}

extension RowView {
  /// The values of all columns.
  fileprivate var allValues: [Value] { (0..<count).map { value(at: $0) } }
}
