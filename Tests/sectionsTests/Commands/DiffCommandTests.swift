import SQLiteStorage
import Testing

/// `diff` between two databases that begin as the same.
@Suite(.timeLimit(.minutes(10))) struct DiffCommandTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    let script = """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, kind TEXT);
      INSERT INTO t VALUES (1, 'one', 'A'), (2, 'two', 'A'), (3, 'three', 'B');
      CREATE TABLE word(word TEXT PRIMARY KEY, count);
      CREATE VIEW v AS SELECT * FROM t;
      """
    try folder.makeDatabase(script, named: "old.db")
    try folder.makeDatabase(script, named: "new.db")
  }

  private func change(_ script: String) throws {
    try Connection(path: folder.file("new.db"), access: .readWrite).execute(script: script)
  }

  private func diff(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["diff", "old.db", "new.db"] + arguments, in: folder)
  }

  @Test func equalResultsPrintNothing() async throws {
    try await diff("t", "--by", "kind").expect("")
    try await diff("t", "--format", "list").expect("")
    try await Tool.run(["diff", "old.db", "old.db", "v"], in: folder).expect("")
  }

  @Test func changesAreTheEventOfWatch() async throws {
    try change("UPDATE t SET name = 'uno' WHERE id = 1; DELETE FROM t WHERE id = 3")
    try change("UPDATE t SET kind = 'C' WHERE id = 2; INSERT INTO t VALUES (4, 'four', 'C')")
    try await diff("t", "--by", "kind").expect(
      #"{"event":"changes","version":1,"#
        + #""sections":{"delete":[1],"insert":[{"at":1,"section":"C","title":"C"}]},"#
        + #""rows":{"delete":[[1,0],[0,1]],"#
        + #""insert":[{"to":[1,0],"row":{"id":2,"name":"two","kind":"C"}},"#
        + #"{"to":[1,1],"row":{"id":4,"name":"four","kind":"C"}}],"move":[],"#
        + #""update":[{"at":[0,0],"to":[0,0],"row":{"id":1,"name":"uno","kind":"A"}}]}}"# + "\n")
  }

  @Test func rowsWithTheSameNullKeyAreComparedByTheirContent() async throws {
    for name in ["old.db", "new.db"] {
      try folder.makeDatabase(
        """
        CREATE TABLE n(a TEXT PRIMARY KEY, v);
        INSERT INTO n VALUES (NULL, 1), (NULL, 2), ('x', 3);
        """, named: "null-" + name)
    }
    func diff(_ arguments: String...) async throws -> Tool.Result {
      try await Tool.run(["diff", "null-old.db", "null-new.db", "n"] + arguments, in: folder)
    }
    try await diff("--format", "list").expect("")
    try Connection(path: folder.file("null-new.db"))
      .execute("UPDATE n SET v = 4 WHERE v = 2")
    try await diff("--format", "list").expect("= NULL · 2 → 4\n")
    try await diff("--key", "a").expectFailure(65, "two rows have the key NULL in a")
  }

  @Test func theNamesMayBeInAnotherCase() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE T(ID INTEGER PRIMARY KEY, NAME TEXT, Kind TEXT);
      INSERT INTO T VALUES (1, 'one', 'A'), (2, 'zwei', 'A'), (3, 'three', 'B');
      CREATE TABLE WORD(Word TEXT PRIMARY KEY, Count);
      CREATE VIEW V AS SELECT * FROM T;
      """, named: "other.db")
    for arguments in [
      ["t"], ["T", "--columns", "id,name,kind", "--key", "ID", "--sort", "name"],
      ["t", "--by", "kind", "--sort", "id"], ["v", "--where", "ID > 0", "--by", "KIND"],
      ["SELECT * FROM t", "--total", "count(name)"],
    ] {
      for files in [["old.db", "other.db"], ["other.db", "old.db"]] {
        let result = try await Tool.run(["diff"] + files + arguments, in: folder)
        #expect(result.stderr == "", "\(arguments)")
        #expect(result.stdout.contains(files[1] == "other.db" ? "zwei" : "two"), "\(arguments)")
      }
    }
    try await Tool.run(["diff", "old.db", "other.db", "word"], in: folder).expect("")
  }

  @Test func peopleSeeALineForEachChange() async throws {
    try change("UPDATE t SET name = 'uno' WHERE id = 1; UPDATE t SET kind = 'B' WHERE id = 2")
    try change("INSERT INTO t VALUES (4, char(27) || '[1m', 'C'); DELETE FROM t WHERE id = 3")
    try await diff("t", "--by", "kind", "--format", "list").expect(
      """
      + C (1)
      - B: 3 · three · B
      + C: 4 · ␛[1m · C
      > A → B: 2 · two · A → B
      = A: 1 · one → uno · A

      """)
  }

  @Test func aKeyDistinguishesRowsOfAView() async throws {
    try change("INSERT INTO t VALUES (0, 'nought', 'A')")
    try await diff("v", "--key", "id", "--format", "list").expect("+ 0 · nought · A\n")
    try await diff("SELECT id, name FROM t", "--key", "id", "--format", "list")
      .expect("+ 0 · nought\n")
    // Without one a row is what it contains.
    try await diff("v", "--format", "list").expect("+ 0 · nought · A\n")
    try change("UPDATE t SET id = 9 WHERE id = 1")
    try await diff("v", "--key", "name", "--sort", "id", "--format", "list")
      .expect("+ 0 · nought · A\n> 1 → 9 · one · A\n")
    // The view shows the key of its table.
    try await diff("v", "--sort", "id", "--format", "list")
      .expect("- 1 · one · A\n+ 0 · nought · A\n+ 9 · one · A\n")
  }

  @Test func keysMayBeOfAnyKind() async throws {
    try change("INSERT INTO word VALUES ('a', 1)")
    try await diff("word", "--format", "list").expect("+ a · 1\n")
    try await Tool.run(["diff", "new.db", "old.db", "word", "--format", "list"], in: folder)
      .expect("- a · 1\n")
  }

  @Test func otherColumnsAreRefused() async throws {
    try change("ALTER TABLE t ADD COLUMN extra")
    try await diff("t").expectFailure(65, "id, name, kind", "extra", "--columns")
    try await diff("t", "--columns", "id,name").expect("")
  }

  @Test func theDatabaseThatLacksSomethingIsNamed() async throws {
    try change("DROP TABLE word")
    try await diff("word").expectFailure(65, "new.db", "word")
    try await diff("t", "--key", "none").expectFailure(65, "old.db", "none")
    Tool.parse(["diff", "old.db", "new.db", "t", "--format", "csv"]).expectFailure(64, "csv")
    try await Tool.run(["diff", "old.db", "gone.db", "t"], in: folder).expectFailure(66, "gone.db")
  }
}
