import SQLiteStorage
import Testing

@testable import FetchedResults

/// Names that Swift's strings compare as equal, and SQLite does not.
struct UnicodeNamesTests {
  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"
  private let database: Database

  init() throws {
    database = try .store(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, "\(Self.composed)", "\(Self.decomposed)");
      INSERT INTO t VALUES (1, 1, 30), (2, 2, 20), (3, 2, 10);
      """)
  }

  @Test func totalsAreOfTheColumnThatIsNamed() throws {
    let provider = try FetchedResultsProvider(
      database: database,
      request: FetchRequest(table: "t").totals([
        .sum(\Row[Self.composed]), .sum(\Row[Self.decomposed]), .max(\Row[Self.decomposed]),
      ]))
    try provider.performFetch()
    #expect(provider.totals?.values == [5, 60, 30])
  }

  @Test func theOrderOfOneColumnIsNotThatOfSectionsByTheOther() throws {
    let provider = try FetchedResultsProvider(
      database: database,
      request: FetchRequest(table: "t").sorted(by: \Row[Self.decomposed]),
      sectionedBy: .property(\Row[Self.composed]))
    #expect(try provider.fetchedLines() == ["1: 1", "2: 3 2"])
  }

  @Test func parametersHaveTheirOwnValues() throws {
    let request = FetchRequest(
      select: SQL(verbatim: "SELECT :\(Self.composed) AS a, :\(Self.decomposed) AS b")
    )
    .with(parameters: [Self.composed.exact: 1, Self.decomposed.exact: 2])
    #expect(try database.read { try $0.fetchAll(request) }.map(\.values) == [[1, 2]])
    #expect(throws: DatabaseError.self) {
      try database.read {
        try $0.fetchAll(
          FetchRequest(select: SQL(verbatim: "SELECT :\(Self.composed) AS a"))
            .with(parameters: [Self.decomposed: 1]))
      }
    }
  }

  /// Of the two columns, one is the group and the other is not.
  @Test func aLiveGroupIsThatOfItsOwnColumn() throws {
    let provider = try FetchedResultsProvider(
      database: database,
      request: FetchRequest(
        select: SQL(
          verbatim: """
            SELECT "\(Self.composed)" AS g, sum("\(Self.decomposed)") AS s FROM t
            GROUP BY "\(Self.composed)"
            """)
      ).sorted(by: \Row["g"]))
    try provider.performFetch()
    #expect(try #require(provider.fetchedObjects).map(\.values) == [[1, 30], [2, 30]])
    try database.run("UPDATE t SET \"\(Self.decomposed)\" = 5 WHERE id = 1")
    try provider.refresh()
    #expect(try #require(provider.fetchedObjects).map(\.values) == [[1, 5], [2, 30]])
  }

  /// The other column is not determined by the group, so no row may be taken for the one that SQLite chooses.
  @Test func anOtherColumnIsNotTheGroup() throws {
    let request = FetchRequest(
      select: SQL(
        verbatim: "SELECT \"\(Self.composed)\" AS g, \"\(Self.decomposed)\" AS s FROM t GROUP BY 1"),
      key: ["g"])
    let plan = try request.plan(in: database)
    #expect(plan.maintenance.reason != nil)
  }

  @Test func textsInSQLDiffer() throws {
    let request = FetchRequest(
      select: SQL(
        verbatim: """
          SELECT count(*) FILTER (WHERE n = '\(Self.composed)') AS a,
            count(*) FILTER (WHERE n = '\(Self.decomposed)') AS b FROM s
          """))
    try database.run("CREATE TABLE s(n); INSERT INTO s VALUES ('\(Self.decomposed)')")
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    #expect(try #require(provider.fetchedObjects).map(\.values) == [[0, 1]])
    try database.run("INSERT INTO s VALUES ('\(Self.composed)'), ('\(Self.composed)')")
    try provider.refresh()
    #expect(try #require(provider.fetchedObjects).map(\.values) == [[2, 1]])
  }

  @Test func aRecordWithBothColumnsIsWritten() throws {
    try database.write { try $0.insert(Both(id: 4, one: 7, other: 8)) }
    #expect(try database.read { try $0.find(Both.self, 4) } == Both(id: 4, one: 7, other: 8))
    try database.write { try $0.update(Both(id: 4, one: 0, other: 9), only: \.other) }
    #expect(try database.read { try $0.find(Both.self, 4) } == Both(id: 4, one: 7, other: 9))
  }

  private struct Both: Codable, FetchableRecord, Identifiable, Equatable {
    var id: Int
    var one: Int
    var other: Int

    enum CodingKeys: String, CodingKey {
      case id
      case one = "caf\u{E9}"
      case other = "cafe\u{301}"
    }

    static let recordDescription = RecordDescription<Both>(table: "t")
  }
}
