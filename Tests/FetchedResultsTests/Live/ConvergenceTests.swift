import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Ways to write to one table after which the provider must show what is there. That it does, and
/// that what it tells leads there, is checked by `commit`.
@Suite struct ConvergenceTests {
  private func list(_ more: String = "") throws -> LiveList {
    try LiveList(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT);
      INSERT INTO item VALUES (1, 'a', 'n1'), (2, 'b', 'n2'), (3, 'c', 'n3');
      \(more)
      """, "name")
  }

  // MARK: Keys

  @Test func wholeNumbersAreKeysAlsoIfTheyAreStoredAsReals() throws {
    let list = try LiveList(
      "CREATE TABLE item(time REAL PRIMARY KEY, name TEXT) WITHOUT ROWID", "name")
    #expect(try list.commit("INSERT INTO item VALUES (1700000000, 'a')").description == "+[0,0]")
    #expect(try list.commit("INSERT INTO item VALUES (0.5, 'b')").description == "+[0,1]")
    #expect(
      try list.commit("UPDATE item SET name = 'c' WHERE time = 1700000000").description
        == "[0,0]>[0,1]")
  }

  @Test func aKeyMayBecomeARealThatIsEqual() throws {
    let list = try LiveList(
      """
      CREATE TABLE item(id PRIMARY KEY, name TEXT) WITHOUT ROWID;
      INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'c');
      """, "name")
    #expect(try list.commit("INSERT INTO item VALUES (4.0, 'd')").description == "+[0,3]")
    #expect(try list.commit("UPDATE item SET id = 2.0 WHERE id = 2").deletedRows.isEmpty)
    #expect(try list.commit("DELETE FROM item WHERE id = 2").description == "-[0,1]")
  }

  /// A PRIMARY KEY that is not an integer may be NULL, in several rows.
  @Test func aKeyThatIsRepeatedIsLeft() throws {
    let list = try LiveList(
      """
      CREATE TABLE item(id TEXT PRIMARY KEY, name TEXT);
      INSERT INTO item VALUES ('a', 'n1'), ('b', 'n3');
      """, "name")
    #expect(try list.commit("INSERT INTO item VALUES (NULL, 'n2')").description == "+[0,1]")
    let reset = try list.commit("INSERT INTO item VALUES (NULL, 'n4')")
    #expect(reset.reset != nil)
    #expect(try list.commit("INSERT INTO item VALUES ('c', 'n0')").description == "+[0,0]")
    #expect(try list.commit("DELETE FROM item WHERE name = 'n4'").description == "-[0,4]")
    // Also at the first fetch.
    try list.database.run("INSERT INTO item VALUES (NULL, 'n2')")
    _ = try LiveList(list.database, FetchRequest(table: "item").sorted(by: \Row["name"]))
  }

  /// The error is reported until one of the two rows is gone, and no row is lost then.
  @Test(arguments: [true, false])
  func aKeyThatWasNamedAndIsRepeatedIsAnError(isForeign: Bool) throws {
    let database = try Database.store(
      """
      CREATE TABLE item(id TEXT PRIMARY KEY, name TEXT);
      INSERT INTO item VALUES ('a', 'n1'), (NULL, 'n2');
      """)
    let request = FetchRequest(table: "item").identified(by: ["id"]).sorted(by: \Row["name"])
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    let other = try Connection(path: database.path)
    func run(_ script: String) throws {
      if isForeign { try other.execute(script: script) } else { try database.run(script) }
    }
    for script in [
      "INSERT INTO item VALUES (NULL, 'n4')", "INSERT INTO item VALUES ('c', 'n0')",
      "DELETE FROM item WHERE id = 'a'",
    ] {
      try run(script)
      let error = #expect(throws: FetchError.self) { _ = try provider.refresh() }
      #expect(error?.code == .invalidKey)
    }
    try run("DELETE FROM item WHERE name = 'n2'")
    try provider.refresh()
    #expect(provider.fetchedObjects?.map { $0["name"] } == [.text("n0"), .text("n4")])
  }

  // MARK: Statements

  @Test func replaceDeletesTheRowsInItsWay() throws {
    let list = try list()
    #expect(
      try list.commit("REPLACE INTO item VALUES (1, 'b', 'n4')").description
        == "-[0,1] [0,0]>[0,1]")
    #expect(
      try list.commit("REPLACE INTO item VALUES (9, 'c', 'n9')").description == "-[0,0] +[0,1]")
    #expect(
      try list.commit("UPDATE OR REPLACE item SET code = 'b' WHERE id = 9").description
        == "-[0,0] [0,1]=[0,0]")
    #expect(list.isFast)
  }

  @Test func anUpsertInsertsOrUpdates() throws {
    let list = try list()
    let upsert = "ON CONFLICT(code) DO UPDATE SET name = excluded.name"
    #expect(
      try list.commit("INSERT INTO item VALUES (7, 'b', 'n0'), (8, 'd', 'n8') \(upsert)")
        .description
        == "+[0,3] [0,1]>[0,0]")
  }

  @Test func anotherPrimaryKeyIsADeleteAndAnInsert() throws {
    let list = try list()
    #expect(try list.commit("UPDATE item SET id = 7 WHERE id = 2").description == "-[0,1] +[0,1]")
    // Where the keys change places, the same identities have new content.
    #expect(
      try list.commit(
        """
        UPDATE item SET id = -1 WHERE id = 1; UPDATE item SET id = 1 WHERE id = 3;
        UPDATE item SET id = 3 WHERE id = -1;
        """
      ).movedRows.count == 2)
  }

  @Test func aDeleteWithoutConditionDeletesAll() throws {
    let list = try list()
    #expect(try list.commit("DELETE FROM item").description == "-[0,2] -[0,1] -[0,0]")
    #expect(list.provider.sections.map(\.numberOfRows) == [0])
  }

  @Test func theLastSectionsGoWithTheLastRows() throws {
    let list = try LiveList(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO item VALUES (1, 'a')",
      "name", sectionedBy: "name")
    #expect(try list.commit("DELETE FROM item").description == "-[0] -[0,0]")
    #expect(list.provider.sections.isEmpty)
    #expect(try list.commit("INSERT INTO item VALUES (1, 'b')").description == "+[0] +[0,0]")
  }

  @Test func cascadesReachTheRows() throws {
    let list = try LiveList(
      """
      CREATE TABLE parent(id INTEGER PRIMARY KEY);
      CREATE TABLE item(
        id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE,
        other REFERENCES parent ON DELETE SET NULL);
      INSERT INTO parent VALUES (1), (2), (3);
      INSERT INTO item VALUES (1, 1, 2), (2, 2, 3), (3, 1, 3);
      """, "parent")
    #expect(try list.commit("DELETE FROM parent WHERE id = 1").description == "-[0,1] -[0,0]")
    #expect(try list.commit("DELETE FROM parent WHERE id = 3").description == "[0,0]=[0,0]")
    #expect(try list.commit("UPDATE parent SET id = 9").description == "[0,0]=[0,0]")
    #expect(list.isFast)
  }

  @Test func triggersReachTheRows() throws {
    let list = try list(
      """
      CREATE TABLE log(x);
      CREATE TRIGGER t AFTER INSERT ON log BEGIN
        UPDATE item SET name = 'z' || name WHERE id = new.x;
        DELETE FROM item WHERE id = new.x + 1;
      END;
      """)
    #expect(try list.commit("INSERT INTO log VALUES (1)").description == "-[0,1] [0,0]>[0,1]")
    #expect(list.isFast)
  }

  // MARK: Keys

  @Test(arguments: [
    "CREATE TABLE item(a TEXT, b INTEGER, name TEXT, PRIMARY KEY(a, b)) WITHOUT ROWID;",
    "CREATE TABLE item(a TEXT, b INTEGER, name TEXT, PRIMARY KEY(b, a));",
    "CREATE TABLE item(a TEXT, b INTEGER, name TEXT, PRIMARY KEY(a DESC, b)) WITHOUT ROWID;",
    "CREATE TABLE item(b INTEGER, a TEXT PRIMARY KEY, name TEXT);",
    "CREATE TABLE item(name TEXT, a TEXT, b INTEGER, PRIMARY KEY(a)) WITHOUT ROWID;",
    "CREATE TABLE item(a TEXT, b INTEGER, name TEXT);",
    "CREATE TABLE item(rowid TEXT, a TEXT, b INTEGER, name TEXT);",
  ])
  func keysOfAllKinds(table: String) throws {
    let list = try LiveList(
      """
      \(table)
      INSERT INTO item(a, b, name) VALUES ('x', 1, 'n1'), ('y', 1, 'n2'), ('z', 2, 'n3');
      """, "name")
    #expect(list.isFast)
    #expect(try list.commit("DELETE FROM item WHERE a = 'y'").description == "-[0,1]")
    #expect(
      try list.commit("INSERT INTO item(a, b, name) VALUES ('w', 7, 'n0')").description == "+[0,0]")
    #expect(
      try list.commit("UPDATE item SET name = 'n9' WHERE a = 'w'").description == "[0,0]>[0,2]")
    try list.commit("UPDATE item SET a = 'v', b = 3 WHERE a = 'x'")
    #expect(list.recorder.batches.first?.rowCount ?? 0 > 0)
  }

  @Test(arguments: ["", " WITHOUT ROWID"])
  func aKeyInAnotherCaseIsAnotherKey(suffix: String) throws {
    let list = try LiveList(
      """
      CREATE TABLE item(a TEXT COLLATE NOCASE PRIMARY KEY, name TEXT)\(suffix);
      INSERT INTO item VALUES ('x', 'n1'), ('y', 'n2');
      """, "name")
    #expect(try list.commit("UPDATE item SET a = 'X' WHERE a = 'x'").description == "-[0,0] +[0,0]")
    #expect(try list.commit("REPLACE INTO item VALUES ('Y', 'n0')").description == "-[0,1] +[0,0]")
    #expect(list.isFast)
  }

  // MARK: The schema

  @Test func aTableMadeAnewIsComparedRowByRow() throws {
    let list = try list()
    let changes = try list.commit(
      """
      DROP TABLE item;
      CREATE TABLE item(id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT);
      INSERT INTO item VALUES (1, 'a', 'n1'), (3, 'c', 'n0'), (4, 'd', 'n4');
      """)
    #expect(changes.description == "-[0,1] +[0,2] [0,2]>[0,0]")
    #expect(try list.commit("DELETE FROM item WHERE id = 1").description == "-[0,1]")
    #expect(list.isFast)
  }

  @Test func anAddedColumnIsAResetForRowsAndNothingForRecords() throws {
    let list = try list()
    let change = try list.commit("ALTER TABLE item ADD COLUMN year INTEGER DEFAULT 3")
    #expect(change == .reset(oldSectionCount: 1, newSectionCount: 1))
    let database = try Track.store()
    let provider = try FetchedResultsProvider(database: database, request: Track.all)
    let recorder = Recorder<Track>()
    provider.delegate = recorder
    try provider.performFetch()
    try database.run("ALTER TABLE track ADD COLUMN year INTEGER DEFAULT 3")
    #expect(try provider.refresh().isEmpty)
    #expect(recorder.calls.isEmpty)
    try database.run("UPDATE track SET year = 4")
    #expect(try provider.refresh().isEmpty)
    try database.run("DELETE FROM track WHERE id = 2")
    #expect(try provider.refresh().description == "-[0,1]")
  }

  @Test func aRenamedTableIsAnErrorUntilItIsBack() throws {
    let list = try list()
    try list.database.run("ALTER TABLE item RENAME TO thing")
    #expect(throws: FetchError.self) { try list.provider.refresh() }
    #expect(try list.commit("ALTER TABLE thing RENAME TO item").isEmpty)
  }

  @Test func vacuumIsSilent() throws {
    let list = try list()
    try list.database.run("DELETE FROM item WHERE id = 1")
    try list.step()
    try list.database.withWriter { try $0.execute("VACUUM") }
    #expect(try list.step().isEmpty)
    #expect(try list.commit("INSERT INTO item VALUES (8, 'z', 'n0')").description == "+[0,0]")
  }

  @Test func vacuumMayRenumberRowsWithoutAKey() throws {
    let list = try LiveList(
      "CREATE TABLE item(name TEXT); INSERT INTO item VALUES ('a'), ('b'), ('c')", "name")
    try list.commit("DELETE FROM item WHERE name = 'a'")
    try list.database.withWriter { try $0.execute("VACUUM") }
    try list.step()
    try list.commit("UPDATE item SET name = 'd' WHERE name = 'b'")
  }
}
