import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Lists without a key: an event for what the list shows otherwise, and none for anything else.
@Suite struct ContentMatchTests {
  /// A hundred rows with different titles, of which the first in each order is row 1.
  private static let hundred = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT, n INTEGER);
    WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 100)
    INSERT INTO t SELECT x, printf('title %03d', x), x % 7 FROM i;
    """

  private func list(
    _ script: String = hundred, _ select: String = "SELECT title, n FROM t", by sort: String? = nil,
    sectionedBy section: SectionKey<Row>? = nil
  ) throws -> LiveList {
    let request = FetchRequest(select: SQL(verbatim: select))
    return try LiveList(
      try .store(script), sort.map { request.sorted(by: \Row[$0]) } ?? request,
      sectionedBy: section)
  }

  @Test(arguments: [nil, "title"])
  func theFirstOfAHundredRowsIsOneEvent(sort: String?) throws {
    let list = try list(by: sort)
    #expect(try list.commit("DELETE FROM t WHERE id = 1").description == "-[0,0]")
    #expect(try list.commit("INSERT INTO t VALUES (1, 'title 001', 1)").description == "+[0,0]")
  }

  @Test func oneDeletedRowOfAThousandIsOneEvent() throws {
    let list = try list(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT, n INTEGER);
      WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 1000)
      INSERT INTO t SELECT x, 'title ' || (x % 40), x % 3 FROM i;
      """, by: "title")
    #expect(try list.commit("DELETE FROM t WHERE id = 500").rowCount == 1)
  }

  @Test func aRowThatMovesInTheScanButNotInTheListIsNoEvent() throws {
    let list = try list(by: "title")
    #expect(try list.commit("UPDATE t SET id = 1000 WHERE id = 12").isEmpty)
    #expect(try list.commit("UPDATE t SET id = -5 WHERE id = 90").isEmpty)
  }

  @Test func aRowThatMovesInAnUnsortedListIsOneMove() throws {
    let list = try list()
    #expect(
      try list.commit("UPDATE t SET id = 1000 WHERE id = 12").description == "[0,11]>[0,99]")
  }

  @Test func rowsThatChangePlacesWithTheirTwinsAreNoEvent() throws {
    let list = try list(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT, n INTEGER);
      INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 2), (3, 'a', 1), (4, 'a', 2), (5, 'b', NULL);
      """, by: "title")
    // What the file has is a ring: each row is where another one was.
    #expect(try list.commit("UPDATE t SET n = 3 - n; UPDATE t SET id = -id WHERE n").isEmpty)
    #expect(
      try list.commit("DELETE FROM t WHERE id = -4; INSERT INTO t VALUES (-9, 'a', 1)").isEmpty)
  }

  @Test func aRowWithAnotherContentAtItsPlaceIsAnUpdate() throws {
    let list = try list(by: "title")
    let identity = try list.provider.identity(at: [0, 49])
    #expect(try list.commit("UPDATE t SET n = NULL WHERE id = 50").description == "[0,49]=[0,49]")
    #expect(try list.provider.indexPath(forIdentity: identity) == [0, 49])
    #expect(
      try list.commit("UPDATE t SET title = 'z' WHERE id = 50").description == "-[0,49] +[0,99]")
    #expect(try list.provider.indexPath(forIdentity: identity) == nil)
  }

  @Test func aRowKeepsItsIdentityWhereverItStands() throws {
    let list = try list()
    let identity = try list.provider.identity(at: [0, 49])
    try list.commit("DELETE FROM t WHERE id < 10")
    #expect(try list.provider.indexPath(forIdentity: identity) == [0, 40])
    try list.commit("UPDATE t SET id = 500 WHERE id = 50")
    #expect(try list.provider.indexPath(forIdentity: identity) == [0, 90])
    try list.set(list.request.sorted(by: \Row["title"]))
    #expect(try list.provider.indexPath(forIdentity: identity) == [0, 40])
    try list.commit("DELETE FROM t WHERE id = 500")
    #expect(try list.provider.indexPath(forIdentity: identity) == nil)
  }

  @Test func whatIsNotShownIsNoEvent() throws {
    let list = try list()
    try list.set(list.request.columns(["title"]))
    #expect(try list.commit("UPDATE t SET n = n + 1").isEmpty)
  }

  @Test func aWindowThatShowsTheSameHasNoEvent() throws {
    let list = try list(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, title, n); INSERT INTO t(title) VALUES "
        + "('p'), ('a'), ('q'), ('r'), ('a'), ('s'), ('t')")
    try list.set(list.request.limited(to: 1, offset: 1))
    #expect(try list.commit("DELETE FROM t WHERE id IN (1, 2, 4)").isEmpty)
    #expect(try list.provider.object(at: [0, 0])["title"] == "a")
  }

  @Test func aRowThatMovesToAnotherSectionIsOneMove() throws {
    let list = try list(
      Self.hundred, "SELECT * FROM t", by: "title", sectionedBy: .property(\Row["n"]))
    try list.set(list.request.columns(["title"]), sectionedBy: list.sectionKey)
    #expect(try list.commit("UPDATE t SET n = 2 WHERE id = 7").description == "[0,0]>[2,1]")
  }

  @Test func anotherRequestOfTheSameColumnsIsCompared() throws {
    let list = try list()
    #expect(try list.set(list.request.filter("title > 'title 002'")).description == "-[0,1] -[0,0]")
    #expect(try list.set(FetchRequest(select: "SELECT title, n FROM t")).rowCount == 2)
    let other = try list.set(FetchRequest(select: "SELECT title FROM t"))
    #expect(other == .reset(oldSectionCount: 1, newSectionCount: 1))
  }

  @Test func anotherConnectionsCommitIsOneEventToo() throws {
    let list = try list()
    let other = try Database(path: list.database.path)
    try other.run("DELETE FROM t WHERE id = 1")
    #expect(try list.step().description == "-[0,0]")
  }

  @Test func aConditionComparesAsTheColumnDoes() throws {
    let list = try list(Self.hundred, "SELECT id, title FROM t")
    // An integer column takes '7' for 7.
    try list.set(list.request.filter("id = '7'"))
    #expect(list.provider.fetchedObjects?.map { $0["title"] } == ["title 007"])
  }
}
