import Testing

@testable import FetchedResults
@testable import SQLiteStorage

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

  /// The versions of a storm are copies, and another process may change the schema meanwhile.
  @Test func aRequestIsCompiledForTheSchemaOfAPrivateCopy() throws {
    let folder = try TestFolder()
    let database = try Database(path: folder.file("copies.sqlite"))
    try database.run("CREATE TABLE item(id INTEGER PRIMARY KEY, name, extra)")
    let loader = ResultLoader(database: database, request: FetchRequest<Row>(table: "item"))
    func columns() throws -> [String] {
      let snapshot = try database.snapshot()
      try snapshot.leaveFile { try database.configuration.privateCopy(of: $0, at: snapshot.stamp) }
      let version = try loader.fetch(from: snapshot, isTracked: true).version
      return version.source.plan.parts.columns.map(\.name)
    }
    #expect(try columns() == ["id", "name", "extra"])
    try database.run("ALTER TABLE item DROP COLUMN extra")
    #expect(try columns() == ["id", "name"])
  }

  @Test func withAttachedFilesItIsCompiledEachTime() throws {
    let store = try Database.store(Track.sample) {
      $0.prepareConnection = { try $0.execute("ATTACH ':memory:' AS other") }
    }
    let loader = ResultLoader(database: store, request: Track.all)
    #expect(try plan(loader) !== plan(loader))
  }
}
