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
