import Foundation
import SQLiteStorage
import Testing

@testable import FetchedResults

/// Records whose rows another program has written, with keys and values in other forms than the records write.
struct StoredFormsTests {
  private struct Note: Codable, FetchableRecord, Identifiable, Equatable {
    var id: UUID
    var text: String
    var parent: UUID?
    var weight: Decimal?
    var made: Date?
    static let recordDescription = RecordDescription<Note>(table: "note")
  }

  private struct Listed: FetchableRecord, Identifiable {
    var id: UUID
    var text: String
    static let recordDescription = RecordDescription(
      table: "note", making: Listed.init, Column("id", \.id), Column("text", \.text))
  }

  private struct Entry: Codable, FetchableRecord, Equatable {
    var day: Date
    var price: Decimal
    var text: String
    static let recordDescription = RecordDescription<Entry>(table: "entry")
  }

  private static let id = UUID(uuid: (0xAB, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xEF))
  private static let lower = id.uuidString.lowercased()

  private static func store(_ literal: String) throws -> Database {
    try .store(
      """
      CREATE TABLE note(id PRIMARY KEY NOT NULL, text, parent REFERENCES note(id), weight, made);
      INSERT INTO note VALUES (\(literal), 'a', \(literal), '1.50', '2026-11-21');
      """)
  }

  private func stored(_ sql: String, in database: Database) throws -> [[Value]] {
    try database.read { try $0.rows(SQL(verbatim: sql)).map(\.values) }
  }

  @Test(arguments: [
    "'\(lower)'", "x'\(lower.replacing("-", with: ""))'", "'\(lower.replacing("-", with: ""))'",
    "'\(id)'",
  ])
  func aRecordIsFoundWrittenAndDeletedByWhatIsStored(_ literal: String) throws {
    let database = try Self.store(literal)
    let before = try stored("SELECT id, parent, weight, made FROM note", in: database)
    var note = try #require(try database.read { try $0.fetchAll(Note.all) }.first)
    #expect(note.id == Self.id)
    #expect(note.parent == Self.id)
    #expect(try database.read { try $0.find(Note.self, Self.id) } == note)
    #expect(try database.read { try $0.fetchOne(Listed.self, Self.id) }?.text == "a")

    try database.write { try $0.execute("PRAGMA foreign_keys = ON") }
    note.text = "b"
    try database.write { try $0.update(note) }
    note.text = "c"
    #expect(
      try database.write { try $0.upsert(note) } == RowIdentity(before[0][0]))
    #expect(try stored("SELECT id, parent, weight, made FROM note", in: database) == before)
    #expect(try stored("SELECT text FROM note", in: database) == [["c"]])
    try database.write { try $0.update(note, only: \.text, \.weight, \.weight) }
    #expect(try stored("SELECT id, parent, weight, made FROM note", in: database) == before)

    note.weight = 2
    try database.write { try $0.update(note, only: \.weight) }
    #expect(try stored("SELECT weight FROM note", in: database) == [["2"]])

