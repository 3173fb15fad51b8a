import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Lists of the rows that have one value in one column.
@Suite struct EqualityFilterTests {
  private func plan(
    _ request: FetchRequest<Row>, in store: Database
  ) throws -> QueryPlan {
    try request.plan(in: store)
  }

  private static let item = FetchRequest(table: "item")
  private static let schema = """
    CREATE TABLE item(
      id INTEGER PRIMARY KEY, shelf INTEGER, name TEXT, folded TEXT COLLATE NOCASE, any);
    CREATE TABLE chosen(id INTEGER PRIMARY KEY, item INTEGER);
    CREATE INDEX chosen_item ON chosen(item);
    CREATE INDEX item_shelf ON item(shelf);
    """

  @Test func aConditionOfOneColumnAndOneValueIsFound() throws {
    let store = try Database.store(Self.schema)
    let found = [
      Self.item.filter("\(\Row["shelf"]) = \(3)"),
      Self.item.filter("Shelf == \(3)"),
      Self.item.filter("id > 4").filter("shelf IS :shelf").with(parameters: ["shelf": 3]),
      Self.item.filter("\"name\" = \("x")"),
      Self.item.filter("id = \(7)"),
    ]
    for request in found {
      #expect(try plan(request, in: store).requiredValue != nil, "\(request.filters)")
    }
  }

  @Test func anyOtherConditionIsNot() throws {
    let store = try Database.store(Self.schema)
    let other: [FetchRequest<Row>] = [
      Self.item,
      Self.item.filter("shelf > \(3)"),
      Self.item.filter("shelf = \(3) OR 1"),
      Self.item.filter("shelf IS NOT \(3)"),
      Self.item.filter("NOT shelf = \(3)"),
      Self.item.filter("folded = \("x")"),
      Self.item.filter("name = \("x") COLLATE NOCASE"),
      Self.item.filter("shelf = \(1.5)"),
      Self.item.filter("shelf IS \(Int?.none)"),
      // Rows of more than one table, or two rows of this one, decide whether a row is in the result.
      Self.item.filter("shelf = \(3)").filter("id IN (SELECT item FROM chosen)"),
      Self.item.filter("shelf = \(3)")
        .filter("EXISTS (SELECT 1 FROM item b WHERE b.shelf = item.id)"),
      Self.item.filter("shelf = \(3)")
        .sorted(.expression("(SELECT min(id) FROM chosen WHERE item = item.id)")),
      Self.item.filter("shelf = \(3)")
        .totals(.sum("(SELECT count(*) FROM chosen WHERE item = item.id)")),
    ]
    for request in other {
      #expect(try plan(request, in: store).requiredValue == nil, "\(request.filters)")
    }
  }

  /// Whatever a column is declared as and contains, no row is left out that the condition is true for.
  @Test(arguments: ["", "INTEGER", "REAL", "NUMERIC", "TEXT", "BLOB"])
  func noRowIsLeftOutThatMeetsTheCondition(type: String) throws {
    let contents = [
      "NULL", "0", "1", "1.0", "-0.0", "1.5", "'1'", "'1.0'", "' 1'", "'a'", "'A'", "'a '", "''",
      "x'31'", "x''", "'é'", "'e' || char(769)", "'a' || char(0)", "CAST(x'FF' AS TEXT)",
      "char(65533)", "9007199254740993", "9007199254740992.0",
    ]
    let store = try Database.store("CREATE TABLE item(id INTEGER PRIMARY KEY, v \(type));")
    for content in contents { try store.run("INSERT INTO item(v) VALUES (\(content))") }
    let wanted: [Value] = [
      0, 1, 9_007_199_254_740_993, "1", "1.0", "a", "A", "", "é", "e\u{301}", "a\0", "\u{FFFD}",
    ]
    let snapshot = try store.snapshot()
    var excludedCount = 0
    for value in wanted {
      let request = Self.item.filter("v = \(value)")
      let required = try #require(try plan(request, in: store).requiredValue)
      for rowID in 1...Int64(contents.count) {
        let isExcluded = try required.excludes(.rowIDs([rowID]), from: snapshot, and: snapshot)
        let isMet = try store.read {
          try $0.value(
            Bool.self, "SELECT (v = ?) IS 1 FROM item WHERE id = ?", [value, .integer(rowID)])
        }
        if isExcluded { excludedCount += 1 }
        #expect(!isExcluded || isMet != true, "\(type) \(contents[Int(rowID) - 1]) = \(value)")
      }
    }
    #expect(excludedCount > 50)
  }

