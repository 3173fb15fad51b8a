import FetchedResults
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@MainActor final class TrackScreen {
  let controller = TableViewController { error in print(error) }
  let provider: FetchedResultsProvider<Track>

  init(_ database: Database) throws {
    provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    let source = try TableViewDataSource(dataProvider: provider)
    source.registerCell(TrackCell.self)
    try provider.performFetch()
    try controller.setDataSource(source)
    provider.startObserving()
  }
}

final class TrackCell: TableViewCell, Configurable {
  private(set) var text = ""
  func configure(with track: Track) { text = track.name }
}

final class ChangesRecorder: TableChangesObserver {
  let albums: FetchedResultsProvider<Row>
  let tracks: FetchedResultsProvider<Track>
  private(set) var lines: [String] = []

  init(_ database: Database) throws {
    albums = try FetchedResultsProvider(database: database, request: FetchRequest(table: "album"))
    tracks = try FetchedResultsProvider(database: database, request: Track.all)
    for provider in [albums, tracks] as [any TableChangesSender] { provider.observer = self }
  }

  func contentWillChange(of sender: any TableChangesSender) {}

  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    lines.append("\(sender === albums ? "albums" : "tracks"): \(changes)")
  }

  func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    lines.append("\(error)")
  }
}

actor Charts {
  private let provider: FetchedResultsProvider<Track>

  init(_ database: Database) throws {
    provider = try FetchedResultsProvider(
      database: database,
      request: Track.all.sorted(by: \.milliseconds, .descending).limited(to: 3))
  }

  func start() async throws {
    try await provider.performFetch()
    provider.startObserving()
  }

  var names: [String] {
    get throws {
      guard let tracks = provider.fetchedObjects else { return [] }
      return try tracks.indices.map { try tracks.object(at: $0).name }
    }
  }
}

