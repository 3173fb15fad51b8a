import FetchedResults
import SQLiteStorage
import Testing

/// A request is checked without being fetched.
struct FetchRequestCheckingTests {
  private static let wrong: [(FetchRequest<Track>, SectionKey<Track>?, String)] = [
    (Track.all.filter("titel = 1"), nil, "no such column: titel"),
    (Track.all.filter("name = ("), nil, "the SQL ends too early"),
    (Track.all.filter("id = :id"), nil, "the parameter :id has no value"),
    (Track.all.totals(.sum("nope")), nil, "no such column: nope"),
    (Track.all, .expression("nope"), "no such column: nope"),
    // What a list may not call.
    (Track.all.filter("random() > 0"), nil, "random"),
  ]

  @Test(arguments: wrong.indices) func itThrowsWhatTheFirstFetchWouldThrow(number: Int) throws {
    let (request, sectionKey, message) = Self.wrong[number]
    let database = try Track.store()
    let error = #expect(throws: (any Error).self) {
      try request.check(in: database, sectionedBy: sectionKey)
    }
    #expect("\(try #require(error))".contains(message), "\(error as Any)")
    let fetched = #expect(throws: (any Error).self) {
      try FetchedResultsProvider(
        database: database, request: request, sectionedBy: sectionKey
      ).performFetch()
    }
    #expect("\(try #require(fetched))" == "\(try #require(error))")
  }

  @Test func aCorrectRequestIsAccepted() throws {
    let database = try Track.store("UPDATE track SET milliseconds = 'unknown';")
    try Track.all.sorted(by: \.name).totals(.sum(\.milliseconds))
      .check(in: database, sectionedBy: .property(\.genre))
    try Track.all.check(in: database, sectionedBy: \.genre)
  }
}
