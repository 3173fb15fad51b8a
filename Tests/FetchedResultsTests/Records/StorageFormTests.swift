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
