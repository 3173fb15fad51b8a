import FetchedResults
import Foundation
import SQLiteStorage
import Testing

/// Records that store UUIDs and dates in forms of their own.
struct StorageFormTests {
  private struct Note: Codable, FetchableRecord, Identifiable, Equatable {
    var id: UUID
    var text: String
    var parent: UUID?
    var made: Date

    static let recordDescription = RecordDescription<Note>(table: "note")
      .storing(.uuid(.lowercaseText), .date(.secondsSince1970))
  }

  private struct Listed: FetchableRecord, Identifiable, Equatable {
    var id: UUID
    var text: String
    var parent: UUID?
    var made: Date

    static let recordDescription = RecordDescription(
      table: "note", making: Listed.init, Column("id", \.id), Column("text", \.text),
      Column("parent", \.parent), Column("made", \.made)
    ).storing(.uuid(.bytes), .date(.iso8601Text))
  }

  private static let id = UUID(uuid: (0xAB, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xEF))
  private static let made = Date(timeIntervalSince1970: 1_763_714_820)

  private func store() throws -> Database {
    try .store(
      "CREATE TABLE note(id PRIMARY KEY NOT NULL, text, parent REFERENCES note(id), made);")
  }

  private func stored(_ database: Database) throws -> [[Value]] {
    try database.read { try $0.rows("SELECT * FROM note ORDER BY rowid").map(\.values) }
  }

  @Test func aConditionComparesInTheFormOfTheRecord() throws {
    let database = try store()
    let (before, after) = (Self.made.addingTimeInterval(-1), Self.made.addingTimeInterval(1))
    func count<Record: FetchableRecord>(
      _ condition: (RecordColumns<Record>) -> SQLFragment<Record>
    ) throws -> Int {
      // The second time the query is kept.
      let counts = try database.read { connection in
        try (0..<2).map { _ in try connection.fetchCount(Record.all.where(condition)) }
      }
      #expect(counts[0] == counts[1])
      return counts[0]
    }
    try database.write { connection in
      try connection.insert(Note(id: Self.id, text: "a", parent: nil, made: Self.made))
    }
    #expect(try count { (note: RecordColumns<Note>) in note.made < before } == 0)
    #expect(try count { (note: RecordColumns<Note>) in note.made < after } == 1)
    #expect(try count { (note: RecordColumns<Note>) in note.made > before } == 1)
    #expect(try count { (note: RecordColumns<Note>) in note.made > after } == 0)
    #expect(try count { (note: RecordColumns<Note>) in note.made >= Self.made } == 1)
    #expect(try count { (note: RecordColumns<Note>) in !(note.made <= Self.made) } == 0)
    // The same query with other values.
    try database.read { connection in
      for (date, expected) in [(before, 0), (after, 1), (before, 0)] {
        let count = try connection.fetchCount(Note.all.where { $0.made < date })
        #expect(count == expected)
      }
    }
    let list = try FetchedResultsProvider(
      database: database, request: Note.all.where { $0.made < before })
    try list.performFetch()
    try database.write { connection in
      try connection.execute("UPDATE note SET made = made - 10")
    }
    #expect(try list.refresh().description == "+[0,0]")

    try database.write { connection in
      try connection.execute("DELETE FROM note")
      try connection.insert(Listed(id: Self.id, text: "a", parent: nil, made: Self.made))
    }
    // A space sorts before the T of ISO 8601.
    #expect(try count { (note: RecordColumns<Listed>) in note.made < after } == 1)
    #expect(try count { (note: RecordColumns<Listed>) in note.made <= Self.made } == 1)
    #expect(try count { (note: RecordColumns<Listed>) in note.made > Self.made } == 0)
  }

  @Test func aCodableRecordIsWrittenInItsForms() throws {
    let database = try store()
    let id = Self.id
    // Text is not a UUID, although it looks like one.
    var note = Note(id: id, text: "\(UUID())", parent: id, made: Self.made)
    #expect(try database.write { try $0.insert(note) } == id)
    let lower = Value.text(id.uuidString.lowercased())
    #expect(try stored(database) == [[lower, .text(note.text), lower, .integer(1_763_714_820)]])
    #expect(try database.read { try $0.find(Note.self, id) } == note)
    let list = try FetchedResultsProvider(database: database, request: Note.all)
    try list.performFetch()
    #expect(try list.indexPath(for: note) == [0, 0])

    note.text = "b"
    try database.write { try $0.update(note) }
    note.text = "c"
    try database.write { try $0.upsert(note) }
    note.parent = nil
    try database.write { try $0.update(note, only: \.parent) }
    #expect(try stored(database) == [[lower, "c", .null, .integer(1_763_714_820)]])
    #expect(try database.write { try $0.delete(note) })
  }

