import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Totals of sections and of the list, and what is told when they change.
@Suite struct SectionTotalsTests {
  private static let schema = """
    CREATE TABLE item(
      id INTEGER PRIMARY KEY, section TEXT, name TEXT COLLATE NOCASE, amount, note TEXT);
    CREATE INDEX item_order ON item(section, name);
    INSERT INTO item VALUES
      (1, 'a', 'One', 10, ''), (2, 'a', 'Two', 20, ''), (3, 'b', 'three', NULL, ''),
      (4, 'b', 'Four', 5, ''), (5, NULL, 'Five', NULL, '');
    """
  private static let shown = FetchRequest(table: "item").columns(["id", "name"])
    .sorted(by: \Row["name"])

  private func list(
    _ totals: SectionTotal<Row>..., request: FetchRequest<Row> = shown,
    sectionedBy key: SectionKey<Row>? = .property(\Row["section"])
  ) throws -> LiveList {
    try LiveList(try .store(Self.schema), request.totals(totals), sectionedBy: key)
  }

  // MARK: Values

  /// Infinity minus itself is no number, so a sum that has it cannot be adjusted.
  @Test func infiniteTotalsFollow() throws {
    let list = try list(.sum(\Row["amount"]), .average(\Row["amount"]))
    for script in [
      "UPDATE item SET amount = 9e999 WHERE id IN (1, 4)",
      "UPDATE item SET amount = -9e999 WHERE id = 2", "UPDATE item SET amount = 1 WHERE id < 5",
    ] {
      try list.commit(script)
      try list.provider.shownVersion?.checkInvariants()
    }
    #expect(list.provider.totals?.values == [4, 1.0])
  }

  @Test func eachSectionAndTheListHaveTotals() throws {
    let list = try list(
      .count, .count(\Row["amount"]), .sum(\Row["amount"]), .average(\Row["amount"]),
      .min(\Row["name"]), .max("\(\Row["amount"]) * \(2)"))
    let provider = list.provider
    #expect(try provider.totals(at: 0).values == [1, 0, .null, .null, "Five", .null])
    #expect(try provider.totals(at: 1).values == [2, 2, 30, 15.0, "One", 40])
    #expect(try provider.totals(at: 2).values == [2, 1, 5, 5.0, "Four", 10])
    #expect(provider.totals?.values == [5, 3, 35, .real(35.0 / 3), "Five", 40])
  }

  @Test func anUndividedListHasOneSection() throws {
    let list = try list(.sum(\Row["amount"]), sectionedBy: nil)
    #expect(try list.provider.totals(at: 0).values == [35])
    #expect(try list.commit("DELETE FROM item") != TableChanges())
    #expect(try list.provider.totals(at: 0).values == [.null])
    #expect(list.provider.totals?.values == [.null])
  }

  @Test func aRequestWithoutTotalsHasNone() throws {
    let list = try list()
    #expect(try list.provider.totals(at: 0).values == [])
    #expect(list.provider.totals?.values == [])
    #expect(list.provider.shownVersion?.layout.totals == nil)
    #expect(throws: TableDataError.self) { try list.provider.totals(at: 9) }
  }

  @Test func thereAreNoTotalsBeforeTheFirstFetch() throws {
    let provider = try FetchedResultsProvider(
      database: try .store(Self.schema), request: Self.shown.totals(.count))
    #expect(provider.totals == nil)
  }

  @Test func aSnapshotHasThemToo() async throws {
    let database = try Database.store(Self.schema)
    let updates = FetchedUpdates(
      database: database, request: Self.shown.totals(.sum(\Row["amount"])),
      sectionedBy: .property(\Row["section"]))
    var iterator = updates.makeAsyncIterator()
    _ = try await iterator.next()
    try database.run("UPDATE item SET amount = 11 WHERE id = 1")
    let update = try #require(try await iterator.next())
    #expect(update.old?.totals(at: 1).values == [30])
    #expect(update.new.totals(at: 1).values == [31])
    #expect(update.new.totals.values == [36])
    #expect("\(update.changes)" == "[1]=[1] totals")
  }

  // MARK: Events

