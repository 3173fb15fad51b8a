import FetchedResults
import SQLiteStorage
import Testing

struct SQLFragmentTests {
  private func ids(_ request: FetchRequest<Track>) throws -> [Int64]? {
    let provider = try FetchedResultsProvider(database: try Track.store(), request: request)
    try provider.performFetch()
    return provider.fetchedObjects?.map(\.id)
  }

  @Test func valuesOfEveryTypeMayBeInterpolated() throws {
    let genre: String? = nil
    let request = Track.all.filter(
      "\(\.genre) IS \(genre) AND \(\.milliseconds) > \(1.5) AND \(true) AND \(Value.integer(4)) = id"
    )
    #expect(try ids(request) == [4])
  }

  @Test func anInterpolatedTextNeverBecomesSQL() throws {
    let attack = "' OR 1 = 1 --"
    #expect(try ids(Track.all.filter("name = \(attack)")) == [])
    #expect(try ids(Track.all.filter("name = ?", attack)) == [])
    #expect(try ids(Track.all.filter("name = :n").with(parameters: ["n": .text(attack)])) == [])
  }

  @Test func aFragmentMadeAtRunTimeTakesItsArgumentsInOrder() throws {
    let fragment = SQLFragment<Track>(sql: "id BETWEEN ? AND ?", arguments: [2, 3])
    #expect(try ids(Track.all.filter(fragment)) == [2, 3])
    #expect(try ids(Track.all.filter(SQLFragment(sql: "id > ? AND id < ?"), 1, 4)) == [2, 3])
  }

  @Test func propertiesBecomeQuotedColumns() throws {
    let fragment: SQLFragment<Track> = "\(\.milliseconds) / \(\.id) >= \(100)"
    #expect(try ids(Track.all.filter(fragment)) == [1, 2, 4, 5])
  }
}
