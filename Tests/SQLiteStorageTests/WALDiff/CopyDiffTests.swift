import Testing

@testable import SQLiteStorage

/// Rows that differ between two copies of a file, from the pages of both.
@Suite(.timeLimit(.minutes(5))) struct CopyDiffTests {
  private let folder: TestFolder
  private let file: Connection

  init() throws {
    folder = try TestFolder()
    file = try Connection(path: folder.file("store.db"), access: .readWriteCreate)
    try file.execute(
      script: """
        CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, n);
        CREATE INDEX by_name ON track(name);
        CREATE TABLE tag(name TEXT PRIMARY KEY, n) WITHOUT ROWID;
        WITH number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 5000)
        INSERT INTO track SELECT n, hex(randomblob(40)), n FROM number;
        INSERT INTO tag SELECT name, n FROM track WHERE n < 1000;
        """)
  }

  private func copy(_ name: String) throws -> Connection {
    let copy = try Connection(path: folder.file(name), access: .readWriteCreate)
    try file.copy(to: copy)
    try copy.execute("BEGIN")
    _ = try copy.schemaVersion(of: "main")
    return copy
  }

  private func touched(from old: Connection, to new: Connection) throws -> Touched {
    old.touchedRows(at: nil, to: (new, nil))
  }

  @Test func onlyTheRowsOfPagesThatDifferAreTouched() throws {
    let old = try copy("old.db")
    let tag = try #require(try file.value(String.self, "SELECT name FROM tag WHERE n = 7"))
    try file.execute(
      script: """
        UPDATE track SET name = 'x' WHERE id = 2000; DELETE FROM track WHERE id = 4000;
        INSERT INTO track VALUES (9000, hex(zeroblob(20000)), 1); UPDATE tag SET n = 0 WHERE n = 7
        """)
    guard case .rows(let touched) = try touched(from: old, to: copy("new.db")) else {
      Issue.record("the rows are not known")
      return
    }
    #expect(touched.rows(of: "track") == .rowIDs([2000, 4000, 9000]))
    #expect(touched.rows(of: "tag") == .keys([[.text(tag)]]))
  }

  @Test func copiesOfOneVersionHaveNoTouchedRows() throws {
    #expect(try touched(from: copy("old.db"), to: copy("new.db")) == .none)
  }

  @Test func tooManyPagesAreNotCompared() throws {
    let old = try copy("old.db")
    // A page for each row.
    try file.execute(
      "INSERT INTO track(name) SELECT zeroblob(4000) FROM track, (SELECT 1 UNION SELECT 2)")
    #expect(try touched(from: old, to: copy("new.db")) == .unknown(.tooManyPages))
  }
}
