import Testing

@testable import sections

@Suite(.timeLimit(.minutes(5))) struct SchemaCommandTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase(
      """
      CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
      CREATE TABLE part(album INT, number INT, name, length AS (length(name)),
        PRIMARY KEY (number, album)) WITHOUT ROWID;
      CREATE TABLE bare(x);
      CREATE VIEW titles AS SELECT title FROM album;
      CREATE VIRTUAL TABLE words USING fts5(word);
      """)
  }

  private func schema(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["schema", "a.db"] + arguments, in: folder)
  }

  @Test func tablesViewsAndVirtualTablesAreSections() async throws {
    try await schema().expect(
      """
      section\tname\tkey\tcolumns
      Tables\talbum\tid\tid, title
      Tables\tbare\trowid\tx
      Tables\tpart\tnumber, album\talbum, number, name, length
      Views\ttitles\t\ttitle
      Virtual tables\twords\t\tword

      """)
  }

  @Test func aTableIsItsColumns() async throws {
    try await schema("PART", "--format", "table").expect(
      """
      column │ type │  key │ not null │ generated
      ───────┼──────┼──────┼──────────┼──────────
      part (4)
      album  │ INT  │    2 │        1 │         0
      number │ INT  │    1 │        1 │         0
      name   │      │ NULL │        0 │         0
      length │      │ NULL │        0 │         1

      """)
    try await schema("titles", "--format", "ndjson").expect(
      """
      {"section":"titles","row":{"column":"title","type":"TEXT","key":null,"not null":0,"generated":0}}

      """)
  }

  @Test func anEmptyDatabaseHasNothing() async throws {
    try folder.write("", to: "empty.db")
    try await Tool.run(["schema", "empty.db", "--format", "json"], in: folder).expect("[]\n")
  }

  @Test func aViewOfADroppedTableHidesNothing() async throws {
    try folder.makeDatabase(
      "CREATE TABLE t(a); CREATE VIEW v AS SELECT * FROM gone", named: "broken.db")
    try await Tool.run(["schema", "broken.db"], in: folder).expect(
      "section\tname\tkey\tcolumns\nTables\tt\trowid\ta\nViews\tv\t\t\n")
  }
}
