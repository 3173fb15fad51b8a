import FetchedResults
import Testing

@MainActor final class Screen {
  private let provider: FetchedResultsProvider<Track>
  private(set) var titles: [String] = []

  init(_ database: Database) throws {
    provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    provider.delegate = self
    try provider.performFetch()
    provider.startObserving()
  }
}

extension Screen: @MainActor FetchedResultsProviderDelegate {
  func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
    titles = provider.sections.map { "\($0.name ?? "") (\($0.numberOfRows))" }
  }
}

actor TopTracks: FetchedResultsProviderDelegate {
  private let provider: FetchedResultsProvider<Track>
  private(set) var names: [String] = []

  init(_ database: Database) throws {
    provider = try FetchedResultsProvider(
      database: database,
      request: Track.all.sorted(by: \.milliseconds, .descending).limited(to: 3))
  }

  func start() async throws {
    provider.delegate = self
    try await provider.performFetch()
    provider.startObserving()
    show()
  }

  private func show() {
    guard let tracks = provider.fetchedObjects else { return }
    names = tracks.indices.compactMap { try? tracks.object(at: $0).name }
  }

  nonisolated func provider(
    _ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges
  ) {
    assumeIsolated { tracks in tracks.show() }
  }
}

struct IsolationSamples {
  final class Log: FetchedResultsProviderDelegate {
    private(set) var lines: [String] = []

    func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
      lines.append("\(changes)")
    }
  }

  @Test(.timeLimit(.minutes(5))) @MainActor
  func aClassOnTheMainActorIsNotified() async throws {
    let database = try Database.library()
    let screen = try Screen(database)
    try await database.write { try $0.execute("DELETE FROM track WHERE genre <> 'Jazz'") }
    while screen.titles.isEmpty { await Task.yield() }
    #expect(screen.titles == ["Jazz (2)"])
  }

  @Test(.timeLimit(.minutes(5))) func anActorIsItsOwnDelegate() async throws {
    let database = try Database.library()
    let top = try TopTracks(database)
    try await top.start()
    #expect(await top.names == ["Ahead", "Crossroads", "Blue"])
    try await database.write {
      try $0.execute("UPDATE track SET milliseconds = 600000 WHERE name = 'Zoo'")
    }
    while await top.names.first == "Ahead" { await Task.yield() }
    #expect(await top.names == ["Zoo", "Ahead", "Crossroads"])
  }

  @Test func aClassWithoutAnActorIsNotifiedInTheCall() throws {
    let database = try Database.library()
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    let log = Log()
    provider.delegate = log
    try provider.performFetch()
    try database.write { try $0.execute("DELETE FROM track WHERE genre = 'Jazz'") }
    try provider.refresh()
    #expect(log.lines == ["-[1] -[1,1] -[1,0]"])
  }
}