    let list = try FetchedResultsProvider(database: database, request: Note.all)
    try list.performFetch()
    #expect(try list.indexPath(for: note) == [0, 0])
    #expect(try database.write { try $0.delete(note) })
    #expect(try stored("SELECT * FROM note", in: database).isEmpty)
    #expect(try database.write { try !$0.delete(note) })
    #expect(throws: FetchError.self) { try database.write { try $0.update(note) } }
  }

  @Test func aReferenceInAnotherFormStaysValid() throws {
    let database = try Self.store("'\(Self.lower)'")
    let note = try database.read { try $0.find(Note.self, Self.id) }
    try database.write { connection in
      try connection.update(note)
      try connection.upsert(note)
      #expect(try connection.rows("PRAGMA foreign_key_check").isEmpty)
    }
  }

  @Test(arguments: [
    "'2026-11-21'", "'2026-11-21 00:00'", "'2026-11-21T00:00:00Z'", "'2026-11-21 00:00:00.0'",
    "'2026-11-21T00:00:00+00:00'", "'2026-11-21 00:00:00.000000'",
    "strftime('%s', '2026-11-21') + 0", "julianday('2026-11-21')",
  ])
  func compositeKeysMayHaveSeveralForms(_ day: String) throws {
    for price in ["'1.50'", "'1.5'", "1.5"] {
      let database = try Database.store(
        """
        CREATE TABLE entry(day, price, text, PRIMARY KEY(day, price)) WITHOUT ROWID;
        INSERT INTO entry VALUES (\(day), \(price), 'a'), (\(day), 2, 'b');
        """)
      var entry = try #require(
        try database.read { try $0.fetchAll(Entry.all.filter("text = 'a'")) }.first)
      let before = try stored("SELECT day, price FROM entry ORDER BY text", in: database)
      #expect(try database.read { try $0.find(Entry.self, entry.day, entry.price) } == entry)
      let list = try FetchedResultsProvider(
        database: database, request: Entry.all.sorted(by: \.text))
      try list.performFetch()
      #expect(try list.indexPath(for: entry) == [0, 0])
      entry.text = "A"
      try database.write { try $0.upsert(entry) }
      try database.write { try $0.update(entry) }
      #expect(try stored("SELECT day, price FROM entry ORDER BY text", in: database) == before)
      #expect(try database.write { try $0.delete(entry) })
      #expect(try stored("SELECT text FROM entry", in: database) == [["b"]])
    }
  }

  @Test func theFormThatTheRecordWritesComesFirst() throws {
    let database = try Self.store("'\(Self.lower)'")
    try database.run("INSERT INTO note(id, text) VALUES ('\(Self.id)', 'own')")
    #expect(try database.read { try $0.find(Listed.self, Self.id) }.text == "own")
    try database.write { try $0.upsert(Listed(id: Self.id, text: "new")) }
    #expect(try stored("SELECT text FROM note ORDER BY text", in: database) == [["a"], ["new"]])
  }

  @Test func aConditionFindsWhatIsReadAsTheValue() throws {
    let database = try Self.store("'\(Self.lower)'")
    func count(_ condition: SQLFragment<Note>) throws -> Int {
      try database.read { try $0.fetchCount(Note.all.filter(condition)) }
    }
    #expect(try count(.equals(\.id, Self.id)) == 1)
    #expect(try count(.equals(\.parent, Self.id)) == 1)
    #expect(try count(.equals(\.parent, nil as UUID?)) == 0)
    #expect(try count(.equals(\.weight, Decimal(1.5))) == 1)
    #expect(try count(.equals(\.weight, Decimal(2))) == 0)
    #expect(try count(.equals(\.text, "a")) == 1)
    #expect(try count(.equals(\.text, "A")) == 0)
    #expect(try count(.equals(\.id, UUID())) == 0)
    try database.run("UPDATE note SET parent = NULL")
    #expect(try count(.equals(\.parent, nil as UUID?)) == 1)
    let list = try FetchedResultsProvider(
      database: database, request: Note.all.filter(.equals(\.id, Self.id)))
    try list.performFetch()
    #expect(list.maintenance == .touchedRows)
  }

  @Test func severalRowsOfOneRecordAreAnError() throws {
    let database = try Self.store("'\(Self.lower)'")
    let blob = Self.lower.replacing("-", with: "")
    try database.run("INSERT INTO note(id, text) VALUES (x'\(blob)', 'blob')")
    #expect(throws: FetchError.self) { try database.read { try $0.find(Listed.self, Self.id) } }
    #expect(throws: FetchError.self) {
      try database.write { try $0.upsert(Listed(id: Self.id, text: "new")) }
    }
    #expect(try stored("SELECT count(*) FROM note", in: database) == [[2]])
  }

  @Test func anObservedRecordMayBeStoredInAnotherForm() async throws {
    let database = try Self.store("'\(Self.lower)'")
    var values = FetchedValues<Listed?>(database: database, record: Listed.self, key: Self.id)
      .makeAsyncIterator()
    #expect(try await values.next()??.text == "a")
    try database.run("UPDATE note SET text = 'b'")
    #expect(try await values.next()??.text == "b")
  }

  private struct Word: Codable, FetchableRecord, Identifiable {
    var id: String
    static let recordDescription = RecordDescription<Word>(table: "word")
  }

  /// An identity is what is stored, byte for byte.
  @Test func underACollationTheListFindsWhatFindFinds() throws {
    let database = try Database.store(
      """
      CREATE TABLE word(id TEXT COLLATE NOCASE PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO word VALUES ('abc'), ('Def');
      """)
    let list = try FetchedResultsProvider(database: database, request: Word.all)
    try list.performFetch()
    for (spelling, row) in [("ABC", 0), ("abc", 0), ("DEF", 1), ("x", nil as Int?)] {
      let found = try database.read { try $0.fetchOne(Word.self, spelling) } != nil
      #expect(found == (row != nil))
      let path: IndexPath? = row.map { [0, $0] }
      #expect(try list.indexPath(for: Word(id: spelling)) == path)
    }
  }

  @Test func aUUIDIsReadFromItsBytes() throws {
    let database = try Self.store("1")
    let blob = Self.lower.replacing("-", with: "")
    let read = { (literal: String) in
      try database.read { try $0.value(UUID.self, SQL(verbatim: "SELECT \(literal)")) }
    }
    #expect(try read("x'\(blob)'") == Self.id)
    for literal in ["x'00'", "x'\(blob)00'", "1", "'x'"] {
      #expect(throws: DatabaseError.self) { try read(literal) }
    }
  }
}
