import FetchedResults
import TableData
import Testing

@MainActor
struct CachedPagesSamples {
  struct Post: Codable, Identifiable, FetchableRecord {
    let id: Int64
    let title: String

    static let recordDescription = RecordDescription(table: "post", key: \Post.id)
  }

  /// A server of the posts 1 to 5, the newest first, two in each answer.
  struct Server {
    func posts(before cursor: Int64?) async throws -> [Post] {
      let newest = (cursor ?? 6) - 1
      return (max(1, newest - 1)..<max(1, newest + 1)).reversed().map {
        Post(id: $0, title: "Post \($0)")
      }
    }
  }

  /// The posts of a store, and the pages that are loaded into it.
  private func open(
    _ database: Database
  ) throws -> (FetchedResultsProvider<Post>, PagingDataProvider<FetchedResultsProvider<Post>>) {
    let server = Server()
    let posts = try FetchedResultsProvider(
      database: database, request: Post.all.sorted(by: \.id, .descending))
    try posts.performFetch()

    let count = posts.fetchedObjects?.count ?? 0
    let oldest = count == 0 ? nil : try posts.object(at: [0, count - 1]).id
    let paging = try PagingDataProvider(
      posts, cursors: oldest.map { [.end: $0] } ?? [:],
      store: { (page: LoadedPage<Post, Int64>, _) in
        try database.write { try $0.upsert(page.items) }
        try posts.refresh()
      },
      load: { request in
        let page = try await server.posts(before: request.cursor)
        return LoadedPage(page, cursor: page.last?.id)
      })
    return (posts, paging)
  }

  private func load(_ paging: PagingDataProvider<FetchedResultsProvider<Post>>) async {
    paging.load(.end)
    while paging.status(at: .end)?.state == .loading { await Task.yield() }
  }

  @Test func pagesAreWrittenToTheStoreAndShownFromThere() async throws {
    let database = try Database.inMemory()
    try await database.write { connection in
      try connection.execute("CREATE TABLE post(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
    }
    // The store is opened again each time.
    for expected in [[5, 4], [5, 4, 3, 2], [5, 4, 3, 2, 1]] as [[Int64]] {
      let (posts, paging) = try open(database)
      paging.start()
      await load(paging)
      #expect(posts.fetchedObjects?.map(\.id) == expected)
      #expect(paging.status(at: .end)?.state == .ready)
      if expected.count == 5 {
        await load(paging)
        #expect(paging.status(at: .end)?.state == .finished)
      }
    }
  }
}
