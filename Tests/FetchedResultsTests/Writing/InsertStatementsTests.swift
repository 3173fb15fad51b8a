import FetchedResults
import SQLiteStorage
import TableDataTesting
import Testing

/// Inserting many records in one transaction: the table is looked up once, and again when the schema
/// may have changed.
@Suite struct InsertStatementsTests {
  private struct Stop: Error {}

  struct Line: FetchableRecord, Hashable {
    var id: Int64?
    var text: String

    static let recordDescription = RecordDescription(
      table: "line", making: Line.init, Column("id", \.id), Column("text", \.text))
  }

  struct CodedLine: Codable, FetchableRecord, Hashable {
    var id: Int64?
    var text: String

    static let recordDescription = RecordDescription<CodedLine>(table: "line")
  }

  private func store(_ more: String = "") throws -> Database {
    try .store("CREATE TABLE line(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);" + more)
  }

  /// Runs `body` in a savepoint that is rolled back.
  private func rollingBack(_ connection: Connection, _ body: () throws -> Void) throws {
    do {
      try connection.savepoint {
        try body()
        throw Stop()
      }
    } catch is Stop {}
  }

  // MARK: - The schema changes

  @Test func aTableThatIsReplacedInTheTransactionIsLookedUpAgain() throws {
    try store().write { connection throws in
      #expect(try connection.insert(Line(text: "one")) == 1)
      try connection.execute("DROP TABLE line")
      let error = #expect(throws: FetchError.self) { try connection.insert(Line(text: "two")) }
      #expect(error?.code == .noSuchTable)
      try connection.execute("CREATE TABLE line(text TEXT PRIMARY KEY NOT NULL, id)")
      #expect(try connection.insert(Line(id: 7, text: "two")) == "two")
      #expect(try connection.insert(CodedLine(id: 8, text: "three")) == "three")
    }
  }

  @Test func aTemporaryTableComesFirstFromThenOn() throws {
    try store().write { connection throws in
      try connection.insert(Line(text: "one"))
      try connection.execute("CREATE TEMP TABLE line(id INTEGER PRIMARY KEY, text)")
      try connection.insert(Line(id: 9, text: "two"))
      #expect(try connection.rows("SELECT id FROM temp.line").map { $0["id"] } == [9])
      #expect(try connection.rows("SELECT id FROM main.line").map { $0["id"] } == [1])
    }
  }

  @Test func aColumnThatBecomesGeneratedAndNoLongerIsIsWrittenAccordingly() throws {
    try store().write { connection throws in
      try connection.insert(Line(text: "one"))
      try rollingBack(connection) {
        try connection.execute("DROP TABLE line")
        try connection.execute(
          "CREATE TABLE line(id INTEGER PRIMARY KEY, text AS ('generated ' || id))")
        #expect(try connection.insert(Line(text: "two")) == 1)
        #expect(try connection.value(String.self, "SELECT text FROM line") == "generated 1")
      }
      #expect(try connection.insert(Line(text: "two")) == 2)
      #expect(try connection.value(String.self, "SELECT text FROM line WHERE id = 2") == "two")
    }
  }