  @Test func aListedRecordIsWrittenInItsForms() throws {
    let database = try store()
    let id = Self.id
    let note = Listed(id: id, text: "a", parent: nil, made: Self.made)
    try database.write { try $0.upsert(note) }
    let bytes = Value.blob(withUnsafeBytes(of: id.uuid) { Array($0) })
    #expect(try stored(database) == [[bytes, "a", .null, "2025-11-21T08:47:00.000Z"]])
    #expect(try database.read { try $0.find(Listed.self, id) } == note)
    #expect(try database.write { try $0.delete(note) })
  }

  @Test func aFractionIsRounded() throws {
    let database = try Database.store(
      """
      CREATE TABLE note(
        id TEXT PRIMARY KEY NOT NULL, text TEXT, parent TEXT, made INTEGER NOT NULL) STRICT;
      """)
    func date(_ offset: Double) -> Date { Self.made.addingTimeInterval(offset) }
    func count(_ condition: (RecordColumns<Note>) -> SQLFragment<Note>) throws -> Int {
      try database.read { try $0.fetchCount(Note.all.where(condition)) }
    }
    var note = Note(id: Self.id, text: "a", parent: nil, made: date(0.4))
    try database.write { try $0.insert(note) }
    #expect(try stored(database).map(\.last) == [.integer(1_763_714_820)])
    #expect(try database.read { try $0.find(Note.self, Self.id).made } == Self.made)
    // It is stored as a time before 0.4 seconds.
    for fraction in [0.4, 0.499, 0.6] {
      #expect(try count { $0.made < date(fraction) } == 1)
      #expect(try count { $0.made <= date(fraction) } == 1)
      #expect(try count { $0.made > date(fraction) } == 0)
      #expect(try count { $0.made < date(fraction - 1) } == 0)
      #expect(try count { $0.made > date(fraction - 1) } == 1)
    }
    #expect(try count { $0.made < Self.made } == 0)
    #expect(try count { $0.made <= Self.made } == 1)
    // What was inserted is found.
    #expect(try count { $0.made == date(0.4) } == 1)
    #expect(try count { $0.made.isIn([date(0.4), date(9.4)]) } == 1)
    #expect(try count { $0.made == date(0.6) } == 0)
    #expect(try count { $0.made == date(-0.4) } == 1)

    note.made = date(0.6)
    try database.write { try $0.update(note) }
    note.made = date(1.2)
    try database.write { try $0.upsert(note) }
    #expect(try stored(database).map(\.last) == [.integer(1_763_714_821)])
  }

  @Test func aFractionThatIsStoredStaysWithTheValue() throws {
    let database = try store()
    let text = Value.text("2025-11-21 08:47:00.123")
    try database.write { connection in
      try connection.execute("INSERT INTO note VALUES (\(Self.id), 'a', NULL, \(text))")
      var note = try connection.find(Note.self, Self.id)
      note.text = "b"
      try connection.update(note)
    }
    #expect(try stored(database).map { $0[3] } == [text])
    try database.write { connection in
      var note = try connection.find(Note.self, Self.id)
      note.made += 1
      try connection.update(note)
    }
    #expect(try stored(database).map { $0[3] } == [.integer(1_763_714_821)])
  }

  /// A record whose key is a date.
  private struct Day: Codable, FetchableRecord, Equatable {
    var date: Date
    var text: String

    static let recordDescription = RecordDescription(table: "day", key: \Day.date)
      .storing(.date(.secondsSince1970))
  }

  @Test func aKeyWithAFractionIsFound() throws {
    let database = try Database.store("CREATE TABLE day(date INTEGER PRIMARY KEY, text);")
    let date = Self.made.addingTimeInterval(0.3)
    try database.write { connection throws in
      try connection.insert(Day(date: date, text: "a"))
      #expect(try connection.find(Day.self, date) == Day(date: Self.made, text: "a"))
      #expect(try connection.update(Day(date: date, text: "b")))
      try connection.upsert(Day(date: date, text: "c"))
      #expect(try connection.fetchAll(Day.all).map(\.text) == ["c"])
      #expect(try connection.delete(Day.self, date))
    }
  }

  @Test func theFormsOfTwoRecordsAreOneValue() throws {
    let database = try store()
    let id = Self.id
    let listed = Listed(id: id, text: "a", parent: nil, made: Self.made)
    try database.write { try $0.insert(listed) }
    let before = try stored(database)
    let note = try database.read { try $0.find(Note.self, id) }
    try database.write { connection throws in
      // No second row, and what is stored stays.
      #expect(try connection.upsert(note) == id)
      #expect(try connection.update(note))
    }
    #expect(try stored(database) == before)
    #expect(try database.write { try $0.delete(note) })
  }
}
