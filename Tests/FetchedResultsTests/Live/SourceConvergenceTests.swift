import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Other writers and other sources than one table.
@Suite struct SourceConvergenceTests {
  private static let store = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT, name TEXT);
    INSERT INTO item VALUES (1, 'A', 'a'), (2, 'A', 'b'), (3, 'B', 'c');
    """

  private func list() throws -> LiveList {
    try LiveList(Self.store, "name", sectionedBy: "section")
  }

  // MARK: Other writers

  @Test func anotherConnectionIsSeen() throws {
    let list = try list()
    let other = try Database(path: list.database.path)
    try other.run("DELETE FROM item WHERE id = 2; INSERT INTO item VALUES (4, 'C', 'd')")
    #expect(try list.step().description == "+[2] -[0,1] +[2,0]")
    try other.run("UPDATE item SET name = 'x' WHERE id = 1")
    #expect(try list.step().description == "[0,0]=[0,0]")
  }

  @Test func ownAndOthersCommitsInOneBatchAreSeen() throws {
    let list = try list()
    let other = try Database(path: list.database.path)
    for round in 0..<6 {
      try list.database.run("INSERT INTO item VALUES (\(10 + round), 'A', 'own')")
      try other.run("UPDATE item SET name = 'r\(round)' WHERE id = 3")
      try list.database.run("DELETE FROM item WHERE id = \(9 + round)")
      let changes = try list.step()
      #expect((changes.insertedRows.count, changes.updatedRows.count) == (1, 1))
    }
  }

  @Test(.enabled(if: OtherProcess.isThere)) func anotherProcessIsSeen() async throws {
    let list = try list()
    let path = list.database.path
    #expect(try await OtherProcess.run("UPDATE item SET section = 'B' WHERE id = 1", on: path) == 0)
    #expect(try list.step().description == "[0,0]>[1,0]")
    // Both in one batch.
    try list.database.run("INSERT INTO item VALUES (5, 'B', 'z')")
    #expect(try await OtherProcess.run("DELETE FROM item WHERE id = 3", on: path) == 0)
    try list.database.run("INSERT INTO item VALUES (6, 'B', 'zz')")
    #expect(try list.step().description == "-[1,1] +[1,1] +[1,2]")
  }

  @Test func anothersCheckpointIsSilent() throws {
    let list = try list()
    // The log cannot be cut while a snapshot is held: then it is not waited for.
    var configuration = Database.Configuration()
    configuration.busyTimeout = .zero
    let other = try Database(path: list.database.path, configuration: configuration)
    for mode in ["PASSIVE", "FULL", "TRUNCATE"] {
      try list.commit("UPDATE item SET name = '\(mode)' WHERE id = 2")
      try other.withWriter { _ = try $0.rows(SQL(verbatim: "PRAGMA wal_checkpoint(\(mode))")) }
      #expect(try list.step().isEmpty)
    }
    #expect(try list.commit("DELETE FROM item WHERE id = 1").rowCount == 1)
  }

  // MARK: Other sources

  @Test func aJoinedTablesChangeIsSeen() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE genre(id INTEGER PRIMARY KEY, label TEXT);
        CREATE TABLE item(id INTEGER PRIMARY KEY, genre INTEGER, name TEXT);
        INSERT INTO genre VALUES (1, 'Jazz'), (2, 'Rock');
        INSERT INTO item VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 2, 'c'), (4, 3, 'd');
        """),
      FetchRequest(
        select: """
          SELECT item.id, label, name FROM item LEFT JOIN genre ON genre.id = genre
          """, key: ["id"]
      ).sorted(by: \Row["name"]), sectionedBy: .property(\Row["label"]))
    #expect(list.provider.maintenance != .touchedRows)
    #expect(
      try list.commit("UPDATE genre SET label = 'Pop' WHERE id = 2").description
        == "-[2] +[2] -[2,1] -[2,0] +[2,0] +[2,1]")
    #expect(try list.commit("DELETE FROM genre WHERE id = 1").description == "-[1] -[1,0] +[0,0]")
    #expect(
      try list.commit("INSERT INTO genre VALUES (3, 'Pop')").description == "[0,1]>[1,2]")
    #expect(list.provider.sections.map(\.numberOfRows) == [1, 3])
    #expect(try list.commit("UPDATE item SET genre = 2").description == "-[0] -[0,0] +[0,0]")
  }

  @Test func aTableInAConditionIsSeen() throws {
    let list = try LiveList(
      try .store("\(Self.store) CREATE TABLE chosen(item); INSERT INTO chosen VALUES (1), (3);"),
      FetchRequest(table: "item").filter("id IN (SELECT item FROM chosen)"))
    #expect(list.provider.maintenance != .touchedRows)
    #expect(
      try list.commit("UPDATE chosen SET item = 2 WHERE item = 1").description == "-[0,0] +[0,0]")
  }

  @Test func aViewIsSeen() throws {
    let list = try LiveList(
      try .store(
        "\(Self.store) CREATE VIEW v AS SELECT id, upper(name) AS name FROM item WHERE id > 1;"),
      FetchRequest(table: "v", key: ["id"]).sorted(by: \Row["name"]))
    #expect(try list.commit("UPDATE item SET name = 'B' WHERE id = 2").isEmpty)
    #expect(try list.commit("UPDATE item SET name = 'z' WHERE id = 2").description == "[0,0]>[0,1]")
    #expect(
      try list.commit(
        "DROP VIEW v; CREATE VIEW v AS SELECT id, upper(name) AS name FROM item WHERE id > 2"
      ).description == "-[0,1]")
  }

  @Test func aSelectWithoutAKeyIsSeenRowByRow() throws {
    let list = try LiveList(
      try .store(Self.store),
      FetchRequest(
        select: "SELECT section, count(*) AS n FROM item GROUP BY section ORDER BY section"))
    #expect(try list.commit("INSERT INTO item VALUES (4, 'C', 'd')").description == "+[0,2]")
    #expect(try list.commit("DELETE FROM item WHERE id = 2").description == "[0,0]=[0,0]")
    #expect(try list.commit("UPDATE item SET name = 'q'").isEmpty)
    #expect(try list.commit("DELETE FROM item").description == "-[0,2] -[0,1] -[0,0]")
  }

  @Test func aViewWithoutAKeyIsSeen() throws {
    let list = try LiveList(
      try .store("\(Self.store) CREATE VIEW v AS SELECT DISTINCT section FROM item;"),
      FetchRequest(table: "v").sorted(by: \Row["section"]))
    #expect(try list.commit("INSERT INTO item VALUES (4, 'C', 'd')").description == "+[0,2]")
    #expect(try list.commit("INSERT INTO item VALUES (5, 'C', 'd')").isEmpty)
  }

  // MARK: Attached files

  private func attached() throws -> (list: LiveList, folder: TestFolder) {
    let folder = try TestFolder()
    let path = folder.file("attached.sqlite")
    let database = try Database.store("") {
      $0.prepareConnection = { try $0.execute(SQL(verbatim: "ATTACH '\(path)' AS side")) }
    }
    let store = Self.store.replacing("TABLE item", with: "TABLE side.item")
    try database.run(store.replacing("INTO item", with: "INTO side.item"))
    return (
      try LiveList(
        database, FetchRequest(table: "item").sorted(by: \Row["name"]),
        sectionedBy: .property(\Row["section"])), folder
    )
  }

  @Test func anAttachedTableIsSeen() throws {
    let (list, folder) = try attached()
    defer { withExtendedLifetime(folder) {} }
    #expect(list.isFast)
    #expect(try list.commit("DELETE FROM item WHERE id = 2").description == "-[0,1]")
    let other = try Database(path: folder.file("attached.sqlite"))
    try other.run("INSERT INTO item VALUES (7, 'A', 'b')")
    #expect(try list.step().description == "+[0,1]")
  }

  @Test func theSchemaOfAnAttachedFileMayChange() throws {
    let (list, folder) = try attached()
    defer { withExtendedLifetime(folder) {} }
    let change = try list.commit("ALTER TABLE side.item ADD COLUMN year INTEGER")
    #expect(change == .reset(oldSectionCount: 2, newSectionCount: 2))
    try list.database.run("DROP TABLE side.item")
    let error = #expect(throws: FetchError.self) { try list.provider.refresh() }
    #expect(error?.code == .noSuchTable)
    let made = try list.commit(
      "CREATE TABLE side.item(id INTEGER PRIMARY KEY, section TEXT, name TEXT, year INTEGER)")
    #expect(made.description == "-[1] -[0] -[1,0] -[0,1] -[0,0]")
  }
}
