import CLibrary
import SQLiteStorage
import Testing

@testable import FetchedResults

/// What a change log tells when the schema changes, and when the log of the file does not tell what happened.
@Suite(.timeLimit(.minutes(5))) struct ChangeLogSchemaTests: FollowsFile {
  let file: FollowedFile

  init() throws {
    file = try FollowedFile(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO track VALUES (1, 'a'), (2, 'b');
      CREATE TABLE genre(code TEXT PRIMARY KEY, title);
      INSERT INTO genre VALUES ('j', 'Jazz'), ('p', 'Pop'), ('r', 'Rock');
      """)
  }

  /// The lines of what a script changes.
  private func lines(_ script: String) async throws -> [String] {
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    try writer.execute(script: script)
    return try #require(try await log.next()).lines()
  }

  @Test func aTableBeginsWithItsRows() async throws {
    #expect(
      try await lines("CREATE TABLE copy AS SELECT * FROM track WHERE id = 1") == [
        "created table copy", "insert copy rowid=1: id 1, name 'a'",
      ])
  }

  @Test func aTableEndsWithItsRows() async throws {
    #expect(
      try await lines("DROP TABLE track") == [
        "dropped table track", "delete track id=1: id 1, name 'a'",
        "delete track id=2: id 2, name 'b'",
      ])
  }

  @Test func aRenamedTableKeepsItsRows() async throws {
    #expect(
      try await lines(
        "BEGIN; ALTER TABLE track RENAME TO song; UPDATE song SET name = 'B' WHERE id = 2; COMMIT")
        == ["renamed table track → song", "update song id=2: name 'b' → 'B'"])
  }

  @Test func aTableInThePlaceOfAnotherIsNotTheSame() async throws {
    #expect(
      try await lines(
        """
        BEGIN; DROP TABLE track; CREATE TABLE song(id INTEGER PRIMARY KEY, name BLOB);
        INSERT INTO song VALUES (1, 'a'); COMMIT
        """) == [
          "created table song", "dropped table track", "insert song id=1: id 1, name 'a'",
          "delete track id=1: id 1, name 'a'", "delete track id=2: id 2, name 'b'",
        ])
  }

  @Test(arguments: [
    ("x", "NULL"), ("x DEFAULT 5", "5"), ("x TEXT DEFAULT 5", "'5'"), ("x REAL DEFAULT 5", "5.0"),
    ("x DEFAULT 'it''s'", "'it''s'"), ("x DEFAULT x'00'", "x'00'"), ("x DEFAULT word", "'word'"),
    ("x INTEGER DEFAULT '0'", "0"), ("x NUMERIC DEFAULT '1.5'", "1.5"),
    ("x INT DEFAULT 'one'", "'one'"), ("x REAL DEFAULT 'abc'", "'abc'"),
    ("x REAL DEFAULT '5'", "5.0"), ("x TEXT DEFAULT x'41'", "x'41'"), ("x ANY DEFAULT '5'", "5"),
    ("x TEXT DEFAULT -1", "'-1'"),
  ])
  func rowsAreNotToldForTheDefaultOfANewColumn(column: String, value: String) async throws {
    #expect(
      try await lines("ALTER TABLE track ADD COLUMN \(column)") == ["altered table track"])
    #expect(
      try await lines("UPDATE track SET x = 'new' WHERE id = 1") == [
        "update track id=1: x \(value) → 'new'"
      ])
  }

  @Test func theDefaultOfAnyTypeStaysAsItIsInAStrictTable() async throws {
    try writer.execute(
      script: """
        CREATE TABLE strict(id INTEGER PRIMARY KEY, n INT) STRICT; INSERT INTO strict VALUES (1, 1);
        """)
    #expect(
      try await lines("ALTER TABLE strict ADD COLUMN x ANY DEFAULT '5'") == ["altered table strict"]
    )
  }

  /// A table that is made anew may have it.
  @Test func aDefaultThatCannotBeComputedIsNone() async throws {
    #expect(
      try await lines(
        """
        BEGIN; DROP TABLE track;
        CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, x DEFAULT (of_the_app()));
        INSERT INTO track VALUES (1, 'a', NULL), (2, 'b', 3); COMMIT
        """) == ["altered table track", "update track id=2: x NULL → 3"])
  }

  @Test func aRenamedTableHasItsOldNameBack() async throws {
    try writer.execute("CREATE INDEX by_name ON track(name)")
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    try writer.execute("ALTER TABLE track RENAME TO song")
    let changes = try #require(try await log.next())
    #expect(changes.schemaChanges.map(\.table) == ["song", "song"])
    let inverted = changes.inverted().schemaChanges
    #expect(inverted.map(\.name) == ["by_name", "track"])
    #expect(inverted.map(\.table) == ["track", "track"])
  }

  @Test func aRowIsToldIfItHasAnotherValueInANewColumn() async throws {
    #expect(
      try await lines(
        "BEGIN; ALTER TABLE track ADD COLUMN x DEFAULT 5; UPDATE track SET x = 6 WHERE id = 1; COMMIT"
      )
        == ["altered table track", "update track id=1: x NULL → 6"])
  }

  @Test func aRemovedColumnIsToldByTheSchemaAlone() async throws {
    #expect(try await lines("ALTER TABLE track DROP COLUMN name") == ["altered table track"])
  }

  @Test func aTableWithAnotherKeyEndsAndBegins() async throws {
    #expect(
      try await lines(
        """
        BEGIN; DROP TABLE track; CREATE TABLE track(id, name TEXT PRIMARY KEY);
        INSERT INTO track VALUES (1, 'a'); COMMIT
        """) == [
          "altered table track", "delete track id=1: id 1, name 'a'",
          "delete track id=2: id 2, name 'b'", "insert track name='a': id 1, name 'a'",
        ])
  }

  @Test func indexesViewsAndTriggersAreTold() async throws {
    #expect(
      try await lines(
        """
        BEGIN; CREATE INDEX by_name ON track(name); CREATE VIEW names AS SELECT name FROM track;
        CREATE TRIGGER t AFTER INSERT ON track BEGIN SELECT 1; END; COMMIT
        """) == ["created index by_name", "created view names", "created trigger t"])
    #expect(try await lines("DROP VIEW names") == ["dropped view names"])
  }

  @Test func vacuumIsNoChange() async throws {
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    try writer.execute("DELETE FROM genre WHERE code = 'j'")
    #expect(try await log.next()?.count == 1)
    // It gives the rows of genre other rowids, but not other keys. The log waits meanwhile, and looks at it alone.
    let path = database.path
    let writing = Task.detached {
      let writer = try Connection(path: path)
      for _ in 0..<10 { try writer.execute("VACUUM") }
      try writer.execute("UPDATE track SET name = 'x' WHERE id = 1")
    }
    var lines: [String] = []
    while lines.isEmpty {
      lines = try #require(try await log.next()).lines().filter { !$0.hasPrefix("gap") }
    }
    #expect(lines == ["update track id=1: name 'a' → 'x'"])
    try await writing.value
  }

  @Test func aFileInRollbackModeIsCompared() async throws {
    let path = folder.file("rollback.db")
    let writer = try Connection(path: path, access: .readWriteCreate)
    try writer.execute(
      script: "CREATE TABLE track(id INTEGER PRIMARY KEY, name); INSERT INTO track VALUES (1, 'a')")
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    let database = try Database(path: path, access: .readOnly, configuration: configuration)
    #expect(database.snapshotKind == .released)
    var log = database.changes().makeAsyncIterator()
    _ = try await log.begin()
    try writer.execute("UPDATE track SET name = 'b'")
    let gap = "gap bridged: the database is not in WAL mode"
    #expect(try await log.next()?.lines() == [gap, "update track id=1: name 'a' → 'b'"])
  }

  /// Without the copy, the log of the new file began at its newest version, and did not tell what differs.
  @Test func aCopyOutlivesTheFile() async throws {
    func open(_ name: String) throws -> Database {
      var configuration = Database.Configuration()
      configuration.usesWAL = false
      return try Database(
        path: folder.file(name), access: .readOnly, configuration: configuration)
    }
    for (name, value) in [("rollback.db", "a"), ("other.db", "b")] {
      let writer = try Connection(path: folder.file(name), access: .readWriteCreate)
      try writer.execute(
        script: """
          CREATE TABLE track(id INTEGER PRIMARY KEY, name); INSERT INTO track VALUES (1, '\(value)')
          """)
    }
    var before: ChangeLog.Iterator? = try open("rollback.db").changes().makeAsyncIterator()
    _ = try await before?.begin()
    #expect(rename(folder.file("other.db"), folder.file("rollback.db")) == 0)
    await #expect(throws: DatabaseError.self) { try await before?.next() }
    let reached = before?.version
    before = nil
    var log = try open("rollback.db").changes(since: reached?.snapshot).makeAsyncIterator()
    #expect(try await log.next()?.lines().dropFirst() == ["update track id=1: name 'a' → 'b'"])
    withExtendedLifetime(reached) {}
  }

  @Test func aVersionThatIsLostIsAGap() async throws {
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    try writer.execute("UPDATE track SET name = 'x' WHERE id = 1")
    #expect(try await log.next()?.count == 1)
    try database.suspend()
    try writer.execute("UPDATE track SET name = 'y' WHERE id = 1")
    try database.resume()
    let lost = try #require(try await log.next())
    #expect(lost.gap?.isBridged == false)
    #expect(lost.count == 0)
    try writer.execute("UPDATE track SET name = 'z' WHERE id = 1")
    #expect(try await log.next()?.lines() == ["update track id=1: name 'y' → 'z'"])
  }

  @Test func aLogThatIsResetLosesNothing() async throws {
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    try writer.setBusyTimeout(.zero)
    for number in 0..<5 {
      try writer.execute("UPDATE track SET name = \(number) WHERE id = 1")
      _ = try writer.rows("PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(try await log.next()?.count == 1)
    }
  }
}
