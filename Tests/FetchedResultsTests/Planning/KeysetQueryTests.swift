import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Which requests can be read from any place in their order on, and what that costs.
@Suite struct KeysetQueryTests {
  private func plan(
    _ request: FetchRequest<Row>, by key: SectionKey<Row>? = nil, in store: Database
  ) throws -> QueryPlan {
    try request.chunked(above: 0, size: 64).plan(by: key, in: store)
  }

  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT, name TEXT NOT NULL, rank);
    CREATE VIEW shown AS SELECT * FROM item;
    """
  private static let item = FetchRequest(table: "item")

  @Test func anIndexThatFitsTheOrderServes() throws {
    let store = try Database.store(
      Self.schema + """
        CREATE INDEX by_section ON item(section, name DESC);
        CREATE INDEX by_rank ON item(rank, lower(name));
        """)
    let bySection = SectionKey<Row>.property(\Row["section"])
    let served = [
      try plan(Self.item, in: store),
      try plan(Self.item.sorted(by: \Row["name"], .descending), by: bySection, in: store),
      try plan(
        Self.item.sorted(by: \Row["name"], .descending).filter("rank > 3"), by: bySection,
        in: store),
      try plan(
        Self.item.sorted(.expression("lower(name)")).filter("rank = 3"), in: store),
    ]
    for plan in served { #expect(plan.followingRows != nil, "\(plan.statements.scan.text)") }
  }

  @Test func withoutSuchAnIndexIdentitiesAreHeld() throws {
    let store = try Database.store(
      Self.schema + "CREATE INDEX by_section ON item(section, name DESC);")
    let notServed = [
      try plan(Self.item.sorted(by: \Row["name"]), in: store),
      try plan(Self.item.sorted(by: \Row["section"]).sorted(by: \Row["name"]), in: store),
      try plan(
        Self.item.sorted(by: \Row["section"], collation: .nocase)
          .sorted(by: \Row["name"], .descending), in: store),
      try plan(
        FetchRequest(table: "shown", key: ["id"]).sorted(by: \Row["section"])
          .sorted(by: \Row["name"], .descending), in: store),
    ]
    for plan in notServed { #expect(plan.followingRows == nil, "\(plan.statements.scan.text)") }
  }

  @Test func textOfAFileInUTF16IsNoPlaceToStartFrom() throws {
    let store = try Database.store("") {
      $0.prepareConnection = { try $0.execute("PRAGMA encoding = 'UTF-16le'") }
    }
    try store.run(Self.schema)
    #expect(try plan(Self.item, in: store).followingRows == nil)
  }

  @Test func aFileThatCannotHaveEnoughRowsIsNotLookedAt() throws {
    let store = try Database.store(Self.schema)
    let request = Self.item.chunked(above: 1_000_000, size: 64)
    #expect(try request.plan(in: store).followingRows == nil)
  }

  @Test func aRowIsFoundByReadingNoMoreThanItsChunk() throws {
    let store = try Database.store(
      Self.schema + """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
        INSERT INTO item SELECT i, 's' || (i % 7), 'n' || (i * 7919 % 20011), i FROM n;
        CREATE INDEX by_section ON item(section, name);
        """)
    let request = Self.item.sorted(by: \Row["name"]).chunked(above: 1_000, size: 64)
    let fetch = ResultLoader(
      database: store, request: request, sectionKey: .property(\Row["section"]))
    let version: ResultsVersion = try fetch.version(of: try store.snapshot())
    #expect(version.hasChunks)
    try version.checkInvariants()
    for position in stride(from: 0, to: 20_000, by: 977) {
      let key = try version.keys(at: position..<(position + 1))[0]
      let before = try steps(in: version)
      #expect(try version.position(of: key) == position)
      // Going there, and a dozen instructions for each row that is passed.
      #expect(try steps(in: version) - before < 64 * 20 + 400)
    }
  }

  private func steps(in version: ResultsVersion) throws -> Int {
    let queries = try #require(version.plan.followingRows).queries
    return try version.snapshot.read { connection in
      try queries.reduce(0) { sum, query in
        try sum + connection.cachedStatement(query.text).counter(.virtualMachineSteps)
      }
    }
  }
}
