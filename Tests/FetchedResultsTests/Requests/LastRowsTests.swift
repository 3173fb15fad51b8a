import FetchedResults
import SQLiteStorage
import TableData
import Testing

/// `limited(toLast:)`: the last rows, in the order of the request. The random suites use it too.
struct LastRowsTests {
  private static let newest = Track.all.sorted(by: \.milliseconds)

  private func provider(
    _ store: Database, _ count: Int
  ) throws -> FetchedResultsProvider<Track> {
    let provider = try FetchedResultsProvider(
      database: store, request: Self.newest.limited(toLast: count))
    try provider.performFetch()
    return provider
  }

  @Test func theLastRowsAreShownInOrder() throws {
    for (count, expected) in [(2, [4, 5]), (0, []), (9, [3, 2, 1, 4, 5])] as [(Int, [Int64])] {
      let provider = try provider(Track.store(), count)
      #expect(provider.fetchedObjects?.map(\.id) == expected)
      try provider.expectConsistent()
    }
  }

  @Test func aNewRowAtTheEndPushesOutTheFirst() throws {
    let store = try Track.store()
    let provider = try provider(store, 3)
    try store.write { try $0.execute("INSERT INTO track VALUES (6, 'New', NULL, 600)") }
    let changes = try provider.refresh()
    #expect("\(changes)" == "-[0,0] +[0,2]")
    #expect(try provider.fetchedLines() == ["all: 4 5 6"])
    try store.write { try $0.execute("DELETE FROM track WHERE id IN (5, 6)") }
    #expect("\(try provider.refresh())" == "-[0,2] -[0,1] +[0,0] +[0,1]")
    #expect(try provider.fetchedLines() == ["all: 2 1 4"])
    try provider.expectConsistent()
  }

  @Test func earlierRowsAppearAtTheTop() throws {
    let provider = try provider(Track.store(), 2)
    let changes = try provider.setRequest(Self.newest.limited(toLast: 4))
    #expect("\(changes)" == "+[0,0] +[0,1]")
    #expect(try provider.fetchedLines() == ["all: 2 1 4 5"])
  }

  @Test func theyAreReadOnceToo() throws {
    try Track.store().read { (connection) throws in
      let last = Self.newest.limited(toLast: 2)
      #expect(try connection.fetchAll(last).map(\.id) == [4, 5])
      #expect(try connection.fetchOne(last)?.id == 4)
      #expect(try connection.fetchCount(last) == 2)
      let all = Self.newest.limited(toLast: 100).where { $0.genre == "Rock" }
      #expect(try connection.fetchAll(all).map(\.id) == [3, 2])
      #expect(try connection.fetchCount(all) == 2)
      #expect(try connection.fetchOne(Self.newest.limited(toLast: 0)) == nil)
    }
  }

  @Test func theFirstRowsAreTheLastOnes() async throws {
    let provider = try provider(Track.store(), 3)
    try await provider.performFetch(showingFirst: 1)
    #expect(try provider.fetchedLines() == ["all: 1 4 5"])
  }

  @Test func totalsAreThoseOfTheRowsShown() throws {
    let store = try Track.store()
    let provider = try FetchedResultsProvider(
      database: store,
      request: Self.newest.limited(toLast: 3).totals(.count, .sum(\.milliseconds)))
    try provider.performFetch()
    #expect(provider.totals?.values == [3, 1_200])
    try store.write { try $0.execute("UPDATE track SET milliseconds = 450 WHERE id = 3") }
    try provider.refresh()
    #expect(provider.totals?.values == [3, 1_350])
    try provider.expectConsistent()
  }
}
