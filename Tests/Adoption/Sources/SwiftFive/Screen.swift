import FetchedResults

// The screen of the README, in Swift 5 mode.

struct Track: FetchableRecord {
  let id: Int64
  let name: String
  let genre: String?

  static let recordDescription = RecordDescription(
    table: "track", key: \.id, making: { Track(id: $0, name: $1, genre: $2) },
    Column("id", \.id), Column("name", \.name), Column("genre", \.genre))
}

@MainActor final class Screen {
  let provider: FetchedResultsProvider<Track>
  let list: FetchedList<Track>
  private(set) var batches: [TableChanges] = []
  private let wakeUp: AsyncStream<Void>.Continuation

  init(_ database: Database, _ wakeUp: AsyncStream<Void>.Continuation) throws {
    self.wakeUp = wakeUp
    provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    list = FetchedList(database: database, request: Track.all.sorted(by: \.name))
    provider.delegate = self
    try provider.performFetch()
    provider.startObserving()
    try list.fetch()
  }
}

extension Screen: @MainActor FetchedResultsProviderDelegate {
  func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
    batches.append(changes)
    wakeUp.yield()
  }
}

@main struct SwiftFive {
  @MainActor static func main() async throws {
    let database = try Database.inMemory()
    try await database.write { connection in
      try connection.execute("CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT)")
      try connection.insert(Track(id: 1, name: "Blue", genre: "Jazz"))
    }
    let (wakeUps, wakeUp) = AsyncStream<Void>.makeStream()
    let screen = try Screen(database, wakeUp)
    try await database.write { try $0.insert(Track(id: 2, name: "Anthem", genre: nil)) }
    for await _ in wakeUps { break }
    guard screen.batches.map(\.description) == ["+[0] +[0,0]"], screen.list.rows.count == 1 else {
      fatalError("\(screen.batches)")
    }
  }
}
