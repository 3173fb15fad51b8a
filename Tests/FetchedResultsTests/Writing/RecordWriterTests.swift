import FetchedResults
import SQLiteStorage
import Testing

/// Inserting, and inserting or updating.
@Suite struct RecordWriterTests {
  @Test func anInsertedRecordIsThereAndItsIdentityToo() throws {
    let database = try Chore.store()
    let later = Position.between(.first, nil)
    let identities = try database.write { connection throws in
      [
        try connection.insert(Chore(title: "Wash", note: "cold")),
        try connection.insert(Chore(id: 7, title: "Dry", position: later)),
      ]
    }
    #expect(identities == [1, 7])
    #expect(
      try database.all(Chore.self) == [
        Chore(id: 1, title: "Wash", note: "cold", shout: "WASH!"),
        Chore(id: 7, title: "Dry", position: later, shout: "DRY!"),
      ])
  }

  @Test func oneTransactionIsAllOrNothing() throws {
    struct Stop: Error {}
    let database = try Chore.store()
    #expect(throws: Stop.self) {
      try database.write { connection throws in
        try connection.insert(Chore(title: "Wash"))
        try connection.upsert(Chore(id: 1, title: "Wash again"))
        throw Stop()
      }
    }
    #expect(try database.all(Chore.self).isEmpty)
  }

  @Test func aConstraintIsNamed() throws {
    let database = try Chore.store()
    try database.write { try _ = $0.insert(Chore(title: "Wash")) }
    let mistakes = [
      (Chore(title: "Dry"), "UNIQUE constraint failed: chore.position"),
      (Chore(id: 1, title: "Dry"), "UNIQUE constraint failed: chore.id"),
      (Chore(title: ""), "CHECK constraint failed: title <> ''"),
    ]
    for (chore, message) in mistakes {
      let error = #expect(throws: DatabaseError.self) {
        try database.write { try _ = $0.insert(chore) }
      }
      #expect(error.map { .constraint ~= $0.resultCode } == true)
      #expect(error?.message == message)
    }
    #expect(try database.all(Chore.self).count == 1)
  }

  struct Untitled: FetchableRecord {
    var id: Int64
    var note: String?

    static let recordDescription = RecordDescription(
      table: "chore", key: \.id, making: Untitled.init, Column("id", \.id), Column("note", \.note))
  }

  @Test func aColumnThatTheRecordDoesNotHaveMayNotBeNull() throws {
    let database = try Chore.store()
    try database.write { try _ = $0.insert(Chore(id: 1, title: "Wash", note: "cold")) }
    let writes: [(Connection) throws -> RowIdentity] = [
      { try $0.insert(Untitled(id: 1)) }, { try $0.upsert(Untitled(id: 1)) },
    ]
    for write in writes {
      let error = #expect(throws: DatabaseError.self) {
        try database.withWriter { try _ = write($0) }
      }
      #expect(error?.message.hasPrefix("NOT NULL constraint failed: chore.") == true)
    }
    // To update the row it is not needed.
    try database.write { try $0.update(Untitled(id: 1, note: nil)) }
    #expect(try database.all(Chore.self).map(\.note) == [nil])
    #expect(try database.all(Chore.self).map(\.title) == ["Wash"])
  }

  @Test func anUpsertKeepsTheRowAndWhatBelongsToIt() throws {
    let database = try Chore.store()
    try database.withWriter { try $0.execute("PRAGMA foreign_keys = ON") }
    try database.write { connection throws in
      #expect(try connection.upsert(Chore(id: 3, title: "Wash", note: "cold")) == 3)
      try connection.execute("INSERT INTO step VALUES (3, 'fill')")
      #expect(try connection.upsert(Chore(id: 3, title: "Wash up")) == 3)
      #expect(try connection.upsert(Chore(title: "Dry", position: .between(.first, nil))) == 4)
    }
    #expect(try database.all(Chore.self).map(\.title) == ["Wash up", "Dry"])
    #expect(try database.all(Chore.self).map(\.note) == [nil, nil])
    #expect(try database.read { try $0.value(Int.self, "SELECT count(*) FROM step") } == 1)
  }

  struct Pair: FetchableRecord, Hashable {
    var left: String?
    var right: Int?
    var note: String?

    static let recordDescription = RecordDescription(
      table: "pair", making: Pair.init,
      Column("left", \.left), Column("right", \.right), Column("note", \.note))
  }

  @Test(arguments: ["", "WITHOUT ROWID"])
  func compositeKeysAreFoundUnderTheirCollation(options: String) throws {
    let database = try Database.store(
      """
      CREATE TABLE pair(
        "left" TEXT NOT NULL, "right" INTEGER NOT NULL, note TEXT,
        PRIMARY KEY("right", "left" COLLATE NOCASE)) \(options)
      """)
    try database.write { connection throws in
      #expect(try connection.insert(Pair(left: "a", right: 1)).values == [1, "a"])
      #expect(try connection.upsert(Pair(left: "A", right: 1, note: "x")).values == [1, "a"])
      #expect(try connection.upsert(Pair(left: "a", right: 2, note: "y")).values == [2, "a"])
      try connection.update(Pair(left: "A", right: 2, note: "z"))
      #expect(throws: DatabaseError.self) { try connection.insert(Pair(left: "A", right: 2)) }
    }
    #expect(
      try database.all(Pair.self) == [
        Pair(left: "a", right: 1, note: "x"), Pair(left: "a", right: 2, note: "z"),
      ])
    try database.write { connection throws in
      #expect(try connection.delete(Pair(left: "A", right: 1)))
      #expect(try connection.delete(Pair.self, RowIdentity([2, "a"])))
      #expect(try !connection.delete(Pair.self, RowIdentity([2, "a"])))
    }
    #expect(try database.all(Pair.self).isEmpty)
  }

  struct Tag: FetchableRecord {
    var name: String?
    var uses: Int

    static let recordDescription = RecordDescription(
      table: "tag", key: \.name, making: Tag.init, Column("name", \.name), Column("uses", \.uses))
  }

  @Test func aKeyThatIsNilIsLeftToTheTable() throws {
    let database = try Database.store(
      "CREATE TABLE tag(name TEXT PRIMARY KEY DEFAULT 'untagged', uses INTEGER)")
    #expect(try database.write { try $0.insert(Tag(uses: 1)) } == "untagged")
    #expect(try database.write { try $0.upsert(Tag(name: "untagged", uses: 2)) } == "untagged")
    #expect(try database.all(Tag.self).map(\.uses) == [2])
  }

  @Test func aRowWithoutAKeyIsNotLeftBehind() throws {
    let database = try Database.store("CREATE TABLE tag(name TEXT PRIMARY KEY, uses INTEGER)")
    try database.write { connection throws in
      let error = #expect(throws: FetchError.self) { try connection.insert(Tag(uses: 1)) }
      #expect(error?.code == .invalidKey)
    }
    #expect(try database.read { try $0.value(Int.self, "SELECT count(*) FROM tag") } == 0)
  }

  struct Line: FetchableRecord {
    var text: String

    static let recordDescription = RecordDescription(
      table: "line", making: Line.init, Column("text", \.text))
  }

  @Test func aRecordWithoutItsKeyGetsARowid() throws {
    for schema in [
      "CREATE TABLE line(text TEXT)", "CREATE TABLE line(id INTEGER PRIMARY KEY, text TEXT)",
    ] {
      let database = try Database.store(schema)
      try database.write { connection throws in
        #expect(try connection.insert(Line(text: "one")) == 1)
        #expect(try connection.upsert(Line(text: "two")) == 2)
        #expect(try connection.delete(Line.self, 1))
        let error = #expect(throws: FetchError.self) { try connection.update(Line(text: "two")) }
        #expect(error?.code == .missingKey)
      }
      #expect(try database.all(Line.self).map(\.text) == ["two"])
    }
  }

  struct Word: FetchableRecord {
    var rowid: Int64?
    var text: String

    static let recordDescription = RecordDescription(
      table: "word", key: \.rowid, making: Word.init,
      Column("rowid", \.rowid), Column("text", \.text))
  }

  @Test func theHiddenRowidCanBeAKey() throws {
    let database = try Database.store("CREATE TABLE word(text)")
    try database.write { connection throws in
      #expect(try connection.insert(Word(text: "one")) == 1)
      #expect(try connection.insert(Word(rowid: 5, text: "two")) == 5)
      #expect(try connection.upsert(Word(rowid: 5, text: "five")) == 5)
      try connection.update(Word(rowid: 1, text: "uno"))
    }
    #expect(try database.all(Word.self).map(\.text) == ["uno", "five"])
  }

  struct Phrase: FetchableRecord {
    var text: String
    var source: String

    static let recordDescription = RecordDescription(
      table: "phrase", key: \.text, making: Phrase.init,
      Column("text", \.text), Column("source", \.source))
  }

  @Test func virtualTablesAreWrittenToo() throws {
    let database = try Database.store("CREATE VIRTUAL TABLE phrase USING fts5(text, source)")
    try database.write { connection throws in
      #expect(try connection.insert(Phrase(text: "one", source: "a")) == "one")
      try connection.insert(Phrase(text: "two", source: "b"))
      try connection.update(Phrase(text: "one", source: "c"))
      #expect(try connection.delete(Phrase(text: "two", source: "")))
    }
    #expect(try database.all(Phrase.self).map(\.source) == ["c"])
  }

  @Test func aRowThatATriggerIgnoresIsReported() throws {
    let database = try Database.store(
      """
      CREATE TABLE line(text TEXT);
      CREATE TRIGGER no BEFORE INSERT ON line BEGIN SELECT RAISE(IGNORE); END;
      """)
    let error = #expect(throws: FetchError.self) {
      try database.write { try _ = $0.insert(Line(text: "one")) }
    }
    #expect(error?.code == .noSuchRow)
  }
}
