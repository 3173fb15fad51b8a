import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Rules 23 and 24: errors, and what a delegate does while it is told of changes.
@Suite struct ErrorAndNestingTests {
  private func list() throws -> LiveList {
    try LiveList(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO item VALUES (1, 'a'), (2, 'b'), (3, 'c');
      """, "name")
  }

  // MARK: 23

  @Test func afterAnErrorTheContentIsUnchangedAndTheNextSuccessContinuesFromIt() throws {
    let list = try list()
    try list.database.run("DROP TABLE item")
    for _ in 0..<2 {
      let error = #expect(throws: FetchError.self) { try list.provider.refresh() }
      #expect(error?.code == .noSuchTable)
      #expect(list.recorder.calls.isEmpty)
      try list.harness.checkNothingChanged()
    }
    let changes = try list.commit(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO item VALUES (2, 'b'), (3, 'x'), (4, 'd');
      """)
    #expect(changes.description == "-[0,0] +[0,1] [0,2]=[0,2]")
  }

  @Test(arguments: [
    "SELECT id, name FROM item", "WITH i AS (SELECT * FROM main.item) SELECT * FROM i",
    "SELECT other.id, name FROM other JOIN item USING (id)",
    "SELECT id, (SELECT name FROM item WHERE id = other.id) AS name FROM other",
    "SELECT id, 'a' AS name FROM other WHERE id IN (SELECT id FROM item)",
    "SELECT id, 'a' AS name FROM other ORDER BY (SELECT max(name) FROM item)",
  ])
  func aTableThatIsDroppedUnderASelectIsNamed(select: String) throws {
    let store = try Database.store(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE other(id INTEGER PRIMARY KEY)"
    )
    let list = try LiveList(store, FetchRequest(select: SQL(verbatim: select), key: ["id"]))
    try list.database.run("DROP TABLE item")
    let error = #expect(throws: FetchError.self) { try list.provider.refresh() }
    #expect(error?.code == .noSuchTable)
    #expect(error?.message == "there is no table or view item")
    #expect(error?.nextStep == "The database has: other")
  }

  @Test func aTableThatIsDroppedUnderAConditionIsNamed() throws {
    let store = try Database.store(
      "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE other(id INTEGER PRIMARY KEY)"
    )
    let list = try LiveList(
      store, FetchRequest(table: "item").filter("id IN (SELECT id FROM other)"))
    try list.database.run("DROP TABLE other")
    let error = #expect(throws: FetchError.self) { try list.provider.refresh() }
    #expect(error?.message == "there is no table or view other")
  }

