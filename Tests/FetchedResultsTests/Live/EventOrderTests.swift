import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Rules 9 to 12: which calls a delegate gets, in which order, and what it sees then.
@Suite struct EventOrderTests {
  private static let store = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT, name TEXT);
    INSERT INTO item VALUES (1, 'A', 'a'), (2, 'A', 'b'), (3, 'B', 'c'), (4, 'C', 'd');
    """

  private func list() throws -> LiveList {
    try LiveList(Self.store, "name", sectionedBy: "section")
  }

  @Test func aBatchIsWillThenSectionsThenRowsThenAllThenDid() throws {
    let list = try list()
    let changes = try list.commit(
      """
      DELETE FROM item WHERE id = 4; INSERT INTO item VALUES (5, 'D', 'e');
      UPDATE item SET section = 'B' WHERE id = 1; UPDATE item SET name = 'bb' WHERE id = 2;
      """)
    #expect(changes.description == "-[2] +[2] -[2,0] +[2,0] [0,0]>[1,0] [0,1]=[0,0]")
    #expect(
      list.recorder.calls == [
        "will", "delete section 2", "insert section 2", "delete(at: [2, 0])",
        "insert(at: [2, 0])", "move(from: [0, 0], to: [1, 0])",
        "update(at: [0, 1], newIndexPath: [0, 0])",
        "-[2] +[2] -[2,0] +[2,0] [0,0]>[1,0] [0,1]=[0,0]", "did",
      ])
  }

  @Test func willSeesTheOldContentAndAllOthersTheNewOne() throws {
    let list = try list()
    try list.commit("DELETE FROM item WHERE id = 3; INSERT INTO item VALUES (9, 'A', 'z')")
    let old = ["\"A\": 1 2", "\"B\": 3", "\"C\": 4"]
    let new = ["\"A\": 1 2 9", "\"C\": 4"]
    #expect(list.recorder.contents.first == old)
    #expect(list.recorder.contents.dropFirst() == ArraySlice(repeating: new, count: 5))
  }

  @Test(arguments: [
    "UPDATE item SET name = name", "UPDATE item SET name = 'a' WHERE id = 1",
    "INSERT INTO item VALUES (7, 'A', 'x'); DELETE FROM item WHERE id = 7",
    "DELETE FROM item WHERE id = 1; INSERT INTO item VALUES (1, 'A', 'a')",
    "SAVEPOINT s; DELETE FROM item; ROLLBACK TO s; RELEASE s",
    "UPDATE item SET section = 'Z'; UPDATE item SET section = substr('AABC', id, 1)",
    "CREATE TABLE other(x); INSERT INTO other VALUES (1)", "CREATE INDEX i ON item(name)",
  ])
  func nothingIsReportedIfNothingChanged(script: String) throws {
    let list = try list()
    #expect(try list.commit(script).isEmpty)
  }

  @Test func aRollbackIsNotReported() throws {
    let list = try list()
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try list.database.write { connection in
        try connection.execute("DELETE FROM item")
        throw Refusal()
      }
    }
    #expect(try list.step().isEmpty)
    // And what comes next is told as if there had been none.
    #expect(try list.commit("DELETE FROM item WHERE id = 2").description == "-[0,1]")
  }

  @Test func severalTransactionsAreOneBatchWithOneEventForARow() throws {
    let list = try list()
    try list.database.run("UPDATE item SET name = 'bb' WHERE id = 2")
    try list.database.run("UPDATE item SET section = 'B' WHERE id = 2")
    try list.database.run("UPDATE item SET name = 'bbb' WHERE id = 2")
    try list.database.run("INSERT INTO item VALUES (8, 'A', 'x')")
    try list.database.run("DELETE FROM item WHERE id = 8")
    #expect(try list.step().description == "[0,1]>[1,0]")
  }

  @Test func oldPlacesAreInOldCoordinatesAndNewOnesInNew() throws {
    let list = try LiveList(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f');
      """, "name")
    let changes = try list.commit(
      """
      DELETE FROM item WHERE id IN (1, 2); INSERT INTO item VALUES (7, 'cc'), (8, 'g');
      UPDATE item SET name = 'h' WHERE id = 4; UPDATE item SET name = 'ee' WHERE id = 5;
      """)
    #expect(changes.description == "-[0,1] -[0,0] +[0,1] +[0,4] [0,3]>[0,5] [0,4]=[0,2]")
  }

  @Test func aProviderWithoutADelegateContinues() throws {
    let database = try Database.store(Self.store)
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "item"))
    try provider.performFetch()
    try database.run("DELETE FROM item WHERE id = 1")
    #expect(try provider.refresh().description == "-[0,0]")
    #expect(try provider.lines() == ["all: 2 3 4"])
  }
}
