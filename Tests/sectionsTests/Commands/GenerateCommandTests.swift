import FetchedResults
import Foundation
import SQLiteStorage
import Testing

@Suite(.timeLimit(.minutes(5))) struct GenerateCommandTests {
  private let folder: TestFolder
  /// The file that the compiler has seen with these tests.
  private let records = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "GeneratedRecords.swift")

  private static let schema = """
    CREATE TABLE album_track(
      ID INTEGER PRIMARY KEY, release_year INT NOT NULL, TrackName VARCHAR(20),
      "default" REAL NOT NULL, is_live BOOLEAN NOT NULL, made_on DATETIME, price DECIMAL(9,2),
      cover BLOB, "any""thing", "2nd" TEXT, length INTEGER AS (length(TrackName)));
    CREATE TABLE bare(x);
    CREATE TABLE part(album INT, number INT, PRIMARY KEY (number, album)) WITHOUT ROWID;
    CREATE VIEW titles AS SELECT TrackName FROM album_track;
    """

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase(Self.schema)
  }

  private func generate(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["generate", "a.db"] + arguments, in: folder)
  }

  @Test func theRecordsAreThoseThatTheseTestsAreCompiledWith() async throws {
    let text = try String(contentsOf: records, encoding: .utf8)
    try await generate().expect(text)
    try await generate("--check", records.path).expect("")
  }

  @Test func theRecordsReadAndWriteTheirTables() throws {
    let database = try Database.inMemory()
    let date = Date(timeIntervalSince1970: 1_000_000)
    try database.write { connection throws in
      try connection.execute(script: Self.schema)
      let id = try connection.insert(
        AlbumTrack(
          releaseYear: 1999, trackName: "Blue", default: 1.5, isLive: true, madeOn: date,
          price: 2.25, cover: [1], anyThing: "x", column2nd: "y"))
      let track = try connection.find(AlbumTrack.self, id)
      #expect(track.length == 4)
      #expect(track.madeOn == date)
      #expect(track.price == 2.25)
      try connection.insert(Bare(x: 1))
      try connection.insert(Part(album: 1, number: 2))
      #expect(try connection.find(Part.self, 2, 1).album == 1)
      #expect(try connection.fetchAll(Bare.all).map(\.rowid) == [1])
      #expect(try connection.fetchAll(Titles.all).map(\.trackName) == ["Blue"])
    }
  }

  @Test func aNameOfOtherBytesIsADifference() async throws {
    try folder.makeDatabase("CREATE TABLE \"caf\u{E9}\"(id INTEGER PRIMARY KEY)")
    let text = try await generate("caf\u{E9}").stdout
    try folder.write(text.replacing("caf\u{E9}", with: "cafe\u{301}"), to: "Records.swift")
    let result = try await generate("caf\u{E9}", "--check", "Records.swift")
    #expect(result.status == 1)
  }

  @Test func aViewThatCannotBeReadIsLeftOutAndReported() async throws {
    let before = try await generate()
    try folder.makeDatabase("CREATE VIEW broken AS SELECT nope FROM bare")
    let result = try await generate()
    #expect(result.status == 65)
    #expect(result.stdout == before.stdout)
    #expect(
      result.stderr.hasPrefix("sections: broken is left out: the columns of broken are not known"))
    try await generate("broken").expectFailure(65, "the columns of broken are not known")
    try folder.write(before.stdout, to: "Records.swift")
    try await generate("--check", "Records.swift").expectFailure(65, "broken is left out")
  }

  @Test func aChangedSchemaIsShownAsLines() async throws {
    let before = try await generate("part")
    try folder.write(before.stdout, to: "Records.swift")
    try await generate("PART", "--check", "Records.swift").expect("")
    try folder.makeDatabase(
      """
      CREATE TABLE part(album INT, number INT, note TEXT, PRIMARY KEY (number, album))
        WITHOUT ROWID;
      """, named: "b.db")
    let result = try await Tool.run(
      ["generate", "b.db", "part", "--check", "Records.swift"], in: folder)
    #expect(result.status == 1)
    #expect(
      result.stdout == """
        --- Records.swift
        +++ b.db
        +  var note: String?
        -    Column("number", \\.number))
        +    Column("number", \\.number),
        +    Column("note", \\.note))

        """)
    #expect(
      result.stderr == """
        sections: Records.swift does not match the schema. Run: sections generate b.db part \
        > Records.swift

        """)
  }

  @Test func whatIsMissingIsNamed() async throws {
    let table = try await generate("prt")
    #expect(table.status == 65)
    #expect(table.stderr.hasPrefix("sections: there is no table or view prt"))
    let file = try await generate("part", "--check", "missing.swift")
    #expect(file.status == 66)
    #expect(file.stderr == "sections: there is no such file: missing.swift. Check the path\n")
  }

  @Test func noRecordHidesATypeOrAnotherRecord() async throws {
    let folder = try TestFolder()
    try folder.makeDatabase(
      """
      CREATE TABLE "column"(id INTEGER PRIMARY KEY);
      CREATE TABLE date(id INTEGER PRIMARY KEY, day DATE);
      CREATE TABLE order_item(id INTEGER PRIMARY KEY);
      CREATE TABLE orderItem(id INTEGER PRIMARY KEY);
      """)
    let text = try await Tool.run(["generate", "a.db"], in: folder).stdout
    for name in ["ColumnRecord", "DateRecord", "OrderItem", "OrderItem2"] {
      #expect(text.contains("struct \(name): FetchableRecord, Identifiable {"), "\(text)")
      #expect(text.contains("making: \(name).init,"))
    }
    #expect(text.contains("var day: Date?"))
  }
}
