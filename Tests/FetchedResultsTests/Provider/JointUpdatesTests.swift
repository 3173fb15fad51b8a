import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Results with records of different types that move together.
@Suite(.timeLimit(.minutes(20))) struct JointUpdatesTests {
  private struct Genre: Codable, FetchableRecord {
    var genre: String?
    var count: Int

    static let recordDescription = RecordDescription<Genre>(
      select: "SELECT genre, count(*) AS count FROM track GROUP BY genre")
  }

  private let database: Database

  init() throws { database = try Track.store() }

  private var tracks: FetchedUpdates<Track> {
    FetchedUpdates(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
  }

  private var genres: FetchedUpdates<Genre> {
    FetchedUpdates(database: database, request: Genre.all.sorted(by: \.genre))
  }

  @Test func allResultsAreOfOneVersion() async throws {
    var iterator = JointUpdates(tracks, genres).makeAsyncIterator()
    let (tracks, genres) = try #require(try await iterator.next())
    #expect(try tracks.new.identities == [[4], [5, 1], [2, 3]])
    #expect(genres.new.objects.map(\.count) == [1, 2, 2])
    #expect(tracks.old == nil && genres.old == nil && genres.changes.isEmpty)

    try database.run("UPDATE track SET genre = 'Jazz' WHERE id = 4")
    let (next, counts) = try #require(try await iterator.next())
    #expect(next.changes.description == "-[0] -[0,0] +[0,2]")
    #expect(counts.changes.description == "-[0,0] [0,1]=[0,0]")
    #expect(counts.old?.objects.map(\.count) == [1, 2, 2])
    #expect(next.new.version.snapshot === counts.new.version.snapshot)
    let total = try next.new.databaseSnapshot.read {
      try $0.value(Int.self, "SELECT count(*) FROM track")
    }
    #expect(total == 5)
  }

  @Test func anElementMayHaveChangesOfOneResultOnly() async throws {
    var iterator = JointUpdates(tracks, genres).makeAsyncIterator()
    _ = try await iterator.next()
    try database.run("CREATE TABLE other(a)")
    try database.run("UPDATE track SET name = 'Zebra' WHERE id = 3")
    let (tracks, genres) = try #require(try await iterator.next())
    #expect(tracks.changes.description == "[2,1]=[2,1]")
    #expect(genres.changes.isEmpty)
    #expect(tracks.new.version.snapshot === genres.new.version.snapshot)
  }

  @Test func ifOneFailsNoneMoves() async throws {
    let bad = FetchedUpdates(
      database: database, request: FetchRequest(table: "other", key: ["a"]))
    var iterator = JointUpdates(tracks, bad).makeAsyncIterator()
    let missing = await #expect(throws: FetchError.self) { try await iterator.next() }
    #expect(missing?.code == .noSuchTable)
    try database.run("CREATE TABLE other(a)")
    let (first, rows) = try #require(try await iterator.next())
    #expect(first.old == nil && rows.new.objects.isEmpty)

    try database.run("DROP TABLE other; DELETE FROM track WHERE id = 1")
    let dropped = await #expect(throws: FetchError.self) { try await iterator.next() }
    #expect(dropped?.code == .noSuchTable)
    try database.run("CREATE TABLE other(a); INSERT INTO other VALUES (7)")
    let (next, others) = try #require(try await iterator.next())
    #expect(next.changes.description == "-[1,1]")
    #expect(others.changes.description == "+[0,0]")
    #expect(next.old?.objects.count == 5)
  }

  @Test func eachLoopIsItsOwn() async throws {
    let joint = JointUpdates(tracks, genres, tracks)
    var (first, second) = (joint.makeAsyncIterator(), joint.makeAsyncIterator())
    _ = try await first.next()
    try database.run("DELETE FROM track WHERE id = 4")
    let (changed, _, same) = try #require(try await first.next())
    #expect(changed.changes.description == "-[0] -[0,0]" && same.changes == changed.changes)
    let (fresh, _, _) = try #require(try await second.next())
    #expect(fresh.old == nil && fresh.new.objects.count == 4)
  }
}
