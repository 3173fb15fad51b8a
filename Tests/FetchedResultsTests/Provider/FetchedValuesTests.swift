import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Single values as sequences.
@Suite(.timeLimit(.minutes(5))) struct FetchedValuesTests {
  private let database: Database

  init() throws { database = try Track.store() }

  @Test func aCountIsReportedWhenItDiffers() async throws {
    var counts = FetchedValues(
      database: database, countOf: Track.all.filter("id > 1").sorted(by: \.name)
    ).makeAsyncIterator()
    #expect(try await counts.next() == 4)
    // Another row, and another order of the same rows.
    try database.run("UPDATE track SET name = 'A' WHERE id = 5; DELETE FROM track WHERE id = 1")
    try Database(path: database.path).run("DELETE FROM track WHERE id = 2")
    #expect(try await counts.next() == 3)
    try database.run("DELETE FROM track")
    #expect(try await counts.next() == 0)
  }

  @Test func aCountEndsAtTheLimit() async throws {
    var counts = FetchedValues(database: database, countOf: Track.all.limited(to: 3))
      .makeAsyncIterator()
    #expect(try await counts.next() == 3)
    try database.run("DELETE FROM track WHERE id < 4")
    #expect(try await counts.next() == 2)
  }

  @Test func aCountNeedsNoTotals() async throws {
    try database.run("UPDATE track SET milliseconds = \(Int64.max)")
    var counts = FetchedValues(
      database: database, countOf: Track.all.totals(.sum(\.milliseconds))
    ).makeAsyncIterator()
    #expect(try await counts.next() == 5)
  }

  @Test func aRecordIsFollowedByItsKey() async throws {
    var records = FetchedValues(database: database, record: Track.self, key: 2).makeAsyncIterator()
    #expect(try await records.next() == .some(.some(try #require(try track(2)))))
    try database.run(
      "UPDATE track SET name = 'other' WHERE id = 3; UPDATE track SET name = 'new' WHERE id = 2")
    #expect(try await records.next()??.name == "new")
    try database.run("DELETE FROM track WHERE id = 2")
    #expect(try await records.next() == .some(nil))
    try database.run("INSERT INTO track VALUES (2, 'again', NULL, 1)")
    #expect(try await records.next()??.name == "again")
  }

  @Test func aRecordThatIsMissingAtFirstIsFollowed() async throws {
    var records = FetchedValues(database: database, record: Track.self, key: 9).makeAsyncIterator()
    #expect(try await records.next() == .some(nil))
    try database.run("INSERT INTO track VALUES (9, 'late', NULL, 1)")
    #expect(try await records.next()??.name == "late")
  }

  @Test func aRecordIsMaintainedByItsKey() throws {
    var request = Track.all
    request.identity = RowIdentity(.integer(2))
    let provider = try FetchedResultsProvider(database: database, request: request)
    #expect(try provider.fetchedLines() == ["all: 2"])
    #expect(provider.maintenance == .touchedRows)
  }

  @Test func aRecordIsFoundUnderTheCollationOfItsKey() throws {
    let store = try Database.store(
      """
      CREATE TABLE item(code TEXT, name TEXT, PRIMARY KEY(code COLLATE NOCASE));
      INSERT INTO item VALUES ('AB', 'one'), ('C', 'two');
      """)
    var request = FetchRequest(table: "item")
    request.identity = "ab"
    let provider = try FetchedResultsProvider(database: store, request: request)
    try provider.performFetch()
    #expect(provider.fetchedObjects?.map { $0["name"] } == ["one"])
    try store.run("UPDATE item SET name = 'new' WHERE code = 'AB'")
    #expect(try provider.refresh().description == "[0,0]=[0,0]")
  }

  @Test func aKeyWithTooManyValuesIsAnError() async throws {
    var records = FetchedValues(database: database, record: Track.self, key: 2, 3)
      .makeAsyncIterator()
    let error = await #expect(throws: FetchError.self) { try await records.next() }
    #expect(error?.code == .invalidKey)
  }

  @Test func theValueOfASelectIsReportedWhenItDiffers() async throws {
    let genre = "Rock"
    var sums = FetchedValues(
      database: database, valueOf: "SELECT sum(milliseconds) FROM track WHERE genre = \(genre)",
      as: Int.self
    ).makeAsyncIterator()
    #expect(try await sums.next() == .some(300))
    // Two changes with the same sum, and one of another genre.
    try database.run(
      """
      UPDATE track SET milliseconds = milliseconds + 1 WHERE id = 2;
      UPDATE track SET milliseconds = milliseconds - 1 WHERE id = 3;
      DELETE FROM track WHERE id = 1;
      """)
    try database.run("UPDATE track SET milliseconds = 500 WHERE id = 2")
    #expect(try await sums.next() == .some(599))
    try database.run("DELETE FROM track WHERE genre = 'Rock'")
    #expect(try await sums.next() == .some(nil))
  }

  @Test func anInterpolatedValueIsNoSQL() async throws {
    let name = "x' OR 1 --"
    var counts = FetchedValues(
      database: database, valueOf: "SELECT count(*) FROM track WHERE name = \(name)", as: Int.self
    ).makeAsyncIterator()
    #expect(try await counts.next() == .some(0))
  }

  @Test func aSelectThatIsWrongIsAnError() async throws {
    var values = FetchedValues(
      database: database, valueOf: "SELECT nonsense FROM track", as: Int.self
    )
    .makeAsyncIterator()
    await #expect(throws: DatabaseError.self) { try await values.next() }
  }

  @Test func aSequenceEndsWhenItsTaskIsCancelled() async throws {
    let task = Task { [database] in
      var counts: [Int] = []
      for try await count in FetchedValues(database: database, countOf: Track.all) {
        counts.append(count)
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return counts
    }
    #expect(try await task.value == [5])
  }

  private func track(_ id: Int64) throws -> Track? {
    try database.read { try $0.fetchOne(Track.self, id) }
  }
}
