import FetchedResults

// A screen in a module whose default isolation is the main actor.

struct Track: FetchableRecord, Identifiable {
  let id: Int64
  let name: String
  let genre: String?

  static let recordDescription = RecordDescription(
    table: "track", key: \.id, making: Track.init,
    Column("id", \.id), Column("name", \.name), Column("genre", \.genre))

  func renamed(_ name: String) -> Track { Track(id: id, name: name, genre: genre) }
}

final class Screen: FetchedResultsProviderDelegate {
  let provider: FetchedResultsProvider<Track>
  private(set) var lines: [String] = []

  init(_ database: Database) throws {
    provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    provider.delegate = self
    try provider.performFetch()
    provider.startObserving()
  }

  func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
    lines.append("\(changes)")
  }

  func rename(_ track: Track, to name: String) async throws {
    let renamed = track.renamed(name)
    try await provider.database.write { try $0.update(renamed) }
  }
}

/// What an app does besides, with nothing but these annotations: none.
final class Library {
  let database: Database
  let list: FetchedList<Track>

  init(_ database: Database) {
    self.database = database
    list = FetchedList(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: .property(\.genre))
  }

  func add(_ track: Track) throws {
    try database.write { try $0.insert(track) }
  }

  /// The number of versions until one has a track of this name.
  func versions(untilNamed name: String) async throws -> Int {
    var count = 0
    let updates = FetchedUpdates(database: database, request: Track.all.sorted(by: \.name))
    for try await update in updates {
      count += 1
      let tracks = update.new
      if try tracks.objects.indices.contains(where: { try tracks.object(at: $0).name == name }) {
        break
      }
    }
    return count
  }
}

@main struct MainActorScreen {
  static func main() async throws {
    let database = try Database.inMemory()
    try await database.write {
      try $0.execute("CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT)")
    }
    let library = Library(database)
    let blue = Track(id: 1, name: "Blue", genre: "Jazz")
    try library.add(blue)
    try library.list.fetch()
    let screen = try Screen(database)
    try await screen.rename(blue, to: "Blau")
    try await screen.provider.refresh()
    guard screen.lines == ["[0,0]=[0,0]"], try await library.versions(untilNamed: "Blau") == 1,
      library.list.sections.map(\.name) == ["Jazz"]
    else { fatalError("\(screen.lines)") }
  }
}
