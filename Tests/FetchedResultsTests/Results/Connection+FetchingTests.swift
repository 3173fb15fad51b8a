import FetchedResults
import Foundation
import SQLiteStorage
import TableDataTesting
import Testing

/// Requests that are read once.
struct ConnectionFetchingTests {
  @Test func anErrorOfAConditionNamesTheColumns() throws {
    let database = try Track.store()
    let wrong = Track.all.filter("titel = 1")
    let step = "The columns of track are: id, name, genre, milliseconds"
    let read = #expect(throws: DatabaseError.self) {
      try database.read { _ = try $0.fetchAll(wrong) }
    }
    #expect(read?.message == "no such column: titel")
    #expect(read?.nextStep == step)
    let followed = #expect(throws: DatabaseError.self) {
      try FetchedResultsProvider(database: database, request: wrong).performFetch()
    }
    #expect(followed?.nextStep == step)
  }

  @Test func aRowThatCannotBeReadIsNamed() throws {
    let database = try Database.store(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT, milliseconds INTEGER NOT NULL);
      INSERT INTO track VALUES (4, 'Blue', 'Jazz', 300), (7, NULL, 'Rock', 200);
      """)
    let error = #expect(throws: DatabaseError.self) {
      try database.read { _ = try $0.fetchAll(Track.all) }
    }
    #expect(error?.message == "row 2 (id = 7) cannot be read: column name holds null, not text")
    #expect(error?.code == .typeMismatch)
  }

  @Test func aRecordThatIsRefusedAmongManyIsNamed() throws {
    let database = try Track.store()
    let tracks = [10, 11, 3, 12].map { Track(id: $0, name: "x", genre: nil, milliseconds: 1) }
    let error = #expect(throws: DatabaseError.self) {
      try database.write { _ = try $0.insert(tracks) }
    }
    #expect(
      error?.message.hasPrefix("record 3 of the records to insert: UNIQUE constraint failed")
        == true)
    #expect(try database.read { try $0.fetchCount(Track.all) } == 5)
  }

  @Test func valuesAreCountedTheMostFrequentFirst() throws {
    let database = try Track.store(
      """
      DELETE FROM track;
      INSERT INTO track VALUES (1, 'a', 'Jazz', 100), (2, 'b', 'Rock', 150), (3, 'c', 'Rock', 260), (4, 'd', NULL, 270),
        (5, 'e', 'Folk', 280);
      """)
    try database.read { connection throws in
      let genres = try connection.fetchValueCounts(of: \.genre, in: Track.all, limit: 3)
      #expect(genres.map(\.value) == [.text("Rock"), .null, .text("Folk")])
      #expect(genres.map(\.count) == [2, 1, 1])
      // All that meet the condition, also beyond the limit of the request.
      let long = Track.all.filter("\(\.milliseconds) > \(120)").sorted(by: \.name).limited(to: 1)
      let lengths = try connection.fetchValueCounts(
        of: "\(\.milliseconds) / \(100) -- hundreds", in: long, limit: 10)
      #expect(lengths.map(\.value) == [.integer(2), .integer(1)])
      #expect(lengths.map(\.count) == [3, 1])
      #expect(try connection.fetchValueCounts(of: \.genre, in: Track.all, limit: 0).isEmpty)
    }
  }

  @Test func anErrorOfACountedExpressionNamesIt() throws {
    let error = #expect(throws: DatabaseError.self) {
      try Track.store().read {
        _ = try $0.fetchValueCounts(of: "titel", in: Track.all, limit: 3)
      }
    }
    #expect(error?.message == "no such column: titel")
  }

  @Test func theFirstColumnOfAllRowsIsRead() throws {
    let database = try Track.store()
    try database.read { connection throws in
      #expect(
        try connection.values(String?.self, "SELECT genre FROM track WHERE id < \(5) ORDER BY id")
          == ["Jazz", "Rock", "Rock", nil])
      let error = #expect(throws: DatabaseError.self) {
        _ = try connection.values(String.self, "SELECT genre FROM track")
      }
      #expect(error?.code == .typeMismatch)
    }
  }

  @Test func aRequestIsReadAsAListShowsIt() throws {
    let database = try Track.store()
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<60 {
      var request = Track.all
      if Bool.random(using: &generator) {
        request = request.filter(
          "\(\.milliseconds) > \(Int.random(in: 0...500, using: &generator))")
      }
      if Bool.random(using: &generator) {
        request = request.filter("genre = :genre").with(parameters: ["genre": "Rock"])
      }
      if Bool.random(using: &generator) { request = request.sorted(by: \.genre, .descending) }
      if Bool.random(using: &generator) { request = request.sorted(by: \.name) }
      if Bool.random(using: &generator) {
        request = request.limited(
          to: Bool.random(using: &generator) ? Int.random(in: 0...3, using: &generator) : nil,
          offset: Int.random(in: 0...3, using: &generator))
      }
      let provider = try FetchedResultsProvider(database: database, request: request)
      try provider.performFetch()
      let expected = provider.fetchedObjects.map(Array.init)
      func check(_ connection: Connection) throws {
        #expect(try connection.fetchAll(request) == expected)
        #expect(try connection.fetchOne(request) == expected?.first)
        #expect(try connection.fetchCount(request) == expected?.count)
      }
      try database.read(check)
      try database.snapshot().read(check)
    }
  }

  @Test func rowsWithoutAKeyCanBeReadToo() throws {
    let database = try Track.store()
    let request = FetchRequest(select: "SELECT genre AS g, milliseconds FROM track").sorted(
      by: \Row["g"])
    let rows = try database.read { try $0.fetchAll(request) }
    #expect(rows.map { $0["g"] } == [.null, "Jazz", "Jazz", "Rock", "Rock"])
    #expect(try database.read { try $0.fetchCount(request.limited(to: 2)) } == 2)
  }

  @Test func aTransactionReadsWhatItHasWritten() throws {
    let database = try Track.store()
    let before = try database.snapshot()
    try database.write { connection throws in
      var track = try connection.find(Track.self, 2)
      track = Track(id: track.id, name: "Hymn", genre: track.genre, milliseconds: 1)
      try connection.update(track)
      #expect(try connection.fetchOne(Track.self, 2) == track)
      try connection.insert(Track(id: 9, name: "New", genre: nil, milliseconds: 1))
      #expect(try connection.fetchCount(Track.all) == 6)
      #expect(try connection.fetchAll(Track.all.filter("\(\.milliseconds) = \(1)")).count == 2)
      try connection.delete(track)
      #expect(try connection.fetchOne(Track.self, 2) == nil)
    }
    #expect(try before.read { try $0.fetchCount(Track.all) } == 5)
    #expect(try before.read { try $0.find(Track.self, 2) }.name == "Anthem")
  }

  @Test func aRecordThatIsNotThereIsAnErrorWithItsKey() throws {
    let database = try Track.store()
    let error = #expect(throws: FetchError.self) {
      try database.read { try $0.find(Track.self, 77) }
    }
    #expect(error?.code == .noSuchRow)
    #expect(error?.message == "there is no Track with the key 77")
    #expect(try database.read { try $0.fetchOne(Track.self, RowIdentity(77)) } == nil)
    let wrong = #expect(throws: FetchError.self) {
      try database.read { try $0.find(Track.self, 1, 2) }
    }
    #expect(wrong?.code == .invalidKey)
    let parameter = #expect(throws: DatabaseError.self) {
      try database.read { try $0.fetchCount(Track.all.with(parameters: ["x": 1])) }
    }
    #expect(parameter?.code == .invalidArguments)
  }

  @Test func aCursorEndsWithAnErrorOfSQLite() throws {
    let database = try Track.store(
      "UPDATE track SET milliseconds = -9223372036854775808 WHERE id = 3;")
    try database.read { connection throws in
      let cursor = try connection.fetchCursor(Track.all.filter("abs(milliseconds) >= 0"))
      #expect(try cursor.next()?.id == 1)
      #expect(try cursor.next()?.id == 2)
      let error = #expect(throws: DatabaseError.self) { try cursor.next() }
      #expect(error?.message == "integer overflow")
      #expect(try cursor.next() == nil)
    }
  }

  @Test func aCursorReadsOneRecordAtATime() throws {
    let database = try Track.store("UPDATE track SET name = x'00' WHERE id = 3;")
    try database.read { connection throws in
      let cursor = try connection.fetchCursor(Track.all)
      let other = try connection.fetchCursor(Track.all)
      #expect(try cursor.next()?.id == 1)
      #expect(try other.next()?.id == 1)
      #expect(try cursor.next()?.id == 2)
      let error = #expect(throws: DatabaseError.self) { try cursor.next() }
      #expect(error?.code == .typeMismatch)
      #expect(try cursor.next()?.id == 4)
      #expect(try cursor.next()?.id == 5)
      #expect(try cursor.next() == nil)
      #expect(try cursor.next() == nil)
    }
    // A cursor that was not read to its end does not keep the transaction from being committed.
    try database.write { connection throws in
      _ = try connection.fetchCursor(Track.all).next()
      try connection.delete(Track.self, 1)
    }
    #expect(try database.read { try $0.fetchCount(Track.all) } == 4)
  }

  struct Token: FetchableRecord, Identifiable {
    var id: UUID
    var key: String
    static let recordDescription = RecordDescription(
      table: "token", key: \.key, making: Token.init, Column("id", \.id), Column("key", \.key))
  }

  struct Job: Codable, Identifiable, FetchableRecord {
    var id: Int?
    var name: String
    static let recordDescription = RecordDescription(table: "job", key: \Job.id)
  }

  @Test func anInsertedRecordHasItsId() throws {
    let database = try Database.store(
      "CREATE TABLE token(id TEXT, key TEXT PRIMARY KEY); CREATE TABLE job(id INTEGER PRIMARY KEY, name)"
    )
    let token = Token(id: UUID(), key: "k")
    #expect(try database.write { try $0.insert(token) } == token.id)
    // As its only statement, without a warning.
    try database.write { try $0.insert(Job(name: "a")) }
    #expect(try database.write { try $0.insert(Job(name: "b")) } == 2)
    #expect(try database.write { try $0.insert(Job(id: 7, name: "c")) } == 7)
    var job = Job(id: nil, name: "assigned")
    job.id = try database.write { try $0.insert(job) }
    #expect(job.id == 8)
    let identity: RowIdentity = try database.write { try $0.insert(Job(name: "d")) }
    #expect(identity == 9)
    #expect(identity.int64 == 9)
    #expect(try identity.decode(Int.self) == 9)
    #expect(RowIdentity("x").int64 == nil)
    #expect(try RowIdentity(.text(token.id.uuidString)).decode(UUID.self) == token.id)
    let error = #expect(throws: DatabaseError.self) { try RowIdentity([1, 2]).decode(Int.self) }
    #expect(error?.code == .typeMismatch)
  }
}
