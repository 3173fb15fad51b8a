import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

@Suite(.timeLimit(.minutes(20))) struct IndependentUpdatesTests {
  private let database: Database

  init() throws { database = try Track.store() }

  private func iterator(
    _ second: FetchRequest<Track> = Track.all.filter("genre = 'Jazz'").sorted(by: \.name)
  ) -> IndependentUpdates<Track>.AsyncIterator {
    IndependentUpdates(
      database: database,
      requests: [(Track.all.sorted(by: \.name), .property(\.genre)), (second, nil)]
    ).makeAsyncIterator()
  }

  @Test func theFirstElementIsTheResultsAsTheyAre() async throws {
    var iterator = iterator()
    let first = try #require(try await iterator.next()).map { try $0.get() }
    #expect(try first.map { try $0.new.identities } == [[[4], [5, 1], [2, 3]], [[5, 1]]])
    #expect(first.allSatisfy { $0.old == nil && $0.changes.isEmpty })
  }

  @Test func oneCommitMovesAllResults() async throws {
    var iterator = iterator()
    _ = try await iterator.next()
    try database.run("UPDATE track SET genre = 'Jazz' WHERE id = 4")
    let next = try #require(try await iterator.next()).map { try $0.get() }
    #expect(try next.map { try $0.new.identities } == [[[5, 1, 4], [2, 3]], [[5, 1, 4]]])
    #expect(next[1].changes.description == "+[0,2]")
    #expect(next[0].new.version.snapshot === next[1].new.version.snapshot)
  }

  @Test func aResultThatHasNotChangedIsOfTheSameVersion() async throws {
    var iterator = iterator()
    _ = try await iterator.next()
    try database.run("UPDATE track SET name = 'Z' WHERE id = 3")
    let next = try #require(try await iterator.next()).map { try $0.get() }
    #expect(!next[0].changes.isEmpty)
    #expect(next[1].changes.isEmpty)
    #expect(next[0].new.version.snapshot === next[1].new.version.snapshot)
  }

  @Test func aVersionInWhichNoResultHasChangedIsAnElementToo() async throws {
    var iterator = iterator()
    let first = try #require(try await iterator.next()).map { try $0.get() }
    try database.run("CREATE TABLE other(a)")
    try database.run("INSERT INTO other VALUES (1)")
    let unchanged = try #require(try await iterator.next()).map { try $0.get() }
    #expect(unchanged.allSatisfy { $0.old != nil && $0.changes.isEmpty })
    #expect(unchanged[0].new.version.snapshot !== first[0].new.version.snapshot)
    try database.run("DELETE FROM track WHERE id = 5")
    let next = try #require(try await iterator.next()).map { try $0.get() }
    #expect(next[1].changes.description == "-[0,0]")
  }

  /// A request whose result cannot be read while there is a track named `broken`.
  private var fragile: FetchRequest<Track> {
    Track.all.filter("abs(CASE name WHEN 'broken' THEN -9223372036854775808 ELSE 1 END) = 1")
  }

  @Test func aResultThatCannotBeReadStaysAndTheOthersMove() async throws {
    var iterator = iterator(fragile)
    let first = try #require(try await iterator.next()).map { try $0.get() }
    try database.run("UPDATE track SET name = 'broken' WHERE id = 1")
    let failed = try #require(try await iterator.next())
    #expect(try !failed[0].get().changes.isEmpty)
    #expect((failed[1].error as? DatabaseError)?.message.contains("overflow") == true)
    // The others go on, and the result that failed is tried again.
    try database.run("DELETE FROM track WHERE id = 4")
    let next = try #require(try await iterator.next())
    #expect(try next[0].get().changes.deletedRows.count == 1)
    #expect(next[1].error != nil)
    try database.run("UPDATE track SET name = 'mended' WHERE id = 1")
    let mended = try #require(try await iterator.next()).map { try $0.get() }
    #expect(try mended[1].old?.identities == first[1].new.identities)
    #expect(try mended[1].new.identities == [[1, 2, 3, 5]])
    #expect(mended[0].new.version.snapshot === mended[1].new.version.snapshot)
  }

  @Test func aResultThatCannotBeReadAtFirstFollowsLater() async throws {
    try database.run("UPDATE track SET name = 'broken' WHERE id = 1")
    var iterator = iterator(fragile)
    let failed = try #require(try await iterator.next())
    #expect(try failed[0].get().old == nil)
    #expect(failed[1].error != nil)
    try database.run("DELETE FROM track WHERE id = 4")
    let next = try #require(try await iterator.next())
    #expect(try next[0].get().changes.deletedRows.count == 1)
    #expect(next[1].error != nil)
    try database.run("UPDATE track SET name = 'mended' WHERE id = 1")
    let mended = try #require(try await iterator.next()).map { try $0.get() }
    #expect(mended[0].old != nil && !mended[0].changes.isEmpty)
    #expect(mended[1].old == nil && mended[1].changes.isEmpty)
    #expect(mended[0].new.version.snapshot === mended[1].new.version.snapshot)
  }

  @Test func aResultThatTakesTooLongFails() async throws {
    let endless = SQLFragment<Track>(
      verbatim: """
        id = (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n)
        """)
    var iterator = iterator(Track.all.filter(endless))
    iterator.timeLimit = .milliseconds(50)
    let failed = try #require(try await iterator.next())
    #expect(try failed[0].get().new.numberOfRows == 5)
    #expect((failed[1].error as? DatabaseError)?.resultCode == .interrupted)
  }

  @Test func itEndsWithItsTask() async throws {
    let task = Task { [database] in
      var iterator = IndependentUpdates(
        database: database, requests: [(Track.all, nil)]
      ).makeAsyncIterator()
      _ = try await iterator.next()
      return try await iterator.next() == nil
    }
    task.cancel()
    #expect(try await task.value)
  }
}
