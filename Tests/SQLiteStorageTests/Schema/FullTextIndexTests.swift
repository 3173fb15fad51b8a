import Testing

@testable import SQLiteStorage

@Suite("The description of a full-text index")
struct FullTextIndexTests {
  @Test(
    "reads the table of the texts, however it is spelled",
    arguments: [
      ("CREATE VIRTUAL TABLE i USING fts5(a, content='t', content_rowid='id')", "t", "id"),
      ("create virtual table i using FTS5(a,content=t,content_rowid = id)", "t", "id"),
      (
        "CREATE VIRTUAL TABLE \"using\"\n USING/**/fts5 (a, Content = \"a \"\"t\")", "a \"t",
        "rowid"
      ),
      ("CREATE VIRTUAL TABLE i USING [fts5](content, a, content='')", "", "rowid"),
      ("CREATE VIRTUAL TABLE i USING fts5(content, content_rowid UNINDEXED)", nil, "rowid"),
      ("CREATE VIRTUAL TABLE i USING fts5(a, tokenize='content = x', content=t)", "t", "rowid"),
    ])
  func content(_ definition: String, _ content: String?, _ rowID: String) throws {
    let index = try #require(FullTextIndex("i", definition: definition))
    #expect(index.content == content)
    #expect(index.contentRowID == rowID)
  }

  @Test(
    "is nothing for other tables",
    arguments: [
      "", "CREATE TABLE fts5(a)", "CREATE VIRTUAL TABLE i USING fts4(content='t')",
      "CREATE VIRTUAL TABLE i USING", "CREATE VIRTUAL TABLE i",
    ])
  func others(_ definition: String) {
    #expect(FullTextIndex("i", definition: definition) == nil)
  }

  @Test("is found in its schema")
  func schema() throws {
    let connection = try TestConnection(
      """
      CREATE TABLE t(a); CREATE TABLE u(a);
      CREATE TABLE keyed(k PRIMARY KEY, a) WITHOUT ROWID; CREATE VIEW v AS SELECT rowid AS n, a FROM t;
      CREATE VIRTUAL TABLE i USING fts5(a, content=T); CREATE VIRTUAL TABLE own USING fts5(a);
      CREATE VIRTUAL TABLE j USING fts5(a, content=keyed);
      CREATE VIRTUAL TABLE k USING fts5(a, content=v, content_rowid=N);
      CREATE VIRTUAL TABLE l USING fts5(a, content=u, content_rowid=id);
      """
    ).connection
    let indexes = try connection.fullTextIndexes(in: "main")
    #expect(indexes.map(\.name) == ["i", "j", "k", "l", "own"])
    let indexed = try connection.tables().filter { table in
      indexes.contains { $0.indexes(table) }
    }
    #expect(indexed.map(\.name) == ["t", "v"])
  }
}
