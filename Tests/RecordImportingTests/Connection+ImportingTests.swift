import FetchedResults
import RecordImporting
import SQLiteStorage
import Testing

/// Records of JSON, and the rows they become.
@Suite struct ImportTests {
  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.withWriter { connection in
      try connection.execute(
        script: """
          CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
          CREATE TABLE cover(
            id INTEGER PRIMARY KEY, artist_id INT REFERENCES artist(id),
            label TEXT NOT NULL DEFAULT 'untitled' CHECK (label <> ''), weight REAL, image BLOB,
            bought DATE, initial TEXT GENERATED ALWAYS AS (substr(label, 1, 1)));
          CREATE VIEW labels AS SELECT label FROM cover;
          INSERT INTO artist VALUES (1, 'Ada');
          """)
    }
  }

  private func importRecords(
    _ text: String, into table: String = "cover"
  ) throws -> (summary: ImportSummary, refusals: [String]) {
    var refusals: [String] = []
    let summary = try database.write { connection in
      try connection.importRecords(try JSONRecords(text.utf8), into: table) {
        refusals.append("\($0)")
      }
    }
    return (summary, refusals)
  }

  private func covers(_ columns: String) throws -> [[Value]] {
    try database.read {
      try $0.rows(SQL(verbatim: "SELECT \(columns) FROM cover ORDER BY id")).map(\.values)
    }
  }

  @Test func valuesKeepTheirTypeAndTheirDigits() throws {
    let (summary, refusals) = try importRecords(
      """
      [{"id": 9007199254740993, "Label": "é", "weight": 2.5, "bought": "2024-02-29",
        "image": {"base64": "AP8="}, "artist_id": true},
       {"weight": 3, "image": null, "artist_id": 1.0},
       {}]
      """)
    #expect(summary.importedCount == 3)
    #expect(refusals == [])
    #expect(
      try covers("label, weight, image, bought, artist_id") == [
        ["é", 2.5, .blob([0, 255]), "2024-02-29", 1],
        ["untitled", 3.0, .null, .null, 1],
        ["untitled", .null, .null, .null, .null],
      ])
    #expect(try covers("id").first == [9_007_199_254_740_993])
  }

  @Test(
    arguments: [
      ("17", "a record must be an object, not the number 17"),
      ("[{}]", "a record must be an object, not an array"),
      ("null", "a record must be an object, not null"),
      ("{\"lable\": \"x\"}", "there is no column lable in cover. The columns are: id, artist_id"),
      ("{\"\": \"x\"}", "there is no column \"\" in cover"),
      ("{\"label\": \"x\", \"LABEL\": \"y\"}", "label is given twice"),
      ("{\"initial\": \"x\"}", "the column initial of cover is generated"),
      ("{\"label\": 5}", "label must be TEXT, not the number 5"),
      ("{\"label\": true}", "label must be TEXT, not true"),
      ("{\"label\": [\"x\"]}", "label cannot hold an array"),
      ("{\"label\": {\"text\": \"x\"}}", "label cannot hold an object"),
      ("{\"artist_id\": \"1\"}", "artist_id must be INT, not the text \"1\""),
      ("{\"artist_id\": 1.5}", "artist_id must be INT, not the number 1.5"),
      (
        "{\"artist_id\": 9223372036854775808}", "artist_id is the number 9223372036854775808, which"
      ),
      ("{\"weight\": 1e999}", "weight is the number 1e999, which is too large"),
      ("{\"weight\": \"heavy\"}", "weight must be REAL, not the text \"heavy\""),
      ("{\"image\": \"AP8=\"}", "image must be BLOB, not the text \"AP8=\""),
      ("{\"image\": {\"base64\": \"?\"}}", "image cannot hold an object"),
      ("{\"label\": null}", "NOT NULL constraint failed: cover.label"),
      ("{\"label\": \"\"}", "CHECK constraint failed: label <> ''"),
      ("{\"artist_id\": 7}", "FOREIGN KEY constraint failed"),
      ("{\"id\": 1}", "UNIQUE constraint failed: cover.id"),
    ] as [(String, String)])
  func aBadRecordIsReportedWithItsNumberAndTheOthersStay(_ bad: String, _ reason: String) throws {
    let (summary, refusals) = try importRecords("[{\"id\": 1}, \(bad), {\"label\": \"last\"}]")
    #expect(summary.importedCount == 2)
    #expect(summary.refusedCount == 1)
    #expect(refusals.count == 1)
    #expect(refusals.first?.hasPrefix("record 2: \(reason)") == true, "\(refusals)")
    #expect(refusals.first?.contains("INSERT") == false)
    #expect(try covers("label") == [["untitled"], ["last"]])
  }

  @Test func whatCannotBeWrittenIsAnError() throws {
    let missing = #expect(throws: FetchError.self) { try importRecords("[{}]", into: "covers") }
    #expect(missing?.code == .noSuchTable)
    #expect(missing?.nextStep == "The database has: artist, cover")
    let view = #expect(throws: FetchError.self) { try importRecords("[{}]", into: "labels") }
    #expect(view?.code == .notWritable)
    #expect(throws: JSONSyntaxError.self) { try importRecords("[{\"label\": \"x\"}, {]") }
    #expect(try covers("id").isEmpty)
  }

  @Test func anErrorOfTheDatabaseEndsTheImportAndNothingStays() throws {
    try database.withWriter { connection in
      try connection.execute(
        script: """
          CREATE TRIGGER stop BEFORE INSERT ON cover WHEN NEW.label = 'stop'
          BEGIN SELECT RAISE(ROLLBACK, 'all of it'); END;
          CREATE TRIGGER skip BEFORE INSERT ON cover WHEN NEW.label = 'skip'
          BEGIN SELECT RAISE(IGNORE); END;
          """)
    }
    let error = #expect(throws: DatabaseError.self) {
      try importRecords("[{}, {\"label\": \"stop\"}, {}]")
    }
    #expect(error?.message == "all of it")
    #expect(try covers("id").isEmpty)
    let (summary, refusals) = try importRecords("[{}, {\"label\": \"skip\"}]")
    #expect(summary.importedCount == 1)
    #expect(
      refusals.first?.hasPrefix("record 2: a trigger or a conflict clause ignored the record")
        == true)
  }

  struct Named: FetchableRecord, Decodable {
    var id: Int64?
    var name: String

    static let recordDescription = RecordDescription(
      table: "artist", key: \.id, making: Named.init, Column("id", \.id), Column("name", \.name))
  }

  @Test func recordsOfATypeAreDecodedAndInserted() throws {
    let records = try JSONRecords(
      "[{\"name\": \"Grace\"}, {\"name\": 5}, {}, [], {\"name\": \"Ada\"}]".utf8)
    var refusals: [ImportRefusal] = []
    let summary = try database.write { connection in
      try connection.importRecords(records, as: Named.self) { refusals.append($0) }
    }
    #expect(summary.importedCount == 1)
    #expect(refusals.map(\.number) == [2, 3, 4, 5])
    let texts = refusals.map(\.description)
    #expect(texts[0].hasPrefix("record 2: name must be String"))
    #expect(texts[1].hasPrefix("record 3: name is missing"))
    #expect(texts[2].hasPrefix("record 4: a record must be"))
    #expect(texts[3] == "record 5: UNIQUE constraint failed: artist.name")
    #expect(
      try database.read { try $0.rows("SELECT name FROM artist ORDER BY id").map(\.values) }
        == [["Ada"], ["Grace"]])
  }

  @Test func whatWriteDidForARefusedRecordIsUndone() throws {
    struct Refused: Error {}
    let summary = try database.write { connection in
      try connection.importRecords(try JSONRecords("[1, 2, 3]".utf8)) { record in
        try connection.execute(
          "INSERT INTO cover(label) VALUES (?)", [.integer(Int64(record.number))])
        if record.number == 2 { throw Refused() }
      }
    }
    #expect(summary.refusedCount == 1)
    #expect(try covers("label") == [["1"], ["3"]])
  }
}
