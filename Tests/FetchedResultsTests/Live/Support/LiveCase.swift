import SQLiteStorage
import Testing

@testable import FetchedResults

/// A schema and a request of it.
struct LiveCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Before the columns that all have.
  var columns = "id INTEGER PRIMARY KEY, "
  /// After them.
  var constraints = ""
  var request = FetchRequest(table: "item").sorted(by: \Row["name"])
  var sectionKey: SectionKey<Row>?
  /// Whether a transaction may tear a section.
  var mayTear = false
  var isAttached = false
  var collation = "BINARY"
  /// The terms of an SQL index that fits the order.
  var order: String?

  /// Makes that index.
  var index: String? {
    order.map { "CREATE INDEX \(isAttached ? "side." : "")fitting ON item(\($0))" }
  }

  var schema: String {
    let prefix = isAttached ? "side." : ""
    return """
      CREATE TABLE \(prefix)item(\(columns)a INTEGER NOT NULL, b TEXT NOT NULL COLLATE \(collation),
        section TEXT, name TEXT, rank INTEGER, title TEXT\(constraints);
      CREATE TABLE parent(number INTEGER PRIMARY KEY, label TEXT);
      INSERT INTO parent VALUES (0, 'zero'), (1, 'one'), (3, 'three'), (4, NULL);
      CREATE VIEW shown AS SELECT item.*, upper(section) AS upper FROM item WHERE rank < 4;
      """
  }
  private static let item = FetchRequest(table: "item")
  private static let withoutKey = FetchRequest(select: "SELECT section, name FROM item")
  private static let bySection = SectionKey<Row>.property(\Row["section"])

  static let all = unlessTorn + mayTear

  private static let unlessTorn: [LiveCase] = [
    LiveCase(testDescription: "by key", constraints: ")", request: item),
    LiveCase(testDescription: "by name", constraints: ")", order: "name"),
    LiveCase(
      testDescription: "sections", constraints: ")", sectionKey: bySection, order: "section, name"),
    LiveCase(
      testDescription: "descending NOCASE sections, NULL last", constraints: ")",
      request: item.sorted(by: \Row["rank"], .descending, nulls: .last),
      sectionKey: .property(\Row["section"], .descending, collation: .nocase, nulls: .last),
      order: "section COLLATE NOCASE DESC, rank DESC"),
    LiveCase(
      testDescription: "filtered sections", constraints: ")",
      request: item.filter("rank > 1 AND name NOTNULL").sorted(by: \Row["rank"]),
      sectionKey: bySection, order: "section, rank"),
    LiveCase(
      testDescription: "rows with one number", constraints: ")",
      request: item.filter("\(\Row["rank"]) = \(2)").sorted(by: \Row["name"]),
      sectionKey: bySection),
    LiveCase(
      testDescription: "rows with one text", constraints: ")",
      request: item.filter("section IS \("B")").sorted(by: \Row["rank"]), order: "section, rank"),
    LiveCase(
      testDescription: "limit", constraints: ")",
      request: item.sorted(by: \Row["rank"]).limited(to: 7), order: "rank"),
    LiveCase(
      testDescription: "limit and offset in sections", constraints: ")",
      request: item.sorted(by: \Row["name"]).limited(to: 8, offset: 3), sectionKey: bySection,
      order: "section, name"),
    LiveCase(
      testDescription: "some columns", constraints: ")",
      request: item.sorted(by: \Row["rank"]).columns(["name"]), sectionKey: bySection,
      order: "section, rank"),
    LiveCase(
      testDescription: "an order that is not shown", constraints: ")",
      request: item.sorted(by: \Row["rank"]).columns(["name"]), order: "rank"),
    LiveCase(
      testDescription: "an order that is not shown, with a limit and an offset", constraints: ")",
      request: item.sorted(by: \Row["rank"]).columns(["name"]).limited(to: 7, offset: 2)),
    LiveCase(
      testDescription: "sections that change places", constraints: ")",
      request: FetchRequest(
        select: "SELECT max(rank) OVER (PARTITION BY section) AS r, * FROM item", key: ["id"]
      ).columns(["name"]),
      sectionKey: .expression("section", order: .expression("r"))),
    LiveCase(
      testDescription: "an order that is not shown, compared", constraints: ")",
      request: FetchRequest(
        select: "SELECT DISTINCT * FROM item ORDER BY (SELECT 1)", key: ["id"]
      ).sorted(by: \Row["rank"]).columns(["name"]), sectionKey: bySection),
    LiveCase(
      testDescription: "sections with an order of their own", constraints: ")",
      request: item.sorted(by: \Row["name"]),
      sectionKey: .expression("'s' || rank", order: .expression("rank * 3 % 5")),
      order: "rank * 3 % 5, 's' || rank, name"),
    LiveCase(
      testDescription: "an expression", constraints: ")",
      request: item.sorted(.expression("length(name) + rank", .descending)),
      sectionKey: .expression("upper(substr(name, 1, 1))"),
      order: "upper(substr(name, 1, 1)), length(name) + rank DESC"),
    LiveCase(
      testDescription: "TEXT key", columns: "", constraints: ", PRIMARY KEY(b))",
      order: "name, b"),
    LiveCase(
      testDescription: "NOCASE TEXT key", columns: "", constraints: ", PRIMARY KEY(b))",
      sectionKey: bySection, collation: "NOCASE", order: "section, name, b"),
    LiveCase(
      testDescription: "composite key", columns: "", constraints: ", PRIMARY KEY(b, a))",
      sectionKey: bySection, order: "section, name, b, a"),
    LiveCase(
      testDescription: "WITHOUT ROWID", columns: "",
      constraints: ", PRIMARY KEY(b, a)) WITHOUT ROWID", sectionKey: bySection,
      order: "section, name, b, a"),
    LiveCase(
      testDescription: "NOCASE WITHOUT ROWID", columns: "",
      constraints: ", PRIMARY KEY(b)) WITHOUT ROWID", collation: "NOCASE",
      order: "name, b"),
    LiveCase(
      testDescription: "rowid", columns: "", constraints: ")", sectionKey: bySection,
      order: "section, name"),
    LiveCase(testDescription: "unique", constraints: ", UNIQUE(b, a))", sectionKey: bySection),
    LiveCase(
      testDescription: "view", constraints: ")",
      request: FetchRequest(table: "shown", key: ["id"]).sorted(by: \Row["name"]),
      sectionKey: .property(\Row["upper"])),
    LiveCase(
      testDescription: "join", constraints: ")",
      request: FetchRequest(
        select: """
          SELECT item.*, label FROM item LEFT JOIN parent ON number = rank
          """, key: ["id"]
      ).sorted(by: \Row["name"]),
      sectionKey: .property(\Row["label"])),
    LiveCase(
      testDescription: "subquery", constraints: ")",
      request: item.filter("rank IN (SELECT number FROM parent)").sorted(by: \Row["name"])),
    LiveCase(
      testDescription: "subquery in rows with one number", constraints: ")",
      request: item.filter("\(\Row["rank"]) = \(2)")
        .filter("EXISTS (SELECT 1 FROM parent WHERE number = item.a)").sorted(by: \Row["name"])),
    LiveCase(
      testDescription: "SELECT without a key", constraints: ")",
      request: FetchRequest(select: "SELECT section, count(*) AS n FROM item GROUP BY section")),
    LiveCase(
      testDescription: "twins and NULL without a key", constraints: ")",
      request: withoutKey.sorted(by: \Row["name"])),
    LiveCase(
      testDescription: "as they come, without a key", constraints: ")", request: withoutKey),
    LiveCase(
      testDescription: "an order that is not shown, without a key", constraints: ")",
      request: FetchRequest(select: "SELECT section, name, rank FROM item").sorted(by: \Row["rank"])
        .columns(["name"]), sectionKey: bySection),
    LiveCase(
      testDescription: "sections that change places, without a key", constraints: ")",
      request: FetchRequest(
        select: "SELECT max(rank) OVER (PARTITION BY section) AS r, * FROM item"
      )
      .columns(["name"]),
      sectionKey: .expression("section", order: .expression("r"))),
    LiveCase(
      testDescription: "limit without a key", constraints: ")",
      request: withoutKey.sorted(by: \Row["name"]).limited(to: 5)),
    LiveCase(
      testDescription: "limit and offset in sections without a key", constraints: ")",
      request: withoutKey.sorted(by: \Row["name"]).limited(to: 8, offset: 3),
      sectionKey: bySection),
    LiveCase(
      testDescription: "view without a key", constraints: ")",
      request: FetchRequest(table: "shown").sorted(by: \Row["name"]),
      sectionKey: .property(\Row["upper"], .descending)),
    LiveCase(
      testDescription: "GROUP BY without a key, NOCASE sections", constraints: ")",
      request: FetchRequest(select: "SELECT section, rank, count(*) FROM item GROUP BY 1, 2"),
      sectionKey: .property(\Row["section"], .ascending, collation: .nocase)),
    LiveCase(
      testDescription: "a key that cannot be looked up", constraints: ")",
      request: FetchRequest(
        select: "SELECT *, row_number() OVER (ORDER BY name) AS place FROM item", key: ["id"]
      ).sorted(by: \Row["name"]), sectionKey: bySection),
    LiveCase(
      testDescription: "a text key that cannot be looked up", columns: "",
      constraints: ", PRIMARY KEY(b))",
      request: FetchRequest(select: "SELECT * FROM item ORDER BY name LIMIT 9", key: ["b"])
        .filter("rank IS NOT (SELECT min(number) FROM parent)"), collation: "NOCASE"),
    LiveCase(
      testDescription: "attached", constraints: ")", sectionKey: bySection, isAttached: true,
      order: "section, name"),
  ]
  /// Sections whose order is not the key itself. The lists are short, so that torn sections come and go.
  private static let mayTear: [LiveCase] = {
    let few = item.filter("a < 3").sorted(by: \Row["name"])
    let byRank = SectionKey<Row>.expression("section", order: .by(\Row["rank"]))
    let byRankNocase = SectionKey<Row>.expression(
      "section", collation: .nocase, order: .by(\Row["rank"], .descending))
    let cases: [(String, FetchRequest<Row>, SectionKey<Row>, order: String?)] = [
      ("an order of their own", few, byRank, "rank, section, name"),
      (
        "a descending order of their own, NOCASE", few, byRankNocase,
        "rank DESC, section COLLATE NOCASE, name"
      ),
      ("an order of their own, with totals", few.totals(.count, .sum(\Row["rank"])), byRank, nil),
      (
        "a computed key", item.filter("a < 3").sorted(by: \Row["rank"]),
        .property(\Row.computedSection), nil
      ),
      (
        "the order of a window function",
        FetchRequest(
          select: "SELECT *, max(rank) OVER (PARTITION BY id) AS most FROM item WHERE a < 3",
          key: ["id"]), .expression("section", order: .by(\Row["most"])), nil
      ),
      (
        "an order of their own, a limit", item.sorted(by: \Row["name"]).limited(to: 3), byRank,
        "rank, section, name"
      ),
      (
        "an order of their own, NOCASE, a limit and offset",
        item.filter("a < 8").limited(to: 3, offset: 2).totals(.count), byRankNocase,
        "rank DESC, section COLLATE NOCASE"
      ),
      (
        "a computed key, a limit", item.sorted(by: \Row["rank"]).limited(to: 3, offset: 1),
        .property(\Row.computedSection), nil
      ),
      (
        "a key that cannot be looked up",
        FetchRequest(
          select: "SELECT *, row_number() OVER (ORDER BY name) AS place FROM item WHERE a < 3",
          key: ["id"]), byRank, nil
      ),
      (
        "an order of their own, without a key",
        FetchRequest(select: "SELECT section, name, rank FROM item WHERE a < 3"), byRank, nil
      ),
    ]
    return cases.map { description, request, sectionKey, order in
      LiveCase(
        testDescription: "sections that may be torn: \(description)", constraints: ")",
        request: request, sectionKey: sectionKey, mayTear: true, order: order)
    }
  }()
}

extension Row {
  /// Computed: SQL does not know it.
  fileprivate var computedSection: String {
    if case .text(let text) = self["section"] { text } else { "" }
  }
}
