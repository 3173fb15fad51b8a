import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

/// A paged list whose pages are written to the store, and shown from there.
struct PagedStoreTests {
  struct Post: Codable, Identifiable, Hashable, FetchableRecord {
    let id: Int64
    let day: Int
    var text: String

    static let recordDescription = RecordDescription(table: "post", key: \Post.id)
  }

  typealias Provider = PagingDataProvider<FetchedResultsProvider<Post>>

  let database: Database
  let posts: FetchedResultsProvider<Post>
  let paging: Provider
  let harness: ProviderHarness<Provider, String>

  init() throws {
    let database = try Database.inMemory()
    try database.write { connection in
      try connection.execute(
        "CREATE TABLE post(id INTEGER PRIMARY KEY, day INTEGER NOT NULL, text TEXT NOT NULL)")
    }
    let posts = try FetchedResultsProvider(
      database: database, request: Post.all.sorted(by: \.id), sectionedBy: \.day)
    try posts.performFetch()
    self.database = database
    self.posts = posts
    paging = try PagingDataProvider(
      posts, edges: [.start, .end],
      store: { (page: LoadedPage<Post, Int64>, _) in
        try database.write { try $0.upsert(page.items) }
        try posts.refresh()
      },
      load: { request in
        let cursor = request.cursor ?? 0
        if cursor % 7 == 5 { return LoadedPage([], cursor: cursor + 1, isLast: false) }
        // Pages overlap, and what is loaded again has another text.
        let ids = request.edge == .end ? cursor - 1..<cursor + 3 : -cursor - 3..<(-cursor + 1)
        return LoadedPage(
          ids.map { Post(id: $0, day: Int($0 / 5), text: "of \(cursor)") }, cursor: cursor + 3,
          isLast: cursor > 30)
      })
    paging.loadsAutomatically = false
    harness = try ProviderHarness(
      paging,
      id: { item in
        if let post = item as? Post { return "\(post.id)" }
        return "\((item as? PageStatus)?.edge ?? .start)"
      }, isUnchanged: { "\($0)" == "\($1)" })
    harness.allowsReinsertedRows = true
    // Several changes of the store and of a status are one batch.
    harness.requiresMinimalChanges = false
    harness.observe()
  }

  private func stored() throws -> [Post] {
    try database.read { try $0.fetchAll(Post.all.sorted(by: \.id)) }
  }

  private func shown() throws -> [Post] {
    try (0..<paging.numberOfSections).flatMap { section in
      try (0..<(try paging.numberOfRows(inSection: section))).compactMap { row in
        try paging.itemForRow(at: [section, row]) as? Post
      }
    }
  }

  @Test func aPageAndItsStatusAreOneBatch() async throws {
    paging.load(.end)
    await paging.deliverNext()
    try harness.checkObserved()
    #expect(
      harness.batches.map(\.description) == [
        "[1,0]=[1,0]", "+[1] +[1,0] +[1,1] +[1,2] +[1,3] [1,0]=[2,0]",
      ])
    #expect(try shown().map(\.id) == [-1, 0, 1, 2])
  }

  @Test func aPageThatCannotBeWrittenIsLoadedAgain() async throws {
    try await database.write { connection in
      try connection.execute(
        script: """
          CREATE TRIGGER full BEFORE INSERT ON post WHEN NEW.id = 1
          BEGIN SELECT RAISE(ABORT, 'the store is full'); END;
          """)
    }
    paging.load(.end)
    await paging.deliverNext()
    guard case .failed(let message) = paging.status(at: .end)?.state else {
      Issue.record("\(String(describing: paging.status(at: .end)))")
      return
    }
    #expect(message.contains("the store is full"))
    // All or none.
    #expect(try stored().isEmpty)
    try await database.write { try $0.execute("DROP TRIGGER full") }
    paging.load(.end)
    await paging.deliverNext()
    #expect(try stored().count == 4)
    try harness.checkObserved()
  }

  @Test func rowsAreDeletedFromTheStore() async throws {
    paging.load(.end)
    await paging.deliverNext()
    let source = try #require(paging as (any EditableDataProvider)?)
    try source.removeRow(at: [1, 0])
    try await posts.refresh()
    #expect(try stored().map(\.id) == [0, 1, 2])
    try harness.checkObserved()
  }

  /// Pages at both ends, writes of others, and deletes: the list is that of the store.
  @Test(arguments: SeededGenerator.seeds(10))
  func randomPagesAndWritesAreFollowed(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    for step in 0..<30 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1, 2:
        let edge: PageEdge = Bool.random(using: &generator) ? .start : .end
        paging.load(edge)
        if Int.random(in: 0..<5, using: &generator) == 0 { paging.cancel(edge) }
        await paging.deliverNext()
      case 3:
        let id = Int64.random(in: -20..<20, using: &generator)
        try await database.write {
          try $0.upsert(Post(id: id, day: Int(id / 5), text: "step \(step)"))
        }
        try await posts.refresh()
      case 4:
        let id = Int64.random(in: -20..<20, using: &generator)
        try await database.write { try $0.execute("DELETE FROM post WHERE id % 10 = \(id)") }
        try await posts.refresh()
      default:
        try await database.write {
          try $0.execute("UPDATE post SET day = day + 1 WHERE id % 3 = 0")
        }
        try await posts.refresh()
      }
      do {
        try harness.checkObserved()
        try paging.checkInvariants()
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        return
      }
      let shown = try shown()
      #expect(Set(shown) == Set(try stored()), "seed \(seed), step \(step)")
      #expect(shown.count == Set(shown.map(\.id)).count, "seed \(seed), step \(step)")
    }
  }
}
