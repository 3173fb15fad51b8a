import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// What the property wrappers of SwiftUI keep, with the database that the view has before each body.
@Suite(.timeLimit(.minutes(5))) @MainActor struct ObservedInViewTests {
  private let database: Database
  private let other: Database

  init() throws {
    database = try Track.store()
    other = try Track.store("DELETE FROM track WHERE id > 2")
  }

  private func makeList() -> ObservedList<Track> {
    ObservedList(FetchedList(request: Track.all, sectionedBy: nil))
  }

  private let count = ObservedValue<Int>.Source(id: 0, first: 0) {
    FetchedValues(database: $0, countOf: Track.all)
  }

  @Test func aListFollowsTheDatabaseOfItsView() async throws {
    let observed = makeList()
    observed.observe(database) { $0() }
    try await wait { observed.list.rows.count == 5 }
    let first = observed.list
    observed.observe(database) { $0() }
    #expect(observed.list === first)
    first.request = Track.all.filter("id <> 1")
    observed.observe(other) { $0() }
    #expect(observed.list.isLoading)
    try await wait { observed.list.rows.count == 1 }
    try other.run("INSERT INTO track VALUES (9, 'Nine', NULL, 9)")
    try await wait { observed.list.rows.count == 2 }
    // The first one is not observed any more. It would change together with another list of its database.
    let witness = makeList()
    witness.observe(database) { $0() }
    try await wait { witness.list.rows.count == 5 }
    try database.run("DELETE FROM track")
    try await wait { witness.list.rows.isEmpty }
    #expect(first.rows.count == 4)
  }

  @Test func aListWithoutADatabaseGetsOne() async throws {
    let observed = makeList()
    observed.observe(nil) { $0() }
    try await wait { (observed.list.error as? FetchError)?.code == .missingDatabase }
    observed.observe(database) { $0() }
    try await wait { observed.list.rows.count == 5 }
    #expect(observed.list.error == nil)
    observed.observe(nil) { $0() }
    try await wait { (observed.list.error as? FetchError)?.code == .missingDatabase }
  }

  @Test func aValueFollowsTheDatabaseOfItsView() async throws {
    let observed = ObservedValue(0)
    observed.observe(database, count) { $0() }
    try await wait { observed.latest.value == 5 }
    let first = observed.latest
    observed.observe(database, count) { $0() }
    #expect(observed.latest === first)
    observed.observe(other, count) { $0() }
    #expect(observed.latest.isLoading)
    try await wait { observed.latest.value == 2 }
    try other.run("DELETE FROM track WHERE id = 1")
    try await wait { observed.latest.value == 1 }
  }

  @Test func aValueWithoutADatabaseGetsOne() async throws {
    let observed = ObservedValue(0)
    observed.observe(nil, count) { $0() }
    try await wait { (observed.latest.error as? FetchError)?.code == .missingDatabase }
    observed.observe(database, count) { $0() }
    try await wait { observed.latest.value == 5 }
    #expect(observed.latest.error == nil)
  }

  @Test func aValueWithAnotherSourceBeginsAnew() async throws {
    let observed = ObservedValue(0)
    observed.observe(database, count) { $0() }
    try await wait { observed.latest.value == 5 }
    let jazz = ObservedValue<Int>.Source(id: 1, first: 7) {
      FetchedValues(database: $0, countOf: Track.all.filter("genre = 'Jazz'"))
    }
    observed.observe(database, jazz) { $0() }
    #expect(observed.latest.value == 7)
    try await wait { observed.latest.value == 2 }
  }
}
