import FetchedResults
import Foundation
import SQLiteStorage
import Testing

/// Look-ups that a connection has compiled before.
struct KeptQueryTests {
  /// A record with a key that has several forms.
  private struct Stamp: Codable, FetchableRecord, Hashable {
    var id: UUID
    var text: String

    static let recordDescription = RecordDescription(table: "stamp", key: \Stamp.id)
  }

  /// A record with two dates.
  private struct Span: Codable, FetchableRecord, Hashable {
    var id: Int64
    var begin: Date
    var end: Date

    static let recordDescription = RecordDescription(table: "span", key: \Span.id)
  }

  /// Calls `body`, and returns the texts that were prepared.
  private func prepared(
    on connection: Connection, _ body: () throws -> Void
  ) rethrows -> [String] {
    var prepared: [String] = []
    connection.preparing = { prepared.append($0) }
    defer { connection.preparing = nil }
    try body()
    return prepared
  }

  @Test func aSecondLookUpPreparesNothing() throws {
    let database = try Track.store()
    let lookUps: [(String, (Connection, Int64) throws -> Int64?)] = [
      ("find", { try $0.find(Track.self, $1).id }),
      ("key", { try $0.fetchOne(Track.self, $1)?.id }),
      ("property", { try $0.fetchOne(Track.all.filter("\(\.id) = \($1)"))?.id }),
      ("argument", { try $0.fetchOne(Track.all.filter("id = \($1)"))?.id }),
      ("where", { connection, id in try connection.fetchOne(Track.all.where { $0.id == id })?.id }),
      ("equals", { try $0.fetchOne(Track.all.filter(.equals(\.id, $1)))?.id }),
      (
        "parameter",
        { try $0.fetchOne(Track.all.filter("id = :id").with(parameters: ["id": .integer($1)]))?.id }
      ),
      ("sorted", { try $0.fetchOne(Track.all.filter("id >= \($1)").sorted(by: \.id))?.id }),
      ("all", { try $0.fetchAll(Track.all.filter("id <= \($1)")).last?.id }),
      ("count", { Int64(try $0.fetchCount(Track.all.filter("id <= \($1)"))) }),
    ]
    for (name, lookUp) in lookUps {
      for id in 1...5 as ClosedRange<Int64> {
        // In transactions of their own, on one connection of the pool.
        try database.read { connection throws in
          let prepared = try prepared(on: connection) { () throws in
            #expect(try lookUp(connection, id) == id, "\(name)")
          }
          #expect(id == 1 || prepared == [], "\(name)")
        }
      }
    }
  }

  @Test func requestsThatDifferInMoreThanValuesAreNotMixedUp() throws {
    let database = try Track.store()
    let requests: [(FetchRequest<Track>, [Int64])] = [
      (Track.all.filter("\(\.id) = \(2)"), [2]),
      (Track.all.filter("\(\.milliseconds) = \(200)"), [2]),
      (Track.all.filter("\(\.id) IN \([1, 3])"), [1, 3]),
      (Track.all.filter("\(\.id) IN \([1, 3, 5])"), [1, 3, 5]),
      (Track.all.filter(.equals(\.genre, "Rock")), [2, 3]),
      (Track.all.filter(.equals(\.genre, String?.none)), [4]),
      (Track.all.sorted(by: \.name), [5, 2, 1, 4, 3]),
      (Track.all.sorted(by: \.name, .descending), [3, 4, 1, 2, 5]),
      (Track.all.sorted(by: \.genre, nulls: .last).filter("id > 2"), [5, 3, 4]),
      (Track.all.limited(to: 2), [1, 2]),
      (Track.all.limited(to: 1, offset: 1), [2]),
      (Track.all.limited(to: nil, offset: 3), [4, 5]),
      (Track.all.limited(toLast: 2), [4, 5]),
      (Track.all.filter("id < \(4)").limited(toLast: 2), [2, 3]),
      (Track.all.where { $0.genre == "Jazz" }, [1, 5]),
      (Track.all.where { $0.genre == nil }, [4]),
      (Track.all, [1, 2, 3, 4, 5]),
    ]
    try database.read { connection throws in
      for _ in 0..<3 {
        for (request, ids) in requests {
          #expect(try connection.fetchAll(request).map(\.id) == ids)
          #expect(try connection.fetchOne(request)?.id == ids.first)
          #expect(try connection.fetchCount(request) == ids.count)
        }
      }
    }
  }

