import FetchedResults
import Testing

struct LibrarySize: FetchableRecord {
  let tracks: Int
  let milliseconds: Int?

  static let recordDescription = RecordDescription(
    select: "SELECT count(*) AS tracks, sum(milliseconds) AS milliseconds FROM track",
    making: LibrarySize.init,
    Column("tracks", \.tracks), Column("milliseconds", \.milliseconds))
}

struct SingleValueSamples {
  private let database: Database

  init() throws { database = try Database.library() }

  @Test(.timeLimit(.minutes(5))) func aCountIsObserved() async throws {
    let lines = try await printed {
      let writer = Task.detached { [database] in
        try await database.write { try $0.execute("DELETE FROM track") }
      }
      for try await update in FetchedUpdates(database: database, request: LibrarySize.all) {
        let size = try update.new.object(at: 0)
        print(size.tracks, "tracks")
        if size.tracks == 0 { break }
      }
      try await writer.value
    }
    #expect(lines.last == "0 tracks")
  }

  @Test func whatLeavesTheValueAsItIsIsNotReported() throws {
    let provider = try FetchedResultsProvider(database: database, request: LibrarySize.all)
    try provider.performFetch()
    try database.write { try $0.execute("UPDATE track SET name = 'Red' WHERE id = 1") }
    #expect(try provider.refresh().isEmpty)
    try database.write { try $0.execute("UPDATE track SET milliseconds = 1 WHERE id = 1") }
    #expect(try provider.refresh().description == "[0,0]=[0,0]")
    try database.write { try $0.execute("DELETE FROM track") }
    #expect(try provider.refresh().description == "[0,0]=[0,0]")
    #expect(try provider.object(at: [0, 0]).milliseconds == nil)
  }

  @Test(.timeLimit(.minutes(5))) func valuesAreObserved() async throws {
    let lines = try await printed {
      let writer = Task.detached { [database] in
        try await database.write { try $0.execute("DELETE FROM track") }
      }
      for try await track in FetchedValues(database: database, record: Track.self, key: 4) {
        guard let track else { break }
        print(track.name)
      }
      for try await count in FetchedValues(database: database, countOf: Track.all) {
        print(count, "tracks")
        if count == 0 { break }
      }
      let milliseconds = FetchedValues(
        database: database, valueOf: "SELECT sum(milliseconds) FROM track WHERE genre = \("Jazz")",
        as: Int.self)
      for try await sum in milliseconds {
        print(sum ?? 0, "ms")
        if sum == nil { break }
      }
      try await writer.value
    }
    #expect(lines.suffix(2) == ["0 tracks", "0 ms"])
    #expect(lines.dropLast(2) == ["Crossroads"] || lines.count == 2)
  }

  @Test func aRecordIsLookedUpByItsKey() throws {
    let request = Track.all.filter("\(\.id) = \(4)")
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    #expect(provider.maintenance == .touchedRows)
  }
}