  @Test func aSchemaThatAnotherConnectionChangedIsSeenByTheNextTransaction() throws {
    let folder = try TestFolder()
    let database = try Database(path: folder.file("lines.sqlite"))
    try database.run("CREATE TABLE line(id INTEGER PRIMARY KEY, text TEXT)")
    try database.write { _ = try $0.insert(Line(text: "one")) }
    let other = try Connection(path: folder.file("lines.sqlite"))
    try other.execute(script: "DROP TABLE line; CREATE TABLE line(text TEXT PRIMARY KEY, id)")
    #expect(try database.write { try $0.insert(Line(id: 3, text: "two")) } == "two")
    try other.execute(script: "DROP TABLE line")
    #expect(throws: FetchError.self) {
      try database.write { _ = try $0.insert(Line(id: 3, text: "two")) }
    }
  }

  @Test func recordsAreInsertedOutsideOfATransactionToo() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file("lines.sqlite"), access: .readWriteCreate)
    try connection.execute("CREATE TABLE line(id INTEGER PRIMARY KEY, text TEXT)")
    #expect(try connection.insert(Line(text: "one")) == 1)
    let other = try Connection(path: folder.file("lines.sqlite"))
    try other.execute(script: "DROP TABLE line; CREATE TABLE line(text TEXT PRIMARY KEY, id)")
    #expect(try connection.insert(Line(id: 3, text: "two")) == "two")
    #expect(try connection.insert([Line(text: "three"), Line(text: "four")]) == 2)
  }

  // MARK: - Keys

  @Test func theRowidIsThatOfTheRowWhateverTriggersInsert() throws {
    let database = try store(
      """
      CREATE TABLE log(id INTEGER PRIMARY KEY, text);
      INSERT INTO log VALUES (500, 'first');
      CREATE TRIGGER before BEFORE INSERT ON line BEGIN
        INSERT INTO log(text) VALUES (new.text); END;
      CREATE TRIGGER after AFTER INSERT ON line BEGIN
        INSERT INTO log(text) VALUES (new.text); END;
      """)
    try database.write { connection throws in
      #expect(try connection.insert(Line(text: "one")) == 1)
      #expect(try connection.insert(CodedLine(id: 40, text: "two")) == 40)
      #expect(try connection.insert(Line(text: "three")) == 41)
    }
  }

  @Test func aRowThatIsSkippedIsReportedAfterOneThatWasNot() throws {
    let database = try store(
      """
      CREATE TRIGGER no BEFORE INSERT ON line WHEN new.text = 'no' BEGIN SELECT RAISE(IGNORE); END;
      """)
    try database.write { connection throws in
      #expect(try connection.insert(Line(text: "yes")) == 1)
      let error = #expect(throws: FetchError.self) { try connection.insert(Line(text: "no")) }
      #expect(error?.code == .noSuchRow)
      #expect(try connection.insert(Line(text: "again")) == 2)
    }
  }

  struct Measure: FetchableRecord {
    var key: Double?
    var note: String

    static let recordDescription = RecordDescription(
      table: "measure", key: \.key, making: Measure.init,
      Column("key", \.key), Column("note", \.note))
  }

  @Test func aKeyThatIsStoredAsNullIsNotLeftBehind() throws {
    let database = try Database.store("CREATE TABLE measure(key REAL PRIMARY KEY, note)")
    try database.write { connection throws in
      #expect(try connection.insert(Measure(key: 1.5, note: "a")).values == [1.5])
      for key in [Double.nan, nil] {
        let error = #expect(throws: FetchError.self) {
          try connection.insert(Measure(key: key, note: "b"))
        }
        #expect(error?.code == .invalidKey)
      }
      #expect(try connection.value(Int.self, "SELECT count(*) FROM measure") == 1)
    }
  }

  // MARK: - Values

  struct Mixed: FetchableRecord, Hashable {
    struct Name: Hashable, Sendable {
      var first: String
      var last: String
    }

    var flag: Bool
    var id: Int64?
    var name: Name
    var watched: String { didSet { changes += 1 } }
    var changes = 0
    var data: [UInt8]?
    var initials: String { String(name.first.prefix(1) + name.last.prefix(1)) }

    static let recordDescription = RecordDescription(
      table: "mixed", key: \.id,
      making: { flag, id, first, last, watched, data, _ in
        Mixed(
          flag: flag, id: id, name: Name(first: first, last: last), watched: watched, data: data)
      },
      Column("flag", \.flag), Column("id", \.id), Column("first", \.name.first),
      Column("last", \.name.last), Column("watched", \.watched), Column("data", \.data),
      Column("initials", \.initials))
  }

  /// Stored properties are read at their offset, all others through the key path.
  @Test func propertiesOfEachKindAreWritten() throws {
    let database = try Database.store(
      "CREATE TABLE mixed(id INTEGER PRIMARY KEY, flag, first, last, watched, data, initials)")
    let long = String(repeating: "long ", count: 100)
    let records = [
      Mixed(flag: true, id: 1, name: .init(first: "Ada", last: "Lovelace"), watched: "", data: nil),
      Mixed(flag: false, id: 2, name: .init(first: "é", last: long), watched: "w", data: [0, 255]),
    ]
    #expect(try database.write { try $0.insert(records) } == 2)
    #expect(try database.all(Mixed.self) == records)
    let initials = try database.read { connection in
      try connection.rows("SELECT initials FROM mixed ORDER BY id").map { $0["initials"] }
    }
    #expect(initials == ["AL", "él"])
  }

  // MARK: - Batches

  @Test func aBatchIsInsertedAsAWhole() throws {
    let database = try store()
    try database.write { connection throws in
      #expect(try connection.insert([Line]()) == 0)
      #expect(try connection.insert((1...3).lazy.map { Line(text: "\($0)") }) == 3)
      #expect(throws: DatabaseError.self) {
        try connection.insert([Line(text: "4"), Line(text: "1"), Line(text: "5")])
      }
      #expect(try connection.insert([CodedLine(text: "6")]) == 1)
    }
    #expect(try database.all(Line.self).map(\.text) == ["1", "2", "3", "6"])
    #expect(try database.all(Line.self).map(\.id) == [1, 2, 3, 4])
  }

  // MARK: - Random

  /// The two forms of record, batches, updates, savepoints and changes of the schema, against the same
  /// rows kept in an array.
  @Test func randomTransactionsWriteWhatIsExpected() throws {
    for seed in SeededGenerator.seeds(4) {
      var generator = SeededGenerator(seed: seed)
      let database = try store()
      var expected: [Int64: String] = [:]
      var next = 0
      func text() -> String {
        next += 1
        return "text \(next)"
      }
      for _ in 0..<20 {
        try database.write { connection throws in
          for _ in 0..<Int.random(in: 1...20, using: &generator) {
            let newID = (expected.keys.max() ?? 0) + 1
            let line = Line(id: nil, text: text())
            switch Int.random(in: 0..<8, using: &generator) {
            case 0, 1:
              #expect(try connection.insert(line).int64 == newID, "seed \(seed)")
              expected[newID] = line.text
            case 2:
              let coded = CodedLine(id: newID + 2, text: line.text)
              #expect(try connection.insert(coded).int64 == newID + 2, "seed \(seed)")
              expected[newID + 2] = line.text
            case 3:
              let texts = (0..<3).map { _ in text() }
              #expect(try connection.insert(texts.map { CodedLine(text: $0) }) == 3)
              for (index, text) in texts.enumerated() { expected[newID + Int64(index)] = text }
            case 4:
              guard let id = expected.keys.sorted().randomElement(using: &generator) else { break }
              #expect(try connection.upsert(Line(id: id, text: line.text)).int64 == id)
              expected[id] = line.text
            case 5:
              let name = "c\(next)"
              try connection.execute("ALTER TABLE line ADD COLUMN \(identifier: name) DEFAULT 1")
            case 6:
              try rollingBack(connection) {
                try connection.execute("ALTER TABLE line RENAME COLUMN text TO words")
                #expect(throws: FetchError.self) { try connection.insert(line) }
              }
            default:
              guard let taken = expected.values.sorted().first else { break }
              #expect(throws: DatabaseError.self) {
                try connection.insert([line, Line(text: taken)])
              }
            }
          }
        }
        let rows = try database.all(Line.self)
        let sorted = expected.sorted { $0.key < $1.key }
        #expect(rows.map(\.text) == sorted.map(\.value), "seed \(seed)")
        #expect(rows.compactMap(\.id) == sorted.map(\.key), "seed \(seed)")
      }
    }
  }
}