/// Sends the genres and the tracks of one version of the library after each change of either.
func sendLibrary(_ database: Database, to client: (String) async throws -> Void) async throws {
  let tracks = FetchedUpdates(
    database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
  let genres = FetchedUpdates(
    database: database,
    request: FetchRequest(select: "SELECT DISTINCT genre FROM \(Track.self)"))
  for try await (tracks, genres) in JointUpdates(tracks, genres) {
    let longest = try tracks.new.databaseSnapshot.read {
      try $0.value(Int.self, "SELECT max(milliseconds) FROM \(Track.self)")
    }
    try await client("\(tracks.changes) | \(genres.changes) | at most \(longest ?? 0) ms")
  }
}

/// Sends a list and then its changes to a client that keeps an array.
func send(_ database: Database, to client: (String) async throws -> Void) async throws {
  let updates = FetchedUpdates(database: database, request: Track.all.sorted(by: \.name))
  for try await update in updates {
    let tracks = update.new
    if update.old == nil || update.changes.reset != nil {
      let names = try tracks.objects.indices.map { try tracks.object(at: $0).name }
      try await client("all " + names.joined(separator: ","))
    }
    for operation in update.changes.sequential {
      switch operation {
      case .deleteRow(let place):
        try await client("delete \(place.row)")
      case .insertRow(let place, let new):
        try await client("insert \(place.row) \(tracks.object(at: new).name)")
      case .moveRow(let from, let to, let new):
        try await client("move \(from.row) \(to.row) \(tracks.object(at: new).name)")
      case .updateRow(let place):
        try await client("update \(place.row) \(tracks.object(at: place).name)")
      case .deleteSection, .insertSection, .updateSection, .reset: break
      }
    }
  }
}

/// Follows two results until the task is cancelled, and reports the errors in between.
func follow(_ database: Database, report: (String) async -> Void) async {
  var updates = JointUpdates(
    FetchedUpdates(database: database, request: Track.all.sorted(by: \.name)),
    FetchedValues(database: database, countOf: Track.all)
  ).makeAsyncIterator()
  while true {
    do {
      guard let (tracks, count) = try await updates.next() else { return }
      await report("\(tracks.changes), \(count) tracks")
    } catch {
      await report("\(error)")
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct ObservingSamples {
  private let database: Database

  init() throws { database = try Database.library() }

  private func write(_ sql: String) throws { try database.write { try $0.execute(sql) } }

  @Test @MainActor func aScreenFollows() async throws {
    let screen = try TrackScreen(database)
    try write("DELETE FROM track WHERE genre = 'Jazz'")
    while screen.controller.tableView.numbersOfRows != [1, 2] { await Task.yield() }
    let cells = screen.controller.tableView.visibleCells.compactMap { $0 as? TrackCell }
    #expect(cells.map(\.text) == ["Crossroads", "Anthem", "Zoo"])
    screen.provider.stopObserving()
  }

  @Test func anActorFollows() async throws {
    let charts = try Charts(database)
    try await charts.start()
    #expect(try await charts.names == ["Ahead", "Crossroads", "Blue"])
    try write("UPDATE track SET milliseconds = 600000 WHERE name = 'Zoo'")
    while try await charts.names != ["Zoo", "Ahead", "Crossroads"] { await Task.yield() }
  }

  @Test func severalResultsAreOfOneVersion() async throws {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    let sending = Task { [database] in
      try await sendLibrary(database) { continuation.yield($0) }
    }
    var iterator = lines.makeAsyncIterator()
    let first = await iterator.next()
    #expect(first?.hasSuffix("at most 500000 ms") == true, "\(first ?? "")")
    try write("DELETE FROM track WHERE genre = 'Jazz'")
    let next = await iterator.next()
    #expect(
      next?.hasPrefix("-[1] ") == true && next?.hasSuffix("at most 400000 ms") == true,
      "\(next ?? "")")
    sending.cancel()
  }

  @Test func aLoopGoesOnAfterAnErrorAndEndsWithItsTask() async throws {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    let following = Task { [database] in await follow(database) { continuation.yield($0) } }
    var iterator = lines.makeAsyncIterator()
    #expect(await iterator.next() == "no changes, 5 tracks")
    try write("ALTER TABLE track RENAME TO song")
    #expect(await iterator.next()?.contains("no table or view track") == true)
    try write("ALTER TABLE song RENAME TO track")
    try write("DELETE FROM track WHERE name = 'Zoo'")
    let next = await iterator.next()
    #expect(next == "-[0,4], 4 tracks", "\(next ?? "")")
    following.cancel()
    await following.value
    try database.close()
  }

  @Test func aSequenceLeadsFromVersionToVersion() async throws {
    let other = Task.detached { [database] in
      for id in [5, 4, 3, 2, 1] {
        try await database.write {
          try $0.execute(SQL(verbatim: "DELETE FROM track WHERE id = \(id)"))
        }
      }
    }
    let lines = try await printed {
      let updates = FetchedUpdates(
        database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
      for try await update in updates {
        print(update.changes, update.new.objects.count)
        if update.new.objects.isEmpty { break }  // so that the sample ends
      }
    }
    try await other.value
    #expect(lines.first?.hasPrefix("no changes") == true)
    #expect(lines.last?.hasSuffix(" 0") == true)
  }

  /// What a client makes of the lines it is sent.
  private struct Client {
    var names: [String] = []

    mutating func hear(_ line: String) throws {
      let words = line.split(separator: " ").map(String.init)
      let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
      switch words[0] {
      case "all": names = words[1].split(separator: ",").map(String.init)
      case "delete": names.remove(at: number)
      case "insert": names.insert(words[2], at: number)
      case "update": names[number] = words[2]
      default:
        names.remove(at: number)
        names.insert(words[3], at: try #require(Int(words[2])))
      }
    }
  }

  @Test func aClientWithAnArrayFollows() async throws {
    struct Done: Error {}
    let other = Task.detached { [database] in
      for sql in [
        "UPDATE track SET name = 'Aria' WHERE name = 'Zoo'",
        "DELETE FROM track WHERE genre = 'Blues'",
        "INSERT INTO track(name, genre, milliseconds) VALUES ('Creole', 'Soul', 1)",
        "UPDATE track SET milliseconds = 1 WHERE name = 'Blue'",
        "UPDATE track SET name = 'Zebra' WHERE name = 'Ahead'",
      ] { try await database.write { try $0.execute(sql) } }
    }
    var client = Client()
    await #expect(throws: Done.self) {
      try await send(database) { line in
        try client.hear(line)
        if client.names == ["Anthem", "Aria", "Blue", "Creole", "Zebra"] { throw Done() }
      }
    }
    try await other.value
  }

  @Test func oneObjectObservesProvidersOfSeveralRecords() throws {
    try database.write { connection in
      try connection.execute("CREATE TABLE album(id INTEGER PRIMARY KEY, title TEXT)")
    }
    let log = try ChangesRecorder(database)
    try log.albums.performFetch()
    try log.tracks.performFetch()
    let begin = log.lines.count
    try database.write { connection in
      try connection.execute("INSERT INTO album VALUES (1, 'Kind of Blue')")
      try connection.execute("DELETE FROM track WHERE id = 1")
    }
    try log.albums.refresh()
    try log.tracks.refresh()
    #expect(log.lines[begin...] == ["albums: +[0,0]", "tracks: -[0,0]"])
  }

  @Test func refreshMovesToTheNewestVersionImmediately() throws {
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name))
    try provider.performFetch()
    try database.write { try $0.execute("DELETE FROM track WHERE genre = 'Jazz'") }
    let changes = try provider.refresh()
    #expect(changes.description == "-[0,2] -[0,0]")
    let total = try provider.databaseSnapshot?.read { connection in
      try connection.value(Int.self, "SELECT sum(milliseconds) FROM track")
    }
    #expect(total == 700_000)
  }

  @Test func aSearchIsAChange() async throws {
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name))
    try await provider.performFetch(showingFirst: 50)
    #expect(provider.fetchedObjects?.count == 5)
    let text = "zo"
    try await provider.setRequest(
      Track.all.where { $0.name.contains(text) }.sorted(by: \.name))
    #expect(provider.fetchedObjects?.map(\.name) == ["Zoo"])
  }
}
