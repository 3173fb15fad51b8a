import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Rules 8 and 13 to 21: which events a change is.
@Suite struct EventKindTests {
  /// Rows with the numbers 1 to `count`, in this order.
  private func numbers(_ count: Int) throws -> LiveList {
    try LiveList(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, rank REAL, note TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO item SELECT i, i, 'x' FROM n;
      """, "rank")
  }

  private func sections(_ rows: String) throws -> LiveList {
    try LiveList(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT, name TEXT);
      INSERT INTO item VALUES \(rows);
      """, "name", sectionedBy: "section")
  }

  // MARK: 13

  @Test func beingDisplacedIsNoEvent() throws {
    let list = try numbers(4)
    #expect(try list.commit("INSERT INTO item VALUES (9, 0, 'x')").description == "+[0,0]")
    #expect(try list.commit("DELETE FROM item WHERE id = 9").description == "-[0,0]")
  }

  @Test func newContentAtTheSamePlaceIsAnUpdate() throws {
    let list = try numbers(4)
    #expect(
      try list.commit("UPDATE item SET note = 'y' WHERE id = 3").description == "[0,2]=[0,2]")
    // Another sort key too, where the place is the same.
    #expect(
      try list.commit("UPDATE item SET rank = 2.5 WHERE id = 2").description == "[0,1]=[0,1]")
  }

  @Test func anotherPlaceIsAMoveWhateverElseChanged() throws {
    let list = try numbers(4)
    #expect(
      try list.commit("UPDATE item SET rank = 9, note = 'y' WHERE id = 1").description
        == "[0,0]>[0,3]")
  }

  // MARK: 14

  @Test func swappingTwoRowsByEditingOneIsOneMove() throws {
    let list = try numbers(2)
    #expect(try list.commit("UPDATE item SET rank = 3 WHERE id = 1").description == "[0,0]>[0,1]")
  }

  @Test func swappingTwoRowsByRenumberingBothIsOneMoveAndOneUpdate() throws {
    let list = try numbers(5)
    let changes = try list.commit("UPDATE item SET rank = 5 - rank WHERE id IN (2, 3)")
    #expect((changes.movedRows.count, changes.updatedRows.count, changes.rowCount) == (1, 1, 2))
  }

  @Test(arguments: [2, 3, 10, 70]) func reversingRowsMovesAllButOne(count: Int) throws {
    let list = try numbers(count)
    let changes = try list.commit("UPDATE item SET rank = -rank")
    #expect(changes.movedRows.count == count - 1)
    #expect(changes.updatedRows.count == 1)
    #expect(changes.rowCount == count)
  }

  @Test func anUntouchedRowStaysIfTheOthersHaveAnEventInAnyCase() throws {
    let list = try numbers(6)
    // If row 6 moved, the others would be updated: that is one event more.
    let changes = try list.commit("UPDATE item SET rank = rank + 10 WHERE id < 6")
    #expect(changes.movedRows.count == 5)
    #expect(changes.rowCount == 5)
  }

  @Test func sectionsThatChangePlacesStayAsFarAsPossible() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, rank INTEGER);
        INSERT INTO item VALUES (1, 'A', 1), (2, 'B', 2), (3, 'C', 3);
        """), FetchRequest(table: "item"),
      sectionedBy: .expression("title", order: .expression("rank")))
    let changes = try list.commit("UPDATE item SET rank = (rank + 4) % 5")
    #expect(changes.description == "[0,0]=[0,0] [1,0]=[1,0] [2,0]=[2,0]")
    // C, A, B: one section goes and comes.
    let rotated = try list.commit("UPDATE item SET rank = CASE id WHEN 3 THEN 10 ELSE 10 + id END")
    #expect(rotated.description == "-[2] +[0] -[2,0] +[0,0] [0,0]=[1,0] [1,0]=[2,0]")
    // B, C, A: C and A are touched, and still it is B that goes and comes.
    let passed = try list.commit("UPDATE item SET rank = rank + 20 WHERE id IN (1, 3)")
    #expect(passed.movedRows.isEmpty)
    #expect((passed.deletedSections.count, passed.insertedSections.count) == (1, 1))
    #expect(list.provider.sections.map(\.name) == ["B", "C", "A"])
  }

  @Test func anUntouchedSectionMovesIfMoreOthersPassIt() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, title TEXT, rank REAL);
        INSERT INTO item VALUES (1, 'A', 1), (2, 'B', 2), (3, 'C', 3), (4, 'C', 3), (5, 'D', 4);
        """), FetchRequest(table: "item").columns(["title"]),
      sectionedBy: .expression("title", order: .expression("rank")))
    // C, A, B, D
    #expect(
      try list.commit("UPDATE item SET rank = 3 + rank / 10 WHERE id < 3").description
        == "-[2] +[0] -[2,1] -[2,0] +[0,0] +[0,1]")
    // A, B, C, D: one row of C is deleted, another is inserted.
    #expect(
      try list.commit(
        """
        UPDATE item SET rank = rank - 2 WHERE id < 3;
        DELETE FROM item WHERE id = 3;
        INSERT INTO item VALUES (6, 'C', 3), (7, 'D', 4);
        """
      ).description == "-[0] +[2] -[0,1] -[0,0] +[2,0] +[2,1] +[3,1]")
  }

  // MARK: 13 and 14, where the sort key is not shown

  /// How a result is kept true.
  enum Source: CaseIterable {
    case touchedRows, comparison
  }

  /// Rows with the numbers 1 to `count`, in this order, which show a note and not the number.
  private func notes(_ count: Int, _ source: Source) throws -> LiveList {
    let request: FetchRequest<Row> =
      switch source {
      case .touchedRows: FetchRequest(table: "item")
      case .comparison:
        FetchRequest(select: "SELECT DISTINCT * FROM item ORDER BY (SELECT 1)", key: ["id"])
      }
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, rank REAL, note TEXT, section TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO item SELECT i, i, 'x', 'a' FROM n;
        """), request.sorted(by: \Row["rank"]).columns(["note"]))
    #expect(list.isFast == (source == .touchedRows))
    return list
  }

  @Test(arguments: Source.allCases)
  func anotherHiddenSortKeyIsNoEventWhereThePlaceIsKept(source: Source) throws {
    let list = try notes(4, source)
    #expect(try list.commit("UPDATE item SET rank = 2.5 WHERE id = 2").isEmpty)
    #expect(try list.commit("UPDATE item SET rank = rank * 2").isEmpty)
    #expect(
      try list.commit("UPDATE item SET rank = 5.5, note = 'y' WHERE id = 2").description
        == "[0,1]=[0,1]")
    // The others are where they were among those that stay.
    #expect(
      try list.commit("UPDATE item SET rank = rank * 2; DELETE FROM item WHERE id = 1").description
        == "-[0,0]")
  }

  @Test(arguments: Source.allCases)
  func anotherHiddenSortKeyIsAMoveWhereThePlaceChanges(source: Source) throws {
    let list = try notes(5, source)
    #expect(
      try list.commit("UPDATE item SET rank = 9 WHERE id = 1").description == "[0,0]>[0,4]")
    // Two that are renumbered swap: one of them has to move.
    let changes = try list.commit("UPDATE item SET rank = 5 - rank WHERE id IN (2, 3)")
    #expect((changes.movedRows.count, changes.rowCount) == (1, 1))
    #expect(changes.movedRows.allSatisfy { $0.keepsContent })
  }

  @Test(arguments: Source.allCases)
  func rowsThatShowTheSameStayFirst(source: Source) throws {
    let list = try notes(3, source)
    // More would stay if row 3 moved, but those have an event either way.
    let changes = try list.commit(
      """
      UPDATE item SET note = 'y' WHERE id < 3;
      UPDATE item SET rank = CASE id WHEN 3 THEN 10 ELSE 10 + id END;
      """)
    #expect(changes.description == "[0,0]>[0,1] [0,1]>[0,2]")
    #expect(changes.movedRows.allSatisfy { !$0.keepsContent })
  }

  @Test(arguments: Source.allCases)
  func anUntouchedRowMovesIfMoreOthersPassIt(source: Source) throws {
    let list = try notes(4, source)
    // 3, 1, 2, 4: what is shown could come about by a move of row 3 alone.
    #expect(
      try list.commit("UPDATE item SET rank = 3 + rank / 10 WHERE id < 3").description
        == "[0,2]>[0,0]")
  }

  @Test(arguments: Source.allCases)
  func fiftyRowsThatPassOneAreOneMove(source: Source) throws {
    let list = try notes(51, source)
    #expect(
      try list.commit("UPDATE item SET rank = rank + 60 WHERE id < 51").description
        == "[0,50]>[0,0]")
    // Back, by renumbering most of many.
    #expect(
      try list.commit("UPDATE item SET rank = rank - 60 WHERE id < 51").description
        == "[0,0]>[0,50]")
  }

  @Test(arguments: Source.allCases)
  func ofEquallyShortBatchesTheOneWithFewerMovesIsReported(source: Source) throws {
    let list = try notes(3, source)
    // 3, 1, 2: row 2 has an event in any case.
    #expect(
      try list.commit(
        "UPDATE item SET rank = 4 WHERE id = 1; UPDATE item SET rank = 5, note = 'y' WHERE id = 2"
      ).description == "[0,2]>[0,0] [0,1]=[0,2]")
    // One row that passes another moves itself.
    #expect(
      try list.commit("UPDATE item SET rank = 4.5 WHERE id = 3").description == "[0,0]>[0,1]")
  }

  /// Its name changes, and no column of a row that is shown.
  @Test func aHiddenSectionThatIsSpelledOtherwiseHasAnotherHeader() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, note TEXT, section TEXT COLLATE NOCASE);
        INSERT INTO item VALUES (1, 'm', 'a'), (2, 'n', 'b');
        """), FetchRequest(table: "item").columns(["note"]),
      sectionedBy: .property(\Row["section"]))
    let changes = try list.commit("UPDATE item SET section = 'A' WHERE id = 1")
    #expect(changes.description == "[0]=[0]")
    #expect(list.provider.sections.map(\.name) == ["A", "b"])
    #expect(try list.provider.identityForSection(0) != list.provider.identityForSection(1))
    #expect(
      try list.commit("UPDATE item SET section = 'B' WHERE id = 1").description
        == "-[0] [1]=[0] -[0,0] +[0,0]")
    #expect(list.provider.sections.map(\.name) == ["B"])
  }

  /// The columns that are shown stay the same, and 1 and 1.0 are one key.
  @Test(
    arguments: [
      FetchRequest<Row>(table: "item"), FetchRequest(select: "SELECT number, note FROM item"),
      FetchRequest(select: "SELECT DISTINCT * FROM item ORDER BY (SELECT 1)", key: ["number"]),
    ])
  func aHiddenKeyThatIsSpelledOtherwiseIsNoEvent(request: FetchRequest<Row>) throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(number PRIMARY KEY, note TEXT) WITHOUT ROWID;
        INSERT INTO item VALUES (1, 'm'), (2, 'n');
        """), request.columns(["note"]))
    #expect(try list.commit("UPDATE item SET number = 1.0 WHERE number = 1").isEmpty)
    #expect(
      try list.commit("UPDATE item SET number = 2.0, note = 'o' WHERE number = 2").description
        == "[0,1]=[0,1]")
  }

  // MARK: 15 to 17

  @Test func aMoveMayHaveTheSameNumbers() throws {
    let list = try sections("(1, 'B', 'm'), (2, 'B', 'n'), (3, 'C', 'a'), (5, 'C', 'b')")
    let changes = try list.commit(
      "INSERT INTO item VALUES (4, 'A', 'x'); UPDATE item SET section = 'B' WHERE id = 3")
    #expect(changes.description == "+[0] +[0,0] [1,0]>[1,0]")
  }

  @Test func anUpdateInADisplacedSectionCarriesBothPlaces() throws {
    let list = try sections("(1, 'B', 'm'), (2, 'B', 'n')")
    let changes = try list.commit(
      "INSERT INTO item VALUES (4, 'A', 'x'); UPDATE item SET name = 'mm' WHERE id = 1")
    #expect(changes.description == "+[0] +[0,0] [0,0]=[1,0]")
  }

  @Test func aRowLeavesADeletedSectionAsADeleteAndAnInsert() throws {
    let list = try sections("(1, 'A', 'm'), (2, 'B', 'n')")
    let changes = try list.commit("UPDATE item SET section = 'B' WHERE id = 1")
    #expect(changes.description == "-[0] -[0,0] +[0,0]")
    #expect(changes.compacted.description == "-[0] +[0,0]")
  }

  @Test func aRowEntersAnInsertedSectionAsADeleteAndAnInsert() throws {
    let list = try sections("(1, 'B', 'm'), (2, 'B', 'n')")
    let changes = try list.commit("UPDATE item SET section = 'C' WHERE id = 1")
    #expect(changes.description == "+[1] -[0,0] +[1,0]")
    #expect(changes.compacted.description == "+[1] -[0,0]")
  }

  @Test func rowsOfInsertedAndDeletedSectionsAreListed() throws {
    let list = try sections("(1, 'A', 'm'), (2, 'A', 'n'), (3, 'B', 'o')")
    let changes = try list.commit(
      "DELETE FROM item WHERE section = 'A'; INSERT INTO item VALUES (8, 'C', 'x'), (9, 'C', 'y')")
    #expect(changes.description == "-[0] +[1] -[0,1] -[0,0] +[1,0] +[1,1]")
    #expect(changes.compacted.description == "-[0] +[1]")
  }

  @Test func aSectionWhoseRowsAreAllReplacedStays() throws {
    let list = try sections("(1, 'A', 'm'), (2, 'B', 'n')")
    let changes = try list.commit(
      "DELETE FROM item WHERE id = 1; INSERT INTO item VALUES (3, 'A', 'x')")
    #expect(changes.description == "-[0,0] +[0,0]")
  }

  @Test func nullTheEmptyTextAndASpaceAreThreeSections() throws {
    let list = try sections("(1, NULL, 'm'), (2, 'B', 'n')")
    #expect(
      try list.commit("INSERT INTO item VALUES (3, '', 'x'), (4, ' ', 'y')").description
        == "+[1] +[2] +[1,0] +[2,0]")
    #expect(
      try list.commit("DELETE FROM item WHERE section IS NULL").description == "-[0] -[0,0]")
  }

  // MARK: 18 to 20

  /// The order, the legality and the three forms are checked by the harness, in `commit`.
  @Test func aGreatMixedBatchIsInOrderAndLegalInAllForms() throws {
    let rows = (1...60).map { "(\($0), '\("ABCDEF".dropFirst($0 % 6).prefix(1))', 'n\($0 % 7)')" }
    let list = try sections(rows.joined(separator: ", "))
    let changes = try list.commit(
      """
      DELETE FROM item WHERE id % 5 = 0 OR section = 'E';
      UPDATE item SET section = 'G' WHERE id % 11 = 1;
      UPDATE item SET name = 'n' || (id * 3 % 7) WHERE id % 3 = 1;
      INSERT INTO item SELECT id + 100, 'AA', name FROM item WHERE id % 4 = 1;
      INSERT INTO item SELECT id + 200, section, name FROM item WHERE id % 4 = 2;
      """)
    #expect(changes.deletedRows == changes.deletedRows.sorted(by: >))
    #expect(changes.insertedRows == changes.insertedRows.sorted())
    #expect(changes.movedRows.map(\.to) == changes.movedRows.map(\.to).sorted())
    #expect(changes.updatedRows.map(\.new) == changes.updatedRows.map(\.new).sorted())
    #expect(!changes.movedRows.isEmpty && !changes.updatedRows.isEmpty)
    #expect(!changes.deletedSections.isEmpty && !changes.insertedSections.isEmpty)
  }

  // MARK: 21

  @Test func aTableWithOtherColumnsIsAReset() throws {
    let list = try sections("(1, 'A', 'm'), (2, 'B', 'n')")
    let changes = try list.commit(
      """
      DROP TABLE item;
      CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT, name TEXT, year INTEGER);
      INSERT INTO item VALUES (1, 'C', 'm', 2000);
      """)
    #expect(changes == .reset(oldSectionCount: 2, newSectionCount: 1))
    // And from there on it goes as before.
    #expect(
      try list.commit("INSERT INTO item VALUES (2, 'C', 'n', 2001)").description == "+[0,1]")
  }

  // MARK: 8

  @Test(arguments: [true, false])
  func aLimitPushesOutAndPullsIn(isDelegateThereAtFirst: Bool) throws {
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY);
      INSERT INTO item VALUES (10), (20), (30), (40), (50);
      """)
    let recorder = Recorder<Row>()
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "item").limited(to: 2, offset: 1))
    if isDelegateThereAtFirst { provider.delegate = recorder }
    try provider.performFetch()
    provider.delegate = recorder
    #expect(try provider.lines() == ["all: 20 30"])
    try database.run("INSERT INTO item VALUES (1)")
    #expect(try provider.refresh().description == "-[0,1] +[0,0]")
    #expect(try provider.lines() == ["all: 10 20"])
    try database.run("DELETE FROM item WHERE id = 20")
    #expect(try provider.refresh().description == "-[0,1] +[0,1]")
    #expect(try provider.lines() == ["all: 10 30"])
    try database.run("DELETE FROM item WHERE id < 40")
    #expect(try provider.refresh().description == "-[0,1] -[0,0] +[0,0]")
    #expect(try provider.lines() == ["all: 50"])
    #expect(recorder.batches.count == 3)
  }
}
