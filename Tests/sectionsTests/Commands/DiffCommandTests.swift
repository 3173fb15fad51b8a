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
    try await diff("t", "--format", "csv").expectFailure(64, "csv")
    try await Tool.run(["diff", "old.db", "gone.db", "t"], in: folder).expectFailure(66, "gone.db")
  }
}
