import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Random transactions by the list's own writer and by another connection: after each, the totals
/// are those of a plain query for the rows of each section, and exactly the sections with other
/// totals are told.
@Suite struct RandomTotalsTests {
  @Test(arguments: TotalsCase.all)
  func totalsAreThoseOfAPlainQuery(_ totalsCase: TotalsCase) throws {
    for amounts in RandomAmounts.allCases {
      var updateCount = 0
      for seed in SeededGenerator.seeds(1) {
        var run = try TotalsRun(totalsCase, amounts, seed: seed)
        do {
          try run.run(rounds: 15)
        } catch {
          Issue.record(
            "\(totalsCase.testDescription), \(amounts), seed \(seed): \(run.scripts.log): \(error)"
          )
          return
        }
        updateCount += run.updateCount
      }
      // Otherwise the sums were never moved.
      #expect(updateCount > 0)
    }
  }
}

/// A request with totals.
struct TotalsCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  var request: FetchRequest<Row>
  let sectionKey: SectionKey<Row>?
  /// What a plain query reads.
  var source = "item"
  var hasKey = true

  static let totals: [SectionTotal<Row>] = [
    .count, .count(\Row["amount"]), .sum(\Row["amount"]), .average(\Row["amount"]),
    .min(\Row["amount"]), .max(\Row["amount"]), .max(\Row["name"]),
    .min("\(\Row["name"]) || \("!")"), .sum("amount * 2"),
  ]
  static let plain = """
    count(*), count(amount), sum(amount), avg(amount), min(amount), max(amount), max(name), \
    min(name || '!'), sum(amount * 2)
    """
  static let schema = """
    CREATE TABLE item(
      id INTEGER PRIMARY KEY, section TEXT, name TEXT COLLATE NOCASE, amount, grp INTEGER);
    CREATE TABLE grp(id INTEGER PRIMARY KEY, title TEXT, bonus);
    CREATE VIEW described AS SELECT item.id, section, name, amount, grp FROM item;
    CREATE TABLE keyed(
      id TEXT PRIMARY KEY, section TEXT, name TEXT COLLATE NOCASE, amount, grp) WITHOUT ROWID;
    CREATE TRIGGER item_keyed AFTER INSERT ON item BEGIN
      INSERT INTO keyed VALUES ('k' || new.id, new.section, new.name, new.amount, new.grp);
    END;
    CREATE TRIGGER item_unkeyed AFTER DELETE ON item BEGIN
      DELETE FROM keyed WHERE id = 'k' || old.id;
    END;
    CREATE TRIGGER item_rekeyed AFTER UPDATE ON item BEGIN
      UPDATE keyed SET section = new.section, name = new.name, amount = new.amount, grp = new.grp
        WHERE id = 'k' || old.id;
    END;
    INSERT INTO grp VALUES (0, 'zero', 1), (1, 'one', 2), (2, 'two', NULL);
    """

  static let shown = FetchRequest(table: "item").columns(["id", "name"])
    .sorted(by: \Row["name"]).totals(totals)
  static let bySection = SectionKey<Row>.property(\Row["section"])
  static let joined = """
    SELECT item.id AS id, item.section AS section, item.name AS name,
      item.amount AS amount, grp.title AS title
    FROM item LEFT JOIN grp ON grp.id = item.grp
    """
  static let all: [TotalsCase] = [
    TotalsCase(testDescription: "sections", request: shown, sectionKey: bySection),
    TotalsCase(testDescription: "undivided", request: shown, sectionKey: nil),
    TotalsCase(
      testDescription: "all columns",
      request: FetchRequest(table: "item").totals(totals), sectionKey: bySection),
    TotalsCase(
      testDescription: "nocase, descending", request: shown,
      sectionKey: .property(\Row["section"], .descending, collation: .nocase)),
    TotalsCase(
      testDescription: "filter", request: shown.filter("grp > \(0)"), sectionKey: bySection),
    TotalsCase(
      testDescription: "sections with an order of their own", request: shown,
      sectionKey: .expression("'s' || grp", order: .expression("-grp"))),
    TotalsCase(
      testDescription: "computed sections",
      request: FetchRequest(table: "item").sorted(by: \Row["section"]).totals(totals),
      sectionKey: .property(\Row.initial)),
    TotalsCase(
      testDescription: "limit and offset", request: shown.limited(to: 5, offset: 2),
      sectionKey: bySection),
    TotalsCase(testDescription: "limit", request: shown.limited(to: 4), sectionKey: nil),
    TotalsCase(
      testDescription: "chunks", request: shown.chunked(above: 0, size: 3), sectionKey: bySection),
    TotalsCase(
      testDescription: "join",
      request: FetchRequest(select: SQL(verbatim: joined), key: ["id"]).columns(["id"])
        .sorted(by: \Row["name"]).totals(totals),
      sectionKey: .property(\Row["title"]), source: "(\(joined))"),
    TotalsCase(
      testDescription: "view without a key",
      request: FetchRequest(table: "described").columns(["id", "name"])
        .sorted(by: \Row["id"]).totals(totals),
      sectionKey: bySection, source: "described", hasKey: false),
    TotalsCase(
      testDescription: "another key",
      request: FetchRequest(table: "keyed").columns(["id"]).sorted(by: \Row["name"])
        .totals(totals),
      sectionKey: bySection, source: "keyed"),
  ]
}

