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

  @Test func theVersionBeforeEndsWithItsElement() async throws {
    var iterator = JointUpdates(tracks, genres).makeAsyncIterator()
    _ = try await iterator.next()
    try database.run("UPDATE track SET genre = 'Jazz' WHERE id = 4")
    weak var old: Snapshot?
    func move() async throws {
      let (tracks, genres) = try #require(try await iterator.next())
      old = tracks.old?.databaseSnapshot
      #expect(old != nil && genres.old?.databaseSnapshot === old)
    }
    try await move()
    // Else the log could not be reset while the loop waits. The thread of the engine may keep it for a moment.
    try await wait { old == nil }
    try database.run("UPDATE track SET genre = 'Rock' WHERE id = 4")
    #expect(try await iterator.next()?.0.old != nil)
  }

  private var names: FetchedValues<String?> {
    FetchedValues(
      database: database, valueOf: "SELECT max(name) FROM track WHERE id > \(2)", as: String.self)
  }

  @Test func valuesAreOfTheSameVersion() async throws {
    let counts = FetchedValues(database: database, countOf: Track.all)
    let first = FetchedValues(database: database, record: Track.self, key: 1)
    var iterator = JointUpdates(counts, tracks, first, names).makeAsyncIterator()
    var (count, update, record, name) = try #require(try await iterator.next())
    #expect(count == 5)
    #expect(update.old == nil)
    #expect(record?.id == 1)
    #expect(name != nil)
    let old = name
    // It changes nothing of these.
    try database.run("CREATE TABLE other(a)")
    try database.run("DELETE FROM track WHERE id = 1")
    (count, update, record, name) = try #require(try await iterator.next())
    #expect(count == 4)
    #expect(update.changes.description == "-[1,1]")
    #expect(record == nil)
    #expect(name == old)
    // Only one of them is another one.
    var values = JointUpdates(counts, names).makeAsyncIterator()
    #expect(try await values.next()?.0 == 4)
    try database.run("UPDATE track SET genre = 'x' WHERE id = 2")
    try database.run("UPDATE track SET name = 'zzz' WHERE id = 4")
    let (same, last) = try #require(try await values.next())
    #expect(same == 4 && last == "zzz")
  }

  @Test func aValueThatCannotBeReadKeepsAllBack() async throws {
    let numbers = FetchedValues(
      database: database, valueOf: "SELECT min(milliseconds) FROM track", as: Int.self)
    var iterator = JointUpdates(tracks, numbers).makeAsyncIterator()
    _ = try await iterator.next()
    try database.run("UPDATE track SET milliseconds = x'00'")
    let error = await #expect(throws: DatabaseError.self) { try await iterator.next() }
    #expect(error?.code == .typeMismatch)
    try database.run("UPDATE track SET milliseconds = 7; DELETE FROM track WHERE id = 1")
    let (update, number) = try #require(try await iterator.next())
    #expect(number == 7)
    // From the version of the element before.
    #expect(update.old?.objects.count == 5 && update.new.objects.count == 4)
    #expect(update.changes.deletedRows.count == 1)
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
