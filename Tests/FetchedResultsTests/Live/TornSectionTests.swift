import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Rule 2 while a list is observed: a commit that tears a section is the error that a fetch has, and the
/// list goes on from what it showed.
@Suite struct TornSectionTests {
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, s TEXT, n INTEGER);
    INSERT INTO item VALUES (1, 'x', 3), (2, 'y', 1), (3, 'z', 2);
    """
  private static let item = FetchRequest(table: "item")
  private static let byNumber = SectionKey<Row>.expression("s", order: .by(\Row["n"]))

  private func list(
    _ script: String = schema, _ request: FetchRequest<Row> = item,
    by sectionKey: SectionKey<Row> = byNumber
  ) throws -> LiveList {
    let list = try LiveList(.store(script), request, sectionedBy: sectionKey)
    list.harness.requiresMinimalChanges = false
    list.harness.requiresSameSectionNames = false
    return list
  }

  /// Commits a script that tears a section, and expects the message of a fetch.
  private func tear(
    _ list: LiveList, by script: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    try list.database.run(script)
    let message = try list.stepUnlessTorn(sourceLocation: sourceLocation).torn
    return try #require(message, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    item, item.chunked(above: 0, size: 1), item.totals(.count, .sum(\Row["n"])),
    FetchRequest(select: "SELECT * FROM item", key: ["id"]),
    FetchRequest(select: "SELECT *, row_number() OVER (ORDER BY id) AS r FROM item", key: ["id"]),
    FetchRequest(select: "SELECT s, n FROM item"),
  ])
  func anEmptiedSectionIsNotFilledAgainBesideAnotherWithItsKey(
    _ request: FetchRequest<Row>
  ) throws {
    let list = try list(Self.schema + "CREATE INDEX fitting ON item(n, s);", request)
    let shown = try list.provider.lines()
    _ = try tear(
      list, by: "UPDATE item SET s = 'x' WHERE id = 2; UPDATE item SET n = 9 WHERE id = 1")
    #expect(try list.provider.lines() == shown)
    try list.database.run("DELETE FROM item WHERE id = 3")
    try #require(try list.stepUnlessTorn().torn == nil)
    #expect(list.provider.sections.map(\.name) == ["x"])
  }

  /// The row before the one that tears it spells the key otherwise.
  @Test func theErrorSpellsTheKeyAsAFetchDoes() throws {
    let list = try list(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, s TEXT, n INTEGER);
      INSERT INTO item VALUES (1, 'x', 1), (2, 'X', 3);
      """, by: .expression("s", collation: .nocase, order: .by(\Row["n"])))
    let message = try tear(list, by: "INSERT INTO item VALUES (3, 'y', 2)")
    #expect(message.contains("X"))
  }

  /// The rows have no key any more, but no section that the list could show yet.
  @Test func aListIsNotStuckIfItsKeyIsRepeatedMeanwhile() throws {
    let store = try Database.store(
      """
      CREATE TABLE item(id TEXT PRIMARY KEY, s TEXT, n INTEGER);
      INSERT INTO item VALUES ('a', 'x', 3), ('b', 'y', 1);
      """)
    let provider = try FetchedResultsProvider(
      database: store, request: Self.item, sectionedBy: Self.byNumber)
    try provider.performFetch()
    try store.run("INSERT INTO item VALUES (NULL, 'z', 5), (NULL, 'z', 6), ('c', 'y', 4)")
    for _ in 0..<2 {
      let error = #expect(throws: FetchError.self) { try provider.refresh() }
      #expect(error?.code == .tornSection)
    }
    try store.run("DELETE FROM item WHERE id = 'c'")
    #expect(try provider.refresh() == .reset(oldSectionCount: 2, newSectionCount: 3))
    #expect(provider.sections.map(\.numberOfRows) == [1, 1, 2])
    try store.run("DELETE FROM item WHERE n = 5")
    #expect(try provider.refresh().deletedRows == [[2, 0]])
  }

  @Test func theErrorNamesTheTwoRows() throws {
    let list = try list()
    let message = try tear(
      list, by: "UPDATE item SET s = 'x' WHERE id = 2; UPDATE item SET n = 9 WHERE id = 1")
    #expect(message.contains("row 1 belongs to it, but row 3 before it does not"))
  }

  @Test func aRowOfAChunkIsNamedByAFetchToo() throws {
    let store = try Database.store(
      Self.schema + "CREATE INDEX fitting ON item(n, s); UPDATE item SET s = 'x' WHERE id = 2")
    let provider = try FetchedResultsProvider(
      database: store, request: Self.item.chunked(above: 0, size: 1), sectionedBy: Self.byNumber)
    let error = #expect(throws: FetchError.self) { try provider.performFetch() }
    #expect(error?.message.contains("but row 3 before it does not") == true)
  }

  @Test func aRowBetweenThoseOfASectionTearsIt() throws {
    let list = try list(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, s TEXT, n INTEGER);
      INSERT INTO item VALUES (1, 'x', 1), (2, 'x', 3), (3, 'y', 4);
      """)
    let message = try tear(list, by: "INSERT INTO item VALUES (4, 'w', 2)")
    #expect(message.contains("row 2 belongs to it, but row 4 before it does not"))
    // Another row is added to the part that was torn off, and the row between goes.
    let changes = try list.commit(
      "UPDATE item SET n = 5 WHERE id = 4; INSERT INTO item VALUES (5, 'x', 2)")
    #expect(changes.insertedSections == [2])
    #expect(try list.provider.lines() == ["\"x\": 1 5 2", "\"y\": 3", "\"w\": 4"])
  }

  // MARK: Keys whose order is not the key itself

  @Test func sectionsThatAreEqualUnderACollationAreTorn() throws {
    let list = try list(
      by: .expression("s", collation: .nocase, order: .by(\Row["n"])))
    _ = try tear(
      list, by: "UPDATE item SET s = 'X' WHERE id = 2; UPDATE item SET n = 9 WHERE id = 1")
    try list.commit("DELETE FROM item WHERE id = 3")
    #expect(try list.provider.lines() == ["\"X\": 2 1"])
  }

  @Test func sectionsThatAreEqualUnderTheApplicationsCollationAreTorn() throws {
    let store = try Database.store(Self.schema) {
      $0.collations = [CustomCollation("length") { $0.count - $1.count }]
    }
    try store.run("UPDATE item SET s = 'xxx' WHERE id = 1; UPDATE item SET s = 'zz' WHERE id = 3")
    let list = try LiveList(
      store, Self.item,
      sectionedBy: .expression("s", collation: .custom("length"), order: .by(\Row["n"])))
    list.harness.requiresSameSectionNames = false
    _ = try tear(
      list, by: "UPDATE item SET s = 'abc' WHERE id = 2; UPDATE item SET n = 9 WHERE id = 1")
    try list.commit("DELETE FROM item WHERE id = 3")
    #expect(list.provider.sections.map(\.numberOfRows) == [2])
  }

  @Test func sectionsOfAComputedPropertyAreTorn() throws {
    let list = try list(
      Self.schema, Self.item.sorted(by: \Row["n"]), by: .property(\Row.computedName))
    _ = try tear(
      list, by: "UPDATE item SET s = 'x' WHERE id = 2; UPDATE item SET n = 9 WHERE id = 1")
    try list.commit("DELETE FROM item WHERE id = 3")
    #expect(try list.provider.lines() == ["\"x\": 2 1"])
  }

  @Test func sectionsInTheOrderOfAWindowFunctionAreTorn() throws {
    let list = try list(
      Self.schema,
      FetchRequest(
        select: "SELECT *, max(n) OVER (PARTITION BY id) AS last FROM item", key: ["id"]),
      by: .expression("s", order: .by(\Row["last"])))
    #expect(list.isFast)
    _ = try tear(
      list, by: "UPDATE item SET s = 'x' WHERE id = 2; UPDATE item SET n = 9 WHERE id = 1")
    try list.commit("DELETE FROM item WHERE id = 3")
    #expect(try list.provider.lines() == ["\"x\": 2 1"])
  }

  // MARK: Limits

  @Test(arguments: [item, item.chunked(above: 0, size: 2)])
  func aLimitedListIsTornOnlyByWhatItShows(_ request: FetchRequest<Row>) throws {
    let list = try list(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, s TEXT, n INTEGER);
      CREATE INDEX fitting ON item(n, s);
      INSERT INTO item VALUES (1, 'x', 1), (2, 'y', 2), (3, 'w', 3), (4, 'x', 4), (5, 'z', 5);
      """, request.limited(to: 3))
    let shown = ["\"x\": 1", "\"y\": 2", "\"w\": 3"]
    #expect(try list.provider.lines() == shown)
    func commit(_ script: String) throws {
      try list.commit(script)
      try list.provider.shownVersion?.checkInvariants()
    }
    // Outside a row divides a section, joins two, and is the end of one.
    try commit("INSERT INTO item VALUES (6, 'z', 6), (7, 'z', 8)")
    try commit("INSERT INTO item VALUES (8, 'X', 7)")
    try commit("DELETE FROM item WHERE id = 8")
    try commit("DELETE FROM item WHERE id = 5")
    #expect(try list.provider.lines() == shown)
    let message = try tear(list, by: "DELETE FROM item WHERE id = 3")
    #expect(message.contains("row 4 belongs to it, but row 2 before it does not"))
    try commit("UPDATE item SET n = 1.5 WHERE id = 4")
    #expect(try list.provider.lines() == ["\"x\": 1 4", "\"y\": 2"])
  }

  @Test func rowsBeforeTheOffsetTearNothing() throws {
    let list = try list(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, s TEXT, n INTEGER);
      INSERT INTO item VALUES (1, 'x', 1), (2, 'y', 2), (3, 'x', 3), (4, 'X', 4), (5, 'z', 5);
      """, Self.item.limited(to: 2, offset: 3),
      by: .expression("s", collation: .nocase, order: .by(\Row["n"])))
    #expect(try list.provider.lines() == ["\"x\": 4", "\"z\": 5"])
    // The section begins with another row before the offset.
    try list.commit("INSERT INTO item VALUES (6, 'y', 3.5)")
    #expect(try list.provider.lines() == ["\"y\": 6", "\"X\": 4"])
    try list.commit("DELETE FROM item WHERE id = 6")
    #expect(try list.provider.lines() == ["\"x\": 4", "\"z\": 5"])
    try list.commit("INSERT INTO item VALUES (7, 'X', 1.5); DELETE FROM item WHERE id = 2")
    #expect(try list.provider.lines() == ["\"x\": 4", "\"z\": 5"])
    try list.provider.shownVersion?.checkInvariants()
  }

  @Test func anotherLimitThatShowsWhatIsTornIsRefused() throws {
    let list = try list(
      Self.schema + "UPDATE item SET s = 'x' WHERE id = 2", Self.item.limited(to: 2))
    let shown = try list.provider.lines()
    let error = #expect(throws: FetchError.self) {
      try list.provider.setRequest(Self.item)
    }
    #expect(error?.code == .tornSection)
    #expect(try list.provider.lines() == shown)
    try list.commit("UPDATE item SET n = 0 WHERE id = 1")
    #expect(try list.provider.lines() == ["\"x\": 1 2"])
  }
}

extension Row {
  fileprivate var computedName: String {
    if case .text(let text) = self["s"] { text } else { "" }
  }
}