extension Row {
  /// Computed: SQL does not know it.
  fileprivate var initial: String { if case .text(let text) = self["section"] { text } else { "" } }
}

extension Value {
  fileprivate var isReal: Bool { if case .real = self { true } else { false } }
}

private struct TotalsRun {
  let totalsCase: TotalsCase
  let amounts: RandomAmounts
  let list: LiveList
  var scripts: RandomScripts
  var generator: SeededGenerator
  var updateCount = 0
  private let folder = try? TestFolder()

  init(_ totalsCase: TotalsCase, _ amounts: RandomAmounts, seed: UInt64) throws {
    self.totalsCase = totalsCase
    self.amounts = amounts
    generator = SeededGenerator(seed: seed)
    let database = try Database.store(TotalsCase.schema)
    if seed.isMultiple(of: 2) || totalsCase.testDescription == "chunks" {
      try database.run("CREATE INDEX item_order ON item(section, name)")
    }
    scripts = try RandomScripts(database, longest: 120)
    list = try LiveList(database, totalsCase.request, sectionedBy: totalsCase.sectionKey)
    list.recorder.readsAtEachCall = false
    list.harness.requiresMinimalChanges = false
    list.versions = HeldVersions(seed: seed)
  }

  private var database: Database { scripts.database }

  mutating func run(rounds: Int) throws {
    for round in 0..<rounds {
      try scripts.write(round: round, using: &generator, statement)
      try step()
    }
  }

  private mutating func step() throws {
    do {
      let changes = try list.step()
      updateCount += changes.updatedSections.count
    } catch let error as FetchError where error.code == .totalOverflow {
      // SQLite says the same, of any order of the rows. The list goes on when the values fit.
      try #require(amounts == .large)
      try database.run("UPDATE item SET amount = id WHERE amount > 1e15 OR amount < -1e15")
      list.recorder.clear()
      try list.step()
    }
    try list.provider.shownVersion?.checkInvariants()
    try checkPlainly()
  }

  /// Compares with a plain query for the rows of each section.
  private func checkPlainly() throws {
    let provider = list.provider
    var ids: [Value] = []
    for section in 0..<provider.numberOfSections {
      let rows = try (0..<(try provider.numberOfRows(inSection: section))).map {
        try provider.object(at: [section, $0])["id"]
      }
      ids += rows
      try expect(try provider.totals(at: section).values, of: rows)
    }
    try expect(provider.totals?.values ?? [], of: ids)
  }

  private func expect(_ totals: [Value], of ids: [Value]) throws {
    let list = ids.map { _ in "?" }.joined(separator: ", ")
    let rows = "FROM \(totalsCase.source) WHERE id IN (\(list))"
    let plain: [Value]
    do {
      plain = try database.read {
        try $0.rows(SQL(verbatim: "SELECT \(TotalsCase.plain) \(rows)"), ids)
      }[0].values
    } catch let error as DatabaseError where error.message.contains("integer overflow") {
      // In this order; the sum itself is an integer.
      let amounts = try database.read { try $0.rows(SQL(verbatim: "SELECT amount \(rows)"), ids) }
      let integers = amounts.compactMap { row -> Int64? in
        if case .integer(let value) = row["amount"] { value } else { nil }
      }
      try #require(totals[2] == .integer(integers.reduce(0, &+)))
      return
    }
    // Of values that are equal under a collation or as numbers, SQLite takes any, and sums of REALs
    // depend on their order.
    for (index, pair) in zip(totals, plain).enumerated() where pair.0 != pair.1 {
      let mayDiffer = (4...7).contains(index) || pair.0.isReal && pair.1.isReal
      // The order of large numbers decides on more than the last digits.
      let isSame =
        amounts == .large && pair.0.isReal && pair.1.isReal || [pair.0].isSame(as: [pair.1])
      try #require(
        mayDiffer && isSame,
        "total \(index) is \(pair.0), and \(pair.1) by a plain query")
    }
  }

  // MARK: Writing

  private func statement(_ generator: inout SeededGenerator) -> String {
    let id = Int.random(in: 0..<24, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<3:
      return """
        INSERT OR REPLACE INTO item VALUES (\(id), \(section(&generator)), \(name(&generator)), \(amounts.next(using: &generator)), \(id % 3))
        """
    case 3..<6:
      return "UPDATE item SET amount = \(amounts.next(using: &generator)) WHERE id = \(id)"
    case 6: return "UPDATE item SET section = \(section(&generator)) WHERE id = \(id)"
    case 7: return "UPDATE item SET name = \(name(&generator)), grp = \(id % 4) WHERE id = \(id)"
    case 8: return "DELETE FROM item WHERE id = \(id)"
    default: return "DELETE FROM item WHERE amount = (SELECT max(amount) FROM item)"
    }
  }

  private func section(_ generator: inout SeededGenerator) -> String {
    ["NULL", "'a'", "'b'", "'A'", "''"].randomElement(using: &generator) ?? ""
  }

  private func name(_ generator: inout SeededGenerator) -> String {
    ["'x'", "'X'", "'y'", "NULL", "'z'", "'é'"].randomElement(using: &generator) ?? ""
  }
}