  @Test func requestsOfOtherSourcesAreNotMixedUp() throws {
    let database = try Track.store(
      "CREATE TABLE genre(name TEXT PRIMARY KEY); INSERT INTO genre VALUES ('Pop');")
    try database.read { connection throws in
      for _ in 0..<2 {
        #expect(try connection.fetchCount(FetchRequest(table: "track")) == 5)
        #expect(try connection.fetchCount(FetchRequest(table: "genre")) == 1)
        #expect(
          try connection.fetchAll(FetchRequest(table: "track").columns(["name"])).first?.values
            .count
            == 1)
        #expect(try connection.fetchAll(FetchRequest(table: "track")).first?.values.count == 4)
        #expect(
          try connection.fetchCount(FetchRequest(select: "SELECT 1 AS n UNION SELECT 2")) == 2)
      }
    }
  }

  /// A request whose records are made in a way of its own.
  private func request(_ prefix: String) -> FetchRequest<Track> {
    FetchRequest(
      RecordDescription(
        table: "track", key: \.id,
        making: { (id: Int64, name: String, genre: String?, milliseconds: Int) in
          Track(id: id, name: prefix + name, genre: genre, milliseconds: milliseconds)
        },
        Column("id", \.id), Column("name", \.name), Column("genre", \.genre),
        Column("milliseconds", \.milliseconds)))
  }

  @Test func eachRequestMakesItsOwnRecords() throws {
    let database = try Track.store()
    try database.read { connection throws in
      for prefix in ["a ", "b ", "a "] {
        let request = request(prefix)
        #expect(try connection.fetchOne(request)?.name == "\(prefix)Blue")
        #expect(try connection.fetchAll(request).map(\.name).last == "\(prefix)Ahead")
        #expect(try connection.find(Track.self, 1).name == "Blue")
      }
    }
  }

  @Test func eachRequestComparesInItsOwnForm() throws {
    let database = try Database.store("CREATE TABLE span(id INTEGER PRIMARY KEY, begin, end);")
    let date = Date(timeIntervalSince1970: 1_763_714_820)
    let forms: [StorageForm] = [
      .date(.secondsSince1970), .date(.text), .date(.iso8601Text), .date(.secondsSince1970),
    ]
    let requests = forms.map { FetchRequest(Span.recordDescription.storing($0)) }
    try database.write { connection throws in
      try connection.execute(
        script: """
          INSERT INTO span VALUES (0, 1763714819, 0), (1, '2025-11-21 08:46:59.000', 0),
            (2, '2025-11-21T08:46:59.000Z', 0);
          """)
      for _ in 0..<2 {
        for (request, ids) in zip(requests, [[0], [0, 1], [0, 1, 2], [0]] as [[Int64]]) {
          #expect(try connection.fetchAll(request.where { $0.begin < date }).map(\.id) == ids)
        }
      }
    }
  }

  @Test func aChangeOfTheSchemaIsNoticed() throws {
    let database = try Track.store()
    func read() throws -> [Track?] {
      try database.read { connection throws in
        [
          try connection.fetchOne(Track.self, 2),
          try connection.fetchOne(Track.all.filter("\(\.id) = \(2)")),
          try connection.fetchAll(Track.all.sorted(by: \.name)).first,
        ]
      }
    }
    let first = try read()
    let changes = [
      "ALTER TABLE track ADD COLUMN note TEXT DEFAULT 'x'",
      """
      DROP TABLE track;
      CREATE TABLE track(milliseconds INTEGER NOT NULL, genre TEXT, name TEXT NOT NULL COLLATE NOCASE,
        id INTEGER PRIMARY KEY);
      INSERT INTO track VALUES (200, 'Rock', 'Anthem', 2), (9, NULL, 'Ahead', 5), (500, 'Jazz', 'ahead', 1)
      """,
    ]
    try database.write { try $0.execute(script: changes[0]) }
    #expect(try read() == first)
    try database.write { try $0.execute(script: changes[1]) }
    let second = try read()
    #expect(second[0] == first[0] && second[1] == first[1])
    // Equal under NOCASE, so that the key decides.
    #expect(second[2]?.id == 1)
    try database.write { try $0.execute("ALTER TABLE track RENAME COLUMN name TO title") }
    let error = #expect(throws: FetchError.self) { _ = try read() }
    #expect(error?.code == .noSuchColumn)
    try database.write { try $0.execute(script: "DROP TABLE track") }
    let missing = #expect(throws: FetchError.self) { _ = try read() }
    #expect(missing?.code == .noSuchTable)
  }

  @Test func aTemporaryTableHidesTheOther() throws {
    let database = try Track.store()
    try database.write { connection throws in
      #expect(try connection.find(Track.self, 2).name == "Anthem")
      try connection.execute(
        script: """
          CREATE TEMP TABLE track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT, milliseconds INTEGER);
          INSERT INTO temp.track VALUES (2, 'Hymn', NULL, 1);
          """)
      #expect(try connection.find(Track.self, 2).name == "Hymn")
      try connection.execute("DROP TABLE temp.track")
      #expect(try connection.find(Track.self, 2).name == "Anthem")
    }
  }

  @Test func anotherFormOfAKeyIsFoundEachTime() throws {
    let ids = (0..<3).map { _ in UUID() }
    let database = try Database.store("CREATE TABLE stamp(id PRIMARY KEY, text TEXT NOT NULL);")
    try database.write { connection throws in
      for (id, stored) in zip(ids, [ids[0].columnValue, .text(ids[1].uuidString.lowercased())]) {
        try connection.execute("INSERT INTO stamp VALUES (\(stored), \(id.uuidString))")
      }
    }
    try database.read { connection throws in
      for _ in 0..<2 {
        for id in ids.prefix(2) {
          #expect(try connection.find(Stamp.self, id).text == id.uuidString)
          #expect(try connection.fetchOne(Stamp.all.filter(.equals(\.id, id)))?.id == id)
        }
        #expect(try connection.fetchOne(Stamp.self, ids[2]) == nil)
      }
      let wrong = #expect(throws: FetchError.self) {
        _ = try connection.find(Stamp.self, ids[0], 2)
      }
      #expect(wrong?.code == .invalidKey)
    }
  }

  /// A record of a SELECT with a bound value, whose key other programs write in small letters.
  private struct Guest: Codable, FetchableRecord {
    var id: UUID

    private static let least = 1
    static let recordDescription = RecordDescription(
      select: "SELECT id FROM guest WHERE n >= \(least)", key: \Guest.id)
  }

  @Test func aRecordOfASelectWithValuesIsFound() throws {
    let ids = [UUID(), UUID(), UUID()]
    let database = try Database.store("CREATE TABLE guest(id PRIMARY KEY, n);")
    try database.write { connection throws in
      for (id, n) in zip(
        [ids[0].uuidString, ids[1].uuidString.lowercased(), ids[2].uuidString], [1, 2, 0])
      {
        try connection.execute("INSERT INTO guest VALUES (\(id), \(n))")
      }
      for _ in 0..<2 {
        #expect(
          try ids.map { try connection.fetchOne(Guest.self, $0)?.id } == [ids[0], ids[1], nil])
      }
    }
  }

  @Test func valuesWithMoreFormsThanOthersAreNotMixedUp() throws {
    let database = try Database.store("CREATE TABLE span(id INTEGER PRIMARY KEY, begin, end);")
    // A day has more forms than a time with milliseconds.
    let dates = [Date(timeIntervalSince1970: 86_400), Date(timeIntervalSince1970: 0.123)]
    try database.write { connection throws in
      try connection.insert(Span(id: 1, begin: dates[0], end: dates[1]))
      try connection.insert(Span(id: 2, begin: dates[1], end: dates[0]))
      for _ in 0..<2 {
        for (id, begin, end) in [(1, dates[0], dates[1]), (2, dates[1], dates[0])] {
          let request = Span.all.filter(.equals(\.begin, begin)).filter(.equals(\.end, end))
          #expect(try connection.fetchAll(request).map(\.id) == [Int64(id)])
        }
      }
    }
  }

  @Test func aRecordThatFetchesAnotherOneReadsBoth() throws {
    let database = try Track.store()
    try database.read { connection throws in
      let ids = try connection.fetchAll(Track.all).map { track throws in
        try connection.fetchAll(Track.all.filter("\(\.id) >= \(track.id)")).count
      }
      #expect(ids == [5, 4, 3, 2, 1])
    }
  }

  @Test func aSecondUpdatePreparesNothing() throws {
    let database = try Track.store()
    try database.write { connection throws in
      for id in 1...5 as ClosedRange<Int64> {
        let track = Track(id: id, name: "N\(id)", genre: nil, milliseconds: Int(id))
        let prepared = try prepared(on: connection) { () throws in
          try connection.update(track, only: \.name)
          try connection.update(track, only: \.milliseconds, \.name)
          try connection.update(track)
          if id > 3 { try connection.delete(track) }
        }
        #expect(id == 1 || id == 4 || prepared == [], "\(prepared)")
      }
      #expect(try connection.fetchAll(Track.all).map(\.name) == ["N1", "N2", "N3"])
      #expect(try connection.fetchAll(Track.all).map(\.milliseconds) == [1, 2, 3])
    }
  }
}
