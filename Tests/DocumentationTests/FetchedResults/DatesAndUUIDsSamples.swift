import FetchedResults
import Foundation
import Testing

struct Note: Codable, Identifiable, FetchableRecord {
  var id: UUID
  var text: String
  var changed: Date

  static let recordDescription = RecordDescription(table: "note", key: \Note.id)
}

struct SharedNote: Codable, Identifiable, FetchableRecord {
  var id: UUID
  var text: String
  var changed: Date

  static let recordDescription = RecordDescription(table: "note", key: \SharedNote.id)
    .storing(.uuid(.lowercaseText), .date(.iso8601Text))
}

struct DatesAndUUIDsSamples {
  private let database: Database
  private let id = UUID()

  init() throws {
    database = try Database.inMemory()
    let lower = id.uuidString.lowercased()
    try database.write { connection in
      try connection.execute("CREATE TABLE note(id PRIMARY KEY NOT NULL, text, changed)")
      try connection.execute("INSERT INTO note VALUES (\(lower), 'Call', '2026-11-21')")
    }
  }

  private func stored() throws -> String? {
    try database.read { connection in
      try connection.value(String.self, "SELECT id || ' ' || text || ' ' || changed FROM note")
    }
  }

  @Test func aRowOfAnotherProgramIsFoundAndKeepsItsForms() throws {
    // Another program has written the id in small letters, and the date without a time.
    var note = try database.read { try $0.find(Note.self, id) }
    note.text = "Call back"
    try database.write { try $0.update(note) }
    #expect(try stored() == "\(id.uuidString.lowercased()) Call back 2026-11-21")
    let request = Note.all.where { $0.id == id }
    #expect(try database.read { try $0.fetchOne(request) }?.text == "Call back")
  }

  @Test func aRecordIsWrittenInTheFormsThatItsDescriptionNames() throws {
    try database.write { connection in
      try connection.execute("DELETE FROM note")
      try connection.insert(
        SharedNote(id: id, text: "Call", changed: Date(timeIntervalSince1970: 0)))
    }
    #expect(try stored() == "\(id.uuidString.lowercased()) Call 1970-01-01T00:00:00.000Z")
  }

  @Test func onlyWhatHasChangedIsWritten() throws {
    try database.write { connection in
      let old = try connection.find(Note.self, id)
      var new = old
      new.text = "Call back today"
      let isWritten = try connection.update(new, from: old)
      #expect(isWritten)
      #expect(try !connection.update(new, from: new))
    }
    #expect(try stored() == "\(id.uuidString.lowercased()) Call back today 2026-11-21")
  }
}
