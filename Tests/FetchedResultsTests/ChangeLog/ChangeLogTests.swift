import SQLiteStorage
import Testing

@testable import FetchedResults

/// A change log of a file that another connection writes.
@Suite(.timeLimit(.minutes(5))) struct ChangeLogTests: FollowsFile {
  let file: FollowedFile

  init() throws {
    file = try FollowedFile(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, rating);
      INSERT INTO track VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
      CREATE TABLE tag(name TEXT COLLATE NOCASE, kind INT, note, PRIMARY KEY (name, kind)) WITHOUT ROWID;
      INSERT INTO tag VALUES ('red', 1, NULL), ('blue', 2, x'00ff');
      CREATE TABLE genre(code TEXT PRIMARY KEY, title);
      INSERT INTO genre VALUES ('j', 'Jazz'), ('p', 'Pop'), (NULL, 'none'), (NULL, 'nothing');
      CREATE TABLE note(text);
      INSERT INTO note VALUES ('one'), ('two'), ('two');
      CREATE TABLE hidden(rowid, _rowid_, oid);
      INSERT INTO hidden VALUES (1, 2, 3), (1, 2, 3), (4, 5, 6);
      """)
  }

  private func log(
    _ tables: [String]? = nil, except: [String] = []
  ) throws -> ChangeLog.Iterator {
    try database.changes(tables: tables, except: except, since: database.snapshot())
      .makeAsyncIterator()
  }

  /// The lines of what a script changes.
  private func lines(_ script: String) async throws -> [String] {
    var log = try log()
    try writer.execute(script: script)
    return try #require(try await log.next()).lines()
  }

  @Test func eachRowIsToldWithItsOldAndNewValues() async throws {
    let lines = try await lines(
      """
      BEGIN; UPDATE track SET name = 'B' WHERE id = 2; DELETE FROM track WHERE id = 1;
      INSERT INTO track VALUES (9, NULL, 1.5); COMMIT
      """)
    #expect(
      lines == [
        "delete track id=1: id 1, name 'a', rating 1",
        "update track id=2: name 'b' → 'B'",
        "insert track id=9: id 9, name NULL, rating 1.5",
      ])
  }

  @Test func ownWritesAreToldToo() async throws {
    var log = try log()
    try database.run("UPDATE track SET rating = 5 WHERE id = 3")
    #expect(try await log.next()?.lines() == ["update track id=3: rating 3 → 5"])
    try writer.execute("UPDATE track SET rating = NULL WHERE id = 3")
    #expect(try await log.next()?.lines() == ["update track id=3: rating 5 → NULL"])
  }

  @Test func severalTransactionsAreToldAsTheirNetChanges() async throws {
    var log = try log()
    try writer.execute("INSERT INTO track VALUES (4, 'd', 4)")
    try writer.execute("UPDATE track SET name = 'x' WHERE id = 1")
    try database.run("UPDATE track SET name = 'a' WHERE id = 1")
    try writer.execute("UPDATE track SET name = 'D' WHERE id = 4")
    #expect(try await log.next()?.lines() == ["insert track id=4: id 4, name 'D', rating 4"])
  }

  @Test func aTransactionThatChangesNothingGivesNoElement() async throws {
    var log = try log()
    // While the log waits: it looks again and again at what has changed nothing.
    let path = database.path
    let writing = Task.detached {
      let writer = try Connection(path: path)
      for _ in 0..<50 {
        try writer.execute("UPDATE track SET name = name")
        try writer.execute(script: "BEGIN; DELETE FROM track; ROLLBACK")
      }
      try writer.execute("UPDATE track SET rating = 0 WHERE id = 1")
    }
    #expect(try await log.next()?.lines() == ["update track id=1: rating 1 → 0"])
    try await writing.value
  }

  @Test func aChangedKeyIsADeleteAndAnInsert() async throws {
    #expect(
      try await lines("UPDATE track SET id = 7 WHERE id = 1") == [
        "delete track id=1: id 1, name 'a', rating 1",
        "insert track id=7: id 7, name 'a', rating 1",
      ])
  }

  @Test func aReplacedRowIsAnUpdateOfItsKey() async throws {
    #expect(
      try await lines("REPLACE INTO genre VALUES ('j', 'JAZZ')") == [
        "update genre code='j': title 'Jazz' → 'JAZZ'"
      ])
  }

  @Test func aKeyOfSeveralColumnsIsComparedByItsBytes() async throws {
    #expect(
      try await lines("UPDATE tag SET name = upper(name), note = 1") == [
        "delete tag name='blue',kind=2: name 'blue', kind 2, note x'00ff'",
        "insert tag name='BLUE',kind=2: name 'BLUE', kind 2, note 1",
        "delete tag name='red',kind=1: name 'red', kind 1, note NULL",
        "insert tag name='RED',kind=1: name 'RED', kind 1, note 1",
      ])
    #expect(
      try await lines("UPDATE tag SET note = 'x' WHERE kind = 1") == [
        "update tag name='RED',kind=1: note 1 → 'x'"
      ])
  }

  /// The key tells texts apart that are equal for the column, or the other way round.
  @Test(arguments: [("NOCASE", "BINARY"), ("BINARY", "NOCASE")])
  func aKeyMayHaveAnotherCollationThanItsColumn(_ column: String, _ key: String) async throws {
    try writer.execute(
      script: """
        CREATE TABLE w(code TEXT COLLATE \(column), name, PRIMARY KEY(code COLLATE \(key))) WITHOUT ROWID;
        INSERT INTO w VALUES ('a', 1), ('b', 2);
        """)
    if key == "BINARY" { try writer.execute("INSERT INTO w VALUES ('A', 3)") }
    #expect(
      try await lines("UPDATE w SET name = 9 WHERE code = 'a' COLLATE BINARY") == [
        "update w code='a': name 1 → 9"
      ])
    #expect(
      try await lines("UPDATE w SET code = 'B' WHERE code = 'b' COLLATE BINARY").sorted() == [
        "delete w code='b': code 'b', name 2", "insert w code='B': code 'B', name 2",
      ])
    if key == "BINARY" {
      #expect(
        try await lines("DELETE FROM w WHERE code = 'A' COLLATE BINARY") == [
          "delete w code='A': code 'A', name 3"
        ])
    }
  }

  @Test func rowsWithNullInTheirKeyArePairedByTheirContent() async throws {
    #expect(
      try await lines("UPDATE genre SET title = 'none' WHERE title = 'nothing'") == [
        "update genre code=NULL: title 'nothing' → 'none'"
      ])
  }

  @Test func aTableWithoutAKeyHasItsRowidAsKey() async throws {
    #expect(
      try await lines("UPDATE note SET text = 'zwei' WHERE rowid = 2") == [
        "update note rowid=2: text 'two' → 'zwei'"
      ])
  }

  @Test func rowsWhoseRowidIsHiddenAreMatchedByTheirContent() async throws {
    #expect(
      try await lines("UPDATE hidden SET oid = 4 WHERE oid = 3") == [
        "delete hidden : rowid 1, _rowid_ 2, oid 3", "delete hidden : rowid 1, _rowid_ 2, oid 3",
        "insert hidden : rowid 1, _rowid_ 2, oid 4", "insert hidden : rowid 1, _rowid_ 2, oid 4",
      ])
  }

  @Test func onlyTheNamedTablesAreTold() async throws {
    var named = try log(["TRACK"])
    var others = try log(except: ["Track"])
    try writer.execute(
      script: """
        BEGIN; UPDATE track SET rating = 9 WHERE id = 1; DELETE FROM note WHERE text = 'one';
        COMMIT
        """)
    #expect(try await named.next()?.tableNames == ["track"])
    #expect(try await others.next()?.tableNames == ["note"])
  }

  @Test(arguments: ["nothing", "shown", "words"])
  func whatIsNoTableCannotBeNamed(_ name: String) async throws {
    try writer.execute(
      script: "CREATE VIEW shown AS SELECT 1; CREATE VIRTUAL TABLE words USING fts5(text)")
    var log = try log([name])
    await #expect(throws: FetchError.self) { try await log.next() }
  }

  @Test func virtualTablesAreNamedOnce() async throws {
    try writer.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    var log = try log()
    try writer.execute(
      script: """
        BEGIN; INSERT INTO words VALUES ('x'); UPDATE track SET rating = 0 WHERE id = 1; COMMIT
        """)
    let first = try #require(try await log.next())
    #expect(first.omittedTables == ["words"])
    #expect(try first.lines() == ["update track id=1: rating 1 → 0"])
    try writer.execute("UPDATE track SET rating = 1 WHERE id = 1")
    #expect(try await log.next()?.omittedTables == [])
    try writer.execute("CREATE VIRTUAL TABLE others USING fts5(text)")
    let created = try #require(try await log.next())
    #expect(created.omittedTables == ["others"])
    #expect(try created.lines() == ["created table others"])
  }

  @Test func generatedColumnsAreLeftOut() async throws {
    try writer.execute(
      script: """
        CREATE TABLE sum(a INTEGER PRIMARY KEY, b, c AS (b + 1), d AS (b + 2) STORED);
        INSERT INTO sum VALUES (1, 2)
        """)
    #expect(try await lines("UPDATE sum SET b = 3") == ["update sum a=1: b 2 → 3"])
  }

  @Test func theFirstElementCanLeadFromAnotherFile() async throws {
    let path = folder.file("saved.db")
    try writer.execute("VACUUM INTO \(path)")
    try writer.execute("UPDATE track SET rating = 0 WHERE id = 1")
    let saved = try Database(path: path, access: .readOnly)
    var log = try database.changes(since: saved.snapshot()).makeAsyncIterator()
    let first = try #require(try await log.next())
    #expect(first.gap?.isBridged == true)
    #expect(try first.lines().dropFirst() == ["update track id=1: rating 1 → 0"])
  }

  @Test func rowsAreReadFromTheirVersionsLater() async throws {
    var log = try log()
    try writer.execute("UPDATE track SET name = 'x' WHERE id = 1")
    let first = try #require(try await log.next())
    try writer.execute("UPDATE track SET name = 'y' WHERE id = 1")
    let second = try #require(try await log.next())
    try writer.execute("DROP TABLE track")
    #expect(try first.lines() == ["update track id=1: name 'a' → 'x'"])
    #expect(try second.lines() == ["update track id=1: name 'x' → 'y'"])
  }

  /// A record of the table `track`.
  struct Song: Codable, FetchableRecord, Equatable {
    var id: Int
    var name: String
    static let recordDescription = RecordDescription(table: "track", key: \Song.id)
  }

  @Test func recordsAreToldAsTheyWereAndAsTheyAre() async throws {
    var log = try database.changes(of: Song.self, since: database.snapshot()).makeAsyncIterator()
    try writer.execute("DELETE FROM genre")
    try writer.execute(
      script:
        "BEGIN; UPDATE track SET name = 'x' WHERE id = 1; DELETE FROM track WHERE id = 2; COMMIT")
    let changes = try #require(try await log.next())
    #expect(try changes.map { try $0.old } == [Song(id: 1, name: "a"), Song(id: 2, name: "b")])
    #expect(try changes.map { try $0.new } == [Song(id: 1, name: "x"), nil])
    try writer.execute("UPDATE track SET name = NULL WHERE id = 1")
    let broken = try #require(try await log.next()?.first)
    #expect(try broken.old == Song(id: 1, name: "x"))
    #expect(throws: DatabaseError.self) { try broken.new }
  }

  @Test func recordsWhoseColumnsAreNotThereAreAnErrorAtOnce() async throws {
    struct Rated: Codable, FetchableRecord {
      var id: Int
      var ratingCount: Int
      static let recordDescription = RecordDescription(table: "track", key: \Rated.id)
    }
    struct Listed: FetchableRecord {
      var id: Int
      var count: Int
      static let recordDescription = RecordDescription(
        table: "track", key: \.id, making: Listed.init, Column("id", \.id),
        Column("ratingCount", \.count))
    }
    try writer.execute("ALTER TABLE track ADD COLUMN rating_count")
    var coded = database.changes(of: Rated.self).makeAsyncIterator()
    var error = await #expect(throws: FetchError.self) { try await coded.next() }
    #expect(error?.code == .noSuchColumn)
    #expect(error?.nextStep?.contains(".snakeCase") == true)
    var listed = database.changes(of: Listed.self).makeAsyncIterator()
    error = await #expect(throws: FetchError.self) { try await listed.next() }
    #expect(error?.nextStep == "There is rating_count")
  }

  @Test func aFileThatIsCopiedIsLeftToItsWritersForLonger() async throws {
    var pinned = try log()
    try writer.execute("UPDATE track SET rating = 0 WHERE id = 1")
    _ = try await pinned.next()
    #expect(pinned.pauseEnd == nil)

    let path = folder.file("rollback.db")
    try writer.execute("VACUUM INTO \(path)")
    let other = try Connection(path: path, access: .readWrite)
    _ = try other.rows("PRAGMA journal_mode = DELETE")
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    var log = try Database(path: path, configuration: configuration).changes().makeAsyncIterator()
    _ = try await log.begin()
    for rating in 1...2 {
      try other.execute("UPDATE track SET rating = \(rating) WHERE id = 3")
      let start = ContinuousClock.now
      #expect(try await log.next()?.count == 1)
      let end = ContinuousClock.now
      let pauseEnd = try #require(log.pauseEnd)
      let (pause, step) = (pauseEnd - end, end - start)
      #expect(pause > .zero && pause < step * 4)
    }
  }

  @Test func aCancelledLogEnds() async throws {
    let task = Task { [database] in
      var log = database.changes().makeAsyncIterator()
      return try await log.next() == nil
    }
    task.cancel()
    #expect(try await task.value)
  }
}
