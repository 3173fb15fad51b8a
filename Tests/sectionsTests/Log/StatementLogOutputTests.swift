import SQLiteStorage
import Testing

/// `log --format sql`: the transactions make a copy of the old version the new one, as `sqlite3 copy.db` runs them.
@Suite(.timeLimit(.minutes(10))) struct StatementLogOutputTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Makes a database and a copy, changes the database, and runs what the log prints on the copy.
  ///
  /// - Returns: what was printed.
  @discardableResult
  private func replay(
    _ schema: String, _ changes: String, enforcingForeignKeys isEnforced: Bool = false,
    _ arguments: String...
  ) async throws -> [String] {
    try folder.makeDatabase(schema, named: "copy.db", journalMode: "WAL")
    try folder.makeDatabase(schema, journalMode: "WAL")
    let file = try Connection(path: folder.file("a.db"))
    try file.transaction { try file.execute(script: changes) }
    let result = try await Tool.run(
      ["log", "a.db", "--since", "copy.db", "--format", "sql", "--count", "1"] + arguments,
      in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    let copy = try Connection(path: folder.file("copy.db"))
    try copy.execute(SQL(verbatim: "PRAGMA foreign_keys = \(isEnforced)"))
    try copy.execute(script: result.stdout)
    let schemaRows: SQL = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    #expect(try copy.rows(schemaRows) == file.rows(schemaRows))
    let names = try file.tables().filter { $0.kind == .table }.map(\.name)
    for name in names {
      let rows: SQL = "SELECT * FROM \(identifier: name) ORDER BY 1"
      #expect(try copy.rows(rows) == file.rows(rows), "\(name)")
    }
    return result.lines
  }

  private static let users = """
    CREATE TABLE user(id INTEGER PRIMARY KEY, mail TEXT UNIQUE COLLATE NOCASE, n);
    INSERT INTO user VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
    """

  @Test func rowsThatExchangeAUniqueValueAreDeletedAndInserted() async throws {
    let lines = try await replay(
      Self.users,
      """
      UPDATE user SET mail = NULL; UPDATE user SET mail = 'B' WHERE id = 1;
      UPDATE user SET mail = 'c' WHERE id = 2; UPDATE user SET mail = 'd' WHERE id = 3;
      """)
    #expect(
      lines == [
        "BEGIN;", #"DELETE FROM "user" WHERE "id" = 1;"#, #"DELETE FROM "user" WHERE "id" = 2;"#,
        #"UPDATE "user" SET "mail" = 'd' WHERE "id" = 3;"#,
        #"INSERT INTO "user"("id", "mail", "n") VALUES (1, 'B', 1);"#,
        #"INSERT INTO "user"("id", "mail", "n") VALUES (2, 'c', 2);"#, "COMMIT;",
      ])
  }

  @Test func aUniqueValueThatNoOtherRowHadIsUpdated() async throws {
    let lines = try await replay(Self.users, "UPDATE user SET mail = upper(mail), n = n + 1")
    #expect(lines.count == 5 && lines[1].hasPrefix("UPDATE"), "\(lines)")
  }

  @Test func valuesOfAnExpressionOrAPartOfTheRowsAreExchanged() async throws {
    try await replay(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, isGone);
      CREATE UNIQUE INDEX sums ON t(a + b); CREATE UNIQUE INDEX present ON t(a) WHERE NOT isGone;
      INSERT INTO t VALUES (1, 1, 10, 0), (2, 1, 20, 1), (3, 3, 30, 0);
      """,
      """
      UPDATE t SET b = NULL; UPDATE t SET b = 20 WHERE id = 1; UPDATE t SET b = 10 WHERE id = 2;
      UPDATE t SET isGone = 1 WHERE id = 1; UPDATE t SET isGone = 0 WHERE id = 2;
      """)
  }

  @Test func triggersOfTheCopyDoNotFire() async throws {
    try await replay(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a);
      CREATE TABLE audit(id INTEGER PRIMARY KEY, what UNIQUE);
      CREATE TRIGGER told AFTER INSERT ON t BEGIN INSERT INTO audit(what) VALUES (new.a); END;
      CREATE TRIGGER counted AFTER INSERT ON audit BEGIN UPDATE t SET a = a || '.' WHERE id = 1; END;
      INSERT INTO t VALUES (1, 'x');
      """, "INSERT INTO t VALUES (2, 'y'), (3, 'z')")
  }

  /// Their rows are not in the log.
  @Test func triggersThatWriteOnlyWhatIsLeftOutFire() async throws {
    let schema = """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a);
      CREATE VIRTUAL TABLE words USING fts5(a, content = 't', content_rowid = 'id');
      CREATE TRIGGER indexed AFTER INSERT ON t BEGIN
        INSERT INTO words(rowid, a) VALUES (new.id, new.a); END;
      CREATE TABLE cache(id, a); CREATE TABLE audit(a);
      CREATE TRIGGER cached AFTER INSERT ON t BEGIN
        INSERT OR IGNORE INTO cache SELECT new.id, new.a; END;
      CREATE TRIGGER told AFTER INSERT ON cache BEGIN INSERT INTO audit VALUES (new.a); END;
      """
    let lines = try await replay(
      schema, "INSERT INTO t VALUES (1, 'blue'), (2, 'green')", enforcingForeignKeys: false,
      "--except", "cache")
    #expect(lines.filter { $0.contains("TRIGGER") }.allSatisfy { $0.contains("told") }, "\(lines)")
    let copy = try Connection(path: folder.file("copy.db"))
    #expect(try copy.value(Int.self, "SELECT rowid FROM words WHERE words MATCH 'green'") == 2)
  }

  @Test func foreignKeysOfTheCopyHaveNoEffect() async throws {
    try await replay(
      """
      CREATE TABLE parent(id INTEGER PRIMARY KEY, name UNIQUE);
      CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent(id) ON DELETE CASCADE);
      INSERT INTO parent VALUES (1, 'a'), (2, 'b'); INSERT INTO child VALUES (1, 1), (2, 2);
      """,
      """
      UPDATE parent SET name = NULL; UPDATE parent SET name = 'b' WHERE id = 1;
      UPDATE parent SET name = 'a' WHERE id = 2;
      INSERT INTO parent VALUES (3, 'c'); INSERT INTO child VALUES (3, 3);
      """, enforcingForeignKeys: true)
  }

  @Test func viewsAreDroppedAndMadeAgainWithTheirTriggers() async throws {
    try await replay(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY);
      CREATE VIEW v AS SELECT 1 AS one; CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN SELECT 1; END;
      CREATE VIEW w AS SELECT 1 AS one; CREATE TRIGGER u INSTEAD OF INSERT ON w BEGIN SELECT 1; END;
      CREATE TRIGGER d AFTER DELETE ON a BEGIN DELETE FROM b; END; INSERT INTO a VALUES (1), (2);
      """,
      """
      DROP TABLE b; DROP VIEW v; DROP VIEW w; CREATE VIEW w AS SELECT 2 AS one;
      CREATE TRIGGER u INSTEAD OF INSERT ON w BEGIN SELECT 1; END;
      DROP TRIGGER d; DELETE FROM a WHERE id = 1; CREATE TABLE c(id INTEGER PRIMARY KEY, n);
      CREATE TRIGGER e AFTER INSERT ON c BEGIN INSERT INTO a VALUES (new.id); END;
      INSERT INTO c VALUES (7, 7);
      """)
  }
}