  @Test func keysThatAreNotUniqueAnyMoreAreAnError() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(code TEXT, name TEXT);
        INSERT INTO item VALUES ('a', 'n1'), ('b', 'n2');
        """), FetchRequest(select: "SELECT * FROM item", key: ["code"]))
    try list.database.run("INSERT INTO item VALUES ('a', 'n3')")
    let error = #expect(throws: FetchError.self) { try list.provider.refresh() }
    #expect(error?.code == .invalidKey)
    #expect(
      try list.commit("DELETE FROM item WHERE name = 'n1'").description == "[0,0]=[0,0]")
  }

  @Test func keysGivenForATableMustStayUniqueToo() throws {
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE item(code TEXT, name TEXT);
        INSERT INTO item VALUES ('a', 'n1'), ('b', 'n2');
        """), FetchRequest(table: "item", key: ["code"]))
    try list.database.run("INSERT INTO item VALUES ('a', 'n3')")
    let error = #expect(throws: FetchError.self) { try list.provider.refresh() }
    #expect(error?.code == .invalidKey)
    #expect(
      try list.commit("DELETE FROM item WHERE name = 'n1'").description == "[0,0]=[0,0]")
  }

  @Test func keysGivenForATableMustNotBecomeNullTwice() throws {
    let request = FetchRequest(table: "item", key: ["code"])
    let store = """
      CREATE TABLE item(code TEXT, name TEXT); INSERT INTO item VALUES ('a', 'n1'), ('b', 'n2');
      """
    let list = try LiveList(try .store(store), request)
    try list.database.run("INSERT INTO item VALUES (NULL, 'n3'), (NULL, 'n4')")
    let error = #expect(throws: FetchError.self) { try list.provider.refresh() }
    #expect(error?.code == .invalidKey)
    #expect(try list.commit("UPDATE item SET code = 'c' WHERE name = 'n3'").rowCount == 2)
    // Unless such rows are left out.
    let filtered = try LiveList(try .store(store), request.filter("code NOTNULL"))
    #expect(
      try filtered.commit("UPDATE item SET code = NULL WHERE name = 'n1'").description == "-[0,0]")
  }

  @Test func computedSectionsAreCarriedFromVersionToVersion() throws {
    let database = try Track.store()
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.initial)
    let recorder = Recorder<Track>()
    provider.delegate = recorder
    #expect(try provider.fetchedLines() == ["\"A\": 5 2", "\"B\": 1", "\"C\": 4", "\"Z\": 3"])
    try database.run("INSERT INTO track VALUES (6, 'Bell', 'Rock', 3), (7, 'Yes', 'Pop', 4)")
    #expect(try provider.refresh().description == "+[3] +[1,0] +[3,0]")
    #expect(
      try provider.lines() == ["\"A\": 5 2", "\"B\": 6 1", "\"C\": 4", "\"Y\": 7", "\"Z\": 3"])
    try database.run("UPDATE track SET name = 'Ask' WHERE id = 1")
    #expect(try provider.refresh().description == "[1,1]>[0,2]")
  }

  // MARK: 24

  @Test func aWriteInDidIsTheNextBatch() throws {
    let list = try list()
    list.recorder.onDid = { provider in
      guard provider.fetchedObjects?.count ?? 0 > 1 else { return }
      try provider.database.run("DELETE FROM item WHERE id = (SELECT max(id) FROM item)")
    }
    try list.database.run("UPDATE item SET name = 'z' WHERE id = 1")
    #expect(try list.provider.refresh().description == "[0,0]>[0,2]")
    #expect(try list.provider.lines() == ["all: 2 3 1"])
    #expect(try list.provider.refresh().description == "-[0,1]")
  }

  @Test(arguments: [true, false])
  func aFetchInDidNeverNestsAndIsReported(isRefresh: Bool) throws {
    let list = try list()
    list.recorder.onDid = { provider in
      guard provider.fetchedObjects?.count ?? 0 > 1 else { return }
      try provider.database.run("DELETE FROM item WHERE id = (SELECT max(id) FROM item)")
      if isRefresh {
        #expect(try provider.refresh().isEmpty)
      } else {
        try provider.performFetch()
      }
      // Not yet.
      #expect(try provider.lines() == list.recorder.contents.last)
    }
    try list.database.run("DELETE FROM item WHERE id = 1")
    #expect(try list.provider.refresh().description == "-[0,0]")
    #expect(
      list.recorder.calls == [
        "will", "delete(at: [0, 0])", "-[0,0]", "did",
        "will", "delete(at: [0, 1])", "-[0,1]", "did",
      ])
    #expect(list.recorder.contents.last == ["all: 2"])
    #expect(list.recorder.contents[4] == ["all: 2 3"])
    #expect(list.recorder.errors.isEmpty)
    list.recorder.onDid = nil
    #expect(try list.provider.refresh().isEmpty)
  }

  @Test func anErrorOfAFetchInDidIsReported() throws {
    let list = try list()
    list.recorder.onDid = { provider in
      try provider.database.run("DROP TABLE item")
      try provider.performFetch()
    }
    try list.database.run("DELETE FROM item WHERE id = 1")
    try list.provider.refresh()
    #expect((list.recorder.errors.first as? FetchError)?.code == .noSuchTable)
    #expect(list.recorder.errors.count == 1)
    #expect(try list.provider.lines() == ["all: 2 3"])
  }

  @Test func aFetchOutsideOfABatchIsSilent() throws {
    let list = try list()
    try list.database.run("DELETE FROM item WHERE id = 1")
    try list.provider.performFetch()
    #expect(list.recorder.calls.isEmpty)
    #expect(try list.provider.lines() == ["all: 2 3"])
    #expect(try list.provider.refresh().isEmpty)
  }
}