  @Test func aHiddenArgumentUpdatesTheSectionAndNoRow() throws {
    let list = try list(.sum(\Row["amount"]))
    let changes = try list.commit("UPDATE item SET amount = 11 WHERE id = 1")
    #expect("\(changes)" == "[1]=[1] totals")
    #expect(list.recorder.calls == ["will", "update section 1", "[1]=[1] totals", "did"])
  }

  @Test func aShownArgumentUpdatesBoth() throws {
    let list = try list(
      .sum(\Row["amount"]), request: FetchRequest(table: "item").sorted(by: \Row["name"]))
    let changes = try list.commit("UPDATE item SET amount = 11 WHERE id = 1")
    #expect("\(changes)" == "[1]=[1] [1,0]=[1,0] totals")
  }

  @Test func nothingIsToldWhereNoTotalDiffers() throws {
    let list = try list(.sum(\Row["amount"]), .max(\Row["amount"]))
    #expect(
      try list.commit(
        "UPDATE item SET amount = 20 WHERE id = 1; UPDATE item SET amount = 10 WHERE id = 2"
      ).isEmpty)
    #expect(try list.commit("UPDATE item SET note = 'x'").isEmpty)
  }

  @Test func aRowThatGoesToAnotherSectionUpdatesBoth() throws {
    let list = try list(.sum(\Row["amount"]))
    let changes = try list.commit("UPDATE item SET section = 'b' WHERE id = 1")
    #expect("\(changes)" == "[1]=[1] [2]=[2] [1,0]>[2,1]")
  }

  @Test func anInsertedSectionCarriesItsTotals() throws {
    let list = try list(.sum(\Row["amount"]))
    let changes = try list.commit("INSERT INTO item VALUES (9, 'aa', 'x', 7, '')")
    #expect("\(changes)" == "+[2] +[2,0] totals")
    #expect(try list.provider.totals(at: 2).values == [7])
  }

  @Test func theNumbersOfAnUpdatedSectionAreOldAndNew() throws {
    let list = try list(.sum(\Row["amount"]))
    let changes = try list.commit(
      "DELETE FROM item WHERE id = 5; UPDATE item SET amount = 6 WHERE id = 4")
    #expect("\(changes)" == "-[0] [2]=[1] -[0,0] totals")
  }

  @Test func theTotalsOfTheListMayChangeAlone() throws {
    let list = try list(.average(\Row["amount"]))
    let changes = try list.commit("UPDATE item SET amount = 5 WHERE id = 3")
    #expect("\(changes)" == "totals")
    #expect(list.recorder.calls == ["will", "totals", "did"])
    #expect(list.provider.totals?.values == [10.0])
  }

  // MARK: What cannot be moved

  @Test func aLostExtremeIsReadAgain() throws {
    let list = try list(.max(\Row["amount"]), .min(\Row["name"]))
    try list.commit("UPDATE item SET amount = 3 WHERE id = 2")
    #expect(try list.provider.totals(at: 1).values == [10, "One"])
    try list.commit("DELETE FROM item WHERE id IN (1, 5)")
    #expect(list.provider.totals?.values == [5, "Four"])
  }

  @Test func anExtremeThatSeveralRowsHaveStays() throws {
    let list = try list(.max(\Row["amount"]))
    try list.commit("INSERT INTO item VALUES (6, 'a', 'x', 20, '')")
    try list.commit("DELETE FROM item WHERE id = 2")
    #expect(try list.provider.totals(at: 1).values == [20])
    try list.commit("UPDATE item SET amount = 20.0 WHERE id = 6")
    #expect(try list.provider.totals(at: 1).values == [20.0])
  }

  @Test func oneRealMakesTheSumReal() throws {
    let list = try list(.sum(\Row["amount"]), .average(\Row["amount"]))
    try list.commit("UPDATE item SET amount = 1.0 WHERE id = 1")
    #expect(try list.provider.totals(at: 1).values == [21.0, 10.5])
    #expect(list.provider.totals?.values == [26.0, .real(26.0 / 3)])
    try list.commit("UPDATE item SET amount = 1 WHERE id = 1")
    #expect(try list.provider.totals(at: 1).values == [21, 10.5])
  }

  @Test func aTextIsTheNumberThatSQLiteReadsInIt() throws {
    let list = try list(.sum(\Row["amount"]), .max(\Row["amount"]))
    try list.commit("UPDATE item SET amount = '7' WHERE id = 1")
    #expect(try list.provider.totals(at: 1).values == [27, "7"])
    try list.commit("UPDATE item SET amount = '7 pieces' WHERE id = 1")
    #expect(try list.provider.totals(at: 1).values == [27.0, "7 pieces"])
  }

  @Test func anOverflowIsAnErrorThatNamesTheTotalAndIsRecoveredFrom() throws {
    let list = try list(.sum(\Row["amount"]))
    try list.database.run("UPDATE item SET amount = \(Int64.max) WHERE id = 1")
    let error = #expect(throws: FetchError.self) { try list.provider.refresh() }
    #expect(error?.code == .totalOverflow)
    #expect(error?.message == "the total sum(amount) is too large for an integer")
    #expect(try list.provider.totals(at: 1).values == [30])
    try list.commit("UPDATE item SET amount = 1 WHERE id = 1")
    #expect(try list.provider.totals(at: 1).values == [21])
  }

  @Test func aSumThatIsTooLargeOnTheWayOnlyIsNoError() throws {
    let list = try list(.sum(\Row["amount"]))
    try list.commit(
      """
      UPDATE item SET amount = \(Int64.max) WHERE id = 1;
      INSERT INTO item VALUES (6, 'a', 'x', -100, ''), (7, 'a', 'y', \(Int64.min), '');
      """)
    #expect(try list.provider.totals(at: 1).values == [-81])
    #expect(list.provider.totals?.values == [-76])
  }

  @Test func averagesOfLargeIntegersAreThoseOfSQLite() throws {
    let list = try list(.average(\Row["amount"]))
    try list.commit("UPDATE item SET amount = \(Int64.max) WHERE section = 'a'")
    #expect(try list.provider.totals(at: 1).values == [0x1p63])
  }

  // MARK: Requests

  @Test func aLimitHasTheTotalsOfTheRowsShown() throws {
    let list = try list(
      .count, .sum(\Row["amount"]), request: Self.shown.limited(to: 2, offset: 2))
    #expect(list.provider.sections.map(\.name) == ["a", "b"])
    #expect(try list.provider.totals(at: 0).values == [1, 20])
    #expect(try list.provider.totals(at: 1).values == [1, 5])
    #expect(list.provider.totals?.values == [2, 25])
    let changes = try list.commit("DELETE FROM item WHERE id = 5")
    #expect("\(changes)" == "-[0] [1]=[0] -[0,0] +[0,1] totals")
    #expect(list.provider.totals?.values == [2, 5])
  }

  @Test func aLimitedListMayBeSortedByAColumnOfAnyName() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, argument0, amount);
        INSERT INTO item VALUES (1, 3, 10), (2, 2, 20), (3, 1, 30);
        """),
      FetchRequest(table: "item").sorted(by: \Row["argument0"]).limited(to: 1)
        .totals(.sum(\Row["amount"])), sectionedBy: nil)
    #expect(list.provider.totals?.values == [30])
    try list.commit("UPDATE item SET argument0 = 0 WHERE id = 2")
    #expect(list.provider.totals?.values == [20])
  }

  @Test func anotherRequestForTheSameRowsUpdatesTheSections() throws {
    let list = try list(.sum(\Row["amount"]))
    let changes = try list.set(
      Self.shown.totals(.max(\Row["amount"])), sectionedBy: .property(\Row["section"]))
    #expect("\(changes)" == "[1]=[1] totals")
    let without = try list.set(Self.shown, sectionedBy: .property(\Row["section"]))
    #expect("\(without)" == "[0]=[0] [1]=[1] [2]=[2] totals")
  }

  @Test func aComputedSectionKeyHasTotals() throws {
    let list = try list(
      .sum(\Row["amount"]), .max(\Row["amount"]),
      request: FetchRequest(table: "item").sorted(by: \Row["section"]),
      sectionedBy: .property(\Row.initial))
    try list.commit("UPDATE item SET amount = 0.5 WHERE id = 2")
    #expect(try list.provider.totals(at: 1).values == [10.5, 10])
    try list.commit("DELETE FROM item WHERE id = 1")
    #expect(try list.provider.totals(at: 1).values == [0.5, 0.5])
  }

  @Test func rowsWithoutAKeyHaveTotals() throws {
    let list = try list(
      .sum(\Row["amount"]),
      request: FetchRequest(select: "SELECT name, amount, section FROM item")
        .columns(["name"]).sorted(by: \Row["name"]))
    let changes = try list.commit("UPDATE item SET amount = 11 WHERE id = 1")
    #expect("\(changes)" == "[1]=[1] totals")
  }

  @Test func theArgumentMayBeOfAnotherTable() throws {
    let database = try Database.store(Self.schema)
    try database.run(
      """
      CREATE TABLE part(id INTEGER PRIMARY KEY, item INTEGER, price);
      CREATE INDEX part_item ON part(item);
      INSERT INTO part VALUES (1, 1, 100), (2, 1, 50), (3, 4, 7);
      """)
    let list = try LiveList(
      database,
      Self.shown.totals(.sum("(SELECT sum(price) FROM part WHERE part.item = item.id)")),
      sectionedBy: .property(\Row["section"]))
    #expect(list.provider.maintenance == .touchedRows)
    #expect(list.provider.totals?.values == [157])
    #expect("\(try list.commit("UPDATE part SET price = 51 WHERE id = 2"))" == "[1]=[1] totals")
    #expect(try list.provider.totals(at: 1).values == [151])
  }

  @Test func aPropertyThatIsComputedIsRefused() throws {
    let error = #expect(throws: FetchError.self) {
      try FetchedResultsProvider(
        database: try .store(Track.schema), request: Track.all.totals(.sum(\.initial)))
    }
    #expect(error?.code == .computedProperty)
  }

  @Test func anExpressionThatIsNotValidIsNamed() throws {
    for (expression, message) in [
      ("nope", "the total sum(nope): no such column: nope"),
      ("sum(amount)", "the total sum(sum(amount)): misuse of aggregate function sum()"),
    ] {
      let error = #expect(throws: DatabaseError.self) {
        try self.list(.sum(SQLFragment(verbatim: expression)))
      }
      #expect(error?.message == message)
    }
  }

  // MARK: Work

  @Test func integersAreMovedWithoutReadingTheSection() throws {
    let database = try Database.store(Self.schema)
    try database.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n LIMIT 10000)
      INSERT INTO item SELECT i, 'a', 'name ' || i, i, '' FROM n
      """)
    let list = try LiveList(
      database,
      Self.shown.totals(
        .count, .sum(\Row["amount"]), .average(\Row["amount"]), .max(\Row["amount"])),
      sectionedBy: .property(\Row["section"]))
    let plan = try #require(list.provider.shownVersion?.source.plan)
    let queries =
      [plan.statements.scan]
      + plan.parts.totals.terms.flatMap {
        [
          plan.parts.total($0, isOfSection: true), plan.parts.total($0, isOfSection: false),
        ]
      } + [plan.parts.totalsOfSections].compactMap(\.self)
    func runs(_ script: String, updates: Int = 1) throws -> Int {
      try database.run(script)
      let snapshot = try database.snapshot()
      func runs() throws -> Int {
        try snapshot.read { connection in
          try queries.reduce(0) {
            $0 + (try connection.cachedStatement($1.text).counter(.runs, reset: true))
          }
        }
      }
      _ = try runs()
      #expect(try list.provider.refresh().updatedSections.count == updates)
      return try runs()
    }
    #expect(try runs("UPDATE item SET amount = amount + 1 WHERE id = 5000") == 0)
    #expect(try runs("DELETE FROM item WHERE id = 5000") == 0)
    #expect(try runs("INSERT INTO item VALUES (5000, 'a', 'new', 3, '')") == 0)
    // The largest value.
    #expect(try runs("DELETE FROM item WHERE id = 10009") == 1)
    // The sum and the average of the section and of the list.
    #expect(try runs("UPDATE item SET amount = 0.5 WHERE id = 5000") == 4)
    // A REAL among the values, which stay the same.
    #expect(try runs("UPDATE item SET name = 'newer' WHERE id IN (5000, 77)", updates: 0) == 0)
    try list.expectFresh()
  }
}

extension Row {
  /// Computed: SQL does not know it.
  fileprivate var initial: String { if case .text(let text) = self["section"] { text } else { "" } }
}
