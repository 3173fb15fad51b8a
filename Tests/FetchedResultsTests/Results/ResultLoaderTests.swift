import SQLiteStorage
import Testing

@testable import FetchedResults

/// How often a request is compiled.
struct ResultLoaderTests {
  private func plan(_ loader: ResultLoader<Track>) throws -> QueryPlan {
    try loader.database.read { try loader.plan(in: $0) }
  }

  @Test func aRequestIsCompiledOnceForEachSchema() throws {
    let store = try Track.store()
    let loader = ResultLoader(database: store, request: Track.all.sorted(by: \.name))
    try loader.validate()
    let plan = try plan(loader)
    #expect(try self.plan(loader) === plan)
    #expect(try loader.fetch(isTracked: true).version.source.plan === plan)
    try store.run("DELETE FROM track WHERE id = 1")
    #expect(try loader.fetch(isTracked: true).version.source.plan === plan)
    try store.run("CREATE INDEX track_name ON track(name)")
    let indexed = try loader.fetch(isTracked: true).version.source.plan
    #expect(indexed !== plan)
    #expect(indexed.precedingRows != nil)
  }

  @Test func aProviderCompilesItsRequestOnce() throws {
    let provider = try FetchedResultsProvider(database: try Track.store(), request: Track.all)
    let plan = try plan(provider.fetch)
    try provider.performFetch()
    #expect(provider.content?.version.source.plan === plan)
  }

  @Test func withAttachedFilesItIsCompiledEachTime() throws {
    let store = try Database.store(Track.sample) {
      $0.prepareConnection = { try $0.execute("ATTACH ':memory:' AS other") }
    }
    let loader = ResultLoader(database: store, request: Track.all)
    #expect(try plan(loader) !== plan(loader))
  }
}
