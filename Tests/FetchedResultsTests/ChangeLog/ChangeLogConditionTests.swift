import Foundation
import SQLiteStorage
import Testing

@testable import FetchedResults

/// A change log of rows that meet a condition.
@Suite(.timeLimit(.minutes(5))) struct ChangeLogConditionTests: FollowsFile {
  let file: FollowedFile

  init() throws {
    file = try FollowedFile(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, rating INT);
      INSERT INTO track VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
      CREATE TABLE tag(name TEXT PRIMARY KEY, rating) WITHOUT ROWID;
      INSERT INTO tag VALUES ('red', 1), ('blue', 2);
      CREATE TABLE genre(code TEXT PRIMARY KEY, rating);
      INSERT INTO genre VALUES ('j', 1), (NULL, 2);
      CREATE TABLE hidden(rowid, _rowid_, oid, rating);
      INSERT INTO hidden VALUES (1, 2, 3, 1), (1, 2, 3, 5);
      """)
  }

  private func log(
    _ condition: SQL?, _ tables: [String]? = nil
  ) throws -> ChangeLog.Iterator {
    try database.changes(tables: tables, where: condition, since: database.snapshot())
      .makeAsyncIterator()
  }

  @Test(arguments: [0, 1 << 23])
  func aChangeIsToldIfTheConditionIsTrueBeforeOrAfter(memory: Int) async throws {
    var changes = try database.changes(where: "rating > \(2)", since: database.snapshot())
    changes.memory = RowMemory(size: memory)
    var log = changes.makeAsyncIterator()
    try writer.execute(
      script: """
        BEGIN; UPDATE track SET rating = rating + 1 WHERE id < 3; DELETE FROM track WHERE id = 3;
        UPDATE tag SET rating = rating + 1; UPDATE genre SET rating = rating + 1;
        UPDATE hidden SET oid = 4; INSERT INTO track VALUES (4, 'd', NULL), (5, 'e', 5); COMMIT
        """)
    #expect(
      try await log.next()?.lines() == [
        "update genre code=NULL: rating 2 → 3",
        "delete hidden : rowid 1, _rowid_ 2, oid 3, rating 5",
        "insert hidden : rowid 1, _rowid_ 2, oid 4, rating 5",
        "update tag name='blue': rating 2 → 3",
        "update track id=2: rating 2 → 3",
        "delete track id=3: id 3, name 'c', rating 3",
        "insert track id=5: id 5, name 'e', rating 5",
      ])
  }

  /// A record of the table `track`.
  private struct Song: Codable, FetchableRecord, Equatable {
    var id: Int
    var name: String?
    var rating: Int?
    var isRated: Bool { rating != nil }
    static let recordDescription = RecordDescription(table: "track", key: \Song.id)
  }

  @Test func recordsAreToldIfAConditionInSwiftIsTrueBeforeOrAfter() async throws {
    let start = try database.snapshot()
    let (limit, name) = (2, "b")
    var swift = database.changes(
      of: Song.self, where: { $0.rating > limit || $0.name == name }, since: start
    ).makeAsyncIterator()
    var sql = database.changes(
      of: Song.self, where: "\(\.rating) > \(limit) OR \(\.name) IS \(name) -- end", since: start
    ).makeAsyncIterator()
    var untyped = database.changes(
      tables: ["track"], where: "rating > \(limit) OR name IS \(name)", since: start
    ).makeAsyncIterator()
    try writer.execute(
      script: """
        BEGIN; UPDATE track SET rating = rating + 1; UPDATE track SET rating = 0 WHERE id = 3;
        INSERT INTO track VALUES (4, 'd', NULL), (5, 'e', 5); UPDATE track SET name = 'x' WHERE id = 2; COMMIT
        """)
    let changes = try #require(try await swift.next())
    #expect(changes.map(\.row) == (try await untyped.next()?.rows()))
    #expect(changes.map(\.row) == (try await sql.next()?.map(\.row)))
    #expect(changes.map(\.kind) == [.update, .update, .insert])
    #expect(try changes.map { try $0.old?.rating } == [2, 3, nil])
    #expect(
      try changes.map { try $0.new } == [
        Song(id: 2, name: "x", rating: 3), Song(id: 3, name: "c", rating: 0),
        Song(id: 5, name: "e", rating: 5),
      ])
  }

  @Test func aConditionOnRecordsFindsEachFormOfAValue() async throws {
    struct Tagged: Codable, FetchableRecord {
      var name: UUID
      var isOld: Bool
      static let recordDescription = RecordDescription(table: "state", key: \Tagged.name)
    }
    let id = UUID()
    try writer.execute("CREATE TABLE state(name TEXT PRIMARY KEY, isOld BOOLEAN)")
    let start = try database.snapshot()
    var named = database.changes(of: Tagged.self, where: { $0.name == id }, since: start)
      .makeAsyncIterator()
    var old = database.changes(of: Tagged.self, where: { $0.isOld }, since: start)
      .makeAsyncIterator()
    try writer.execute("INSERT INTO state VALUES (\(id.uuidString.lowercased()), 0), ('x', 1)")
    #expect(try await named.next()?.first?.new?.name == id)
    #expect(try await old.next()?.map(\.row.key.values) == [[.text("x")]])
  }

  @Test func aConditionThatDoesNotFitTheRecordsIsAnError() async throws {
    var computed = database.changes(of: Song.self, where: { $0.isRated }).makeAsyncIterator()
    await #expect { try await computed.next() } throws: {
      ($0 as? FetchError)?.code == .computedProperty
    }
    var wrong = database.changes(of: Song.self, where: "stars > 1").makeAsyncIterator()
    await #expect { try await wrong.next() } throws: {
      ($0 as? FetchError)?.code == .invalidCondition
    }
    var untyped = try log("\(\Song.isRated) = 1", ["track"])
    await #expect { try await untyped.next() } throws: {
      ($0 as? FetchError)?.code == .computedProperty
    }
  }

  @Test func rowsWithoutTheColumnOfTheConditionHaveItsDefault() async throws {
    var log = try log("stars = 4 AND track.rating > 1", ["track"])
    await #expect(throws: FetchError.self) { try await log.next() }
    var added = try self.log("rating > 1", ["track"])
    try writer.execute(
      script: """
        BEGIN; ALTER TABLE track ADD COLUMN stars DEFAULT 4; UPDATE track SET stars = 5; COMMIT
        """)
    #expect(
      try await added.next()?.lines().dropFirst() == [
        "update track id=2: stars NULL → 5", "update track id=3: stars NULL → 5",
      ])
    var stars = try self.log("stars = 4 AND track.rating > 1", ["track"])
    try writer.execute("UPDATE track SET stars = 4 WHERE id <> 3")
    #expect(try await stars.next()?.lines() == ["update track id=2: stars 5 → 4"])
  }

  @Test(arguments: ["name = 'a'", "rating > ", "rating), (1", "rating > ?5", "count(*) > 1"])
  func aConditionThatDoesNotFitATableIsAnError(_ condition: String) async throws {
    var log = try log(SQL(verbatim: condition))
    await #expect {
      try await log.next()
    } throws: { error in
      (error as? FetchError)?.code == .invalidCondition
    }
  }

  @Test func theErrorNamesTheTable() async throws {
    var log = try log("name = 'a'")
    await #expect {
      try await log.next()
    } throws: { error in
      let message = (error as? FetchError)?.message ?? ""
      return message.contains("table genre") && message.contains("no such column: name")
    }
  }
}
