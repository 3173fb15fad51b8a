import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

@Suite(.timeLimit(.minutes(5))) @MainActor struct LatestValueTests {
  private let database: Database

  init() throws { database = try Track.store() }

  @Test func theNewestValueIsShown() async throws {
    let count = LatestValue(0)
    #expect(count.isLoading)
    let task = Task { [database] in
      await count.observe(database) { FetchedValues(database: $0, countOf: Track.all) }
    }
    try await wait { count.value == 5 }
    #expect(!count.isLoading && count.error == nil)
    try await database.write { try $0.execute("DELETE FROM track WHERE id = 1") }
    try await wait { count.value == 4 }
    task.cancel()
    await task.value
  }

  @Test func anErrorIsShownUntilTheValueCanBeRead() async throws {
    let sum = LatestValue<Int?>(nil)
    let task = Task { [database] in
      await sum.observe(database) {
        FetchedValues(database: $0, valueOf: "SELECT sum(n) FROM later", as: Int.self)
      }
    }
    try await wait { sum.error != nil }
    #expect(sum.value == nil && !sum.isLoading)
    try await database.write {
      try $0.execute(script: "CREATE TABLE later(n INTEGER); INSERT INTO later VALUES (3);")
    }
    try await wait { sum.value == 3 }
    #expect(sum.error == nil)
    task.cancel()
    await task.value
  }

  /// The error is over, although the value is the one that was shown before.
  @Test func anErrorEndsWithTheSameValue() async throws {
    let count = LatestValue<Int?>(nil)
    let task = Task { [database] in
      await count.observe(database) {
        FetchedValues(database: $0, valueOf: "SELECT count(*) FROM track", as: Int.self)
      }
    }
    try await wait { count.value == 5 }
    try await database.write { try $0.execute("ALTER TABLE track RENAME TO other") }
    try await wait { count.error != nil }
    #expect(count.value == 5)
    try await database.write { try $0.execute("ALTER TABLE other RENAME TO track") }
    try await wait { count.error == nil }
    #expect(count.value == 5)
    task.cancel()
    await task.value
  }

  @Test func aViewWithoutADatabaseSaysSo() async {
    let count = LatestValue(0)
    await count.observe(nil) { FetchedValues(database: $0, countOf: Track.all) }
    #expect((count.error as? FetchError)?.code == .missingDatabase)
  }
}