  @Test func rowsOfAnotherTableAreNotTakenForItsOwn() throws {
    let store = try Database.store(Self.schema)
    try store.run("INSERT INTO item(id, shelf) VALUES (1, 1), (2, 1), (9, 2)")
    let list = try LiveList(
      store, Self.item.filter("shelf = \(1)").filter("id IN (SELECT item FROM chosen)"))
    #expect(list.provider.maintenance == .touchedRows)
    // There is no item 100, and item 9 has another shelf.
    #expect(try list.commit("INSERT INTO chosen VALUES (100, 1)").description == "+[0,0]")
    #expect(try list.commit("INSERT INTO chosen VALUES (9, 2)").description == "+[0,1]")
    #expect(
      try list.commit("UPDATE item SET name = 'x' WHERE id = 9; DELETE FROM chosen WHERE id = 100")
        .description == "-[0,0]")
  }

  @Test func rowsOfTheSameTableInASubqueryAreNotTakenForThoseThatAreShown() throws {
    let store = try Database.store(Self.schema)
    try store.run("INSERT INTO item(id, shelf) VALUES (1, 1), (2, 1)")
    let list = try LiveList(
      store,
      Self.item.filter("shelf = \(1)")
        .filter("NOT EXISTS (SELECT 1 FROM item b WHERE b.shelf = item.id)"))
    #expect(list.provider.maintenance == .touchedRows)
    #expect(try list.commit("INSERT INTO item(id, shelf) VALUES (3, 2)").description == "-[0,0]")
  }

  @Test func aRowThatIsNotThereIsExcluded() throws {
    let store = try Database.store(Self.schema)
    let required = try #require(
      try plan(Self.item.filter("shelf = \(1)"), in: store).requiredValue)
    let before = try store.snapshot()
    #expect(try required.excludes(.rowIDs([1]), from: before, and: before))
    try store.run("INSERT INTO item(id, shelf) VALUES (1, 1), (2, 2)")
    let after = try store.snapshot()
    #expect(try !required.excludes(.rowIDs([1]), from: before, and: after))
    #expect(try required.excludes(.rowIDs([2]), from: before, and: after))
    #expect(try !required.excludes(.rowIDs([1, 2]), from: before, and: after))
    #expect(try !required.excludes(.all, from: before, and: after))
  }

  @Test func onlyTheListsThatShowARowLookItUp() throws {
    let store = try Database.store(Self.schema)
    try store.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400)
      INSERT INTO item SELECT i, i % 40, 'name ' || i, '', NULL FROM n
      """)
    let lists = try (0..<40).map { shelf in
      try LiveList(store, Self.item.filter("shelf = \(shelf)").sorted(by: \Row["name"]))
    }
    let text = try plan(Self.item.filter("shelf = \(1)").sorted(by: \Row["name"]), in: store)
      .statements.observation.text
    func lookUps(after script: String) throws -> Int {
      try store.run(script)
      // All lists go to this version, through its one connection.
      let snapshot = try store.snapshot()
      func runs() throws -> Int {
        try snapshot.read { try $0.cachedStatement(text).counter(.runs, reset: true) }
      }
      _ = try runs()
      for list in lists { try list.step() }
      return try runs()
    }
    // From shelf 7 to shelf 8.
    #expect(try lookUps(after: "UPDATE item SET shelf = 8, name = 'x' WHERE id = 7") == 2)
    #expect(try lookUps(after: "UPDATE item SET name = 'y' WHERE id = 7") == 1)
    #expect(try lookUps(after: "DELETE FROM item WHERE id = 7") == 1)
  }
}
