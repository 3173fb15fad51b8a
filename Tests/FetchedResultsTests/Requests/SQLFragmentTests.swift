import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import Testing

struct SQLFragmentTests {
  private func ids(_ request: FetchRequest<Track>) throws -> [Int64]? {
    let provider = try FetchedResultsProvider(database: try Track.store(), request: request)
    try provider.performFetch()
    return provider.fetchedObjects?.map(\.id)
  }

  @Test func valuesOfEveryTypeMayBeInterpolated() throws {
    let genre: String? = nil
    let request = Track.all.filter(
      "\(\.genre) IS \(genre) AND \(\.milliseconds) > \(1.5) AND \(true) AND \(Value.integer(4)) = id"
    )
    #expect(try ids(request) == [4])
  }

  @Test func anInterpolatedTextNeverBecomesSQL() throws {
    let attack = "' OR 1 = 1 --"
    #expect(try ids(Track.all.filter("name = \(attack)")) == [])
    #expect(try ids(Track.all.filter("name = :n").with(parameters: ["n": .text(attack)])) == [])
  }

  @Test func aFragmentMadeAtRunTimeTakesItsArgumentsInOrder() throws {
    let fragment = SQLFragment<Track>(verbatim: "id BETWEEN ? AND ?", [2, 3])
    #expect(try ids(Track.all.filter(fragment)) == [2, 3])
  }

  @Test func aSelectBindsItsValues() throws {
    let (attack, genre) = ("' OR 1 = 1 --", "Rock")
    func ids(_ select: SQL, _ condition: SQLFragment<Row> = "1") throws -> [Int64] {
      let provider = try FetchedResultsProvider(
        database: try Track.store(), request: FetchRequest(select: select).filter(condition))
      try provider.performFetch()
      try provider.expectConsistent()
      return try provider.fetchedObjects?.map { try $0.decode(Int64.self, at: 0) } ?? []
    }
    #expect(try ids("SELECT id FROM track WHERE genre = \(attack)") == [])
    #expect(try ids("SELECT id FROM track WHERE genre = \(genre)") == [2, 3])
    #expect(try ids("SELECT id, name = '?' FROM track WHERE id IN \([5, 1])", "id > \(1)") == [5])
    #expect(
      try ids("SELECT \(\Track.id) FROM \(Track.self) WHERE \(\Track.name) LIKE \(hasPrefix: "z")")
        == [3])
    #expect(try ids(SQL(verbatim: "SELECT id FROM track WHERE id > ?", [3])) == [4, 5])
    let tooMany = #expect(throws: DatabaseError.self) {
      try ids(SQL(verbatim: "SELECT id FROM track", [3]))
    }
    #expect(tooMany?.code == .invalidArguments)
    let noColumn = #expect(throws: FetchError.self) {
      try ids("SELECT id FROM track WHERE \(\Track.initial) = 'B'")
    }
    #expect(noColumn?.code == .computedProperty)
  }

  @Test func aFragmentNamesOtherRecordsAndContainsFragments() throws {
    let rock: SQLFragment<Track> = "\(\.genre) = \("Rock")"
    #expect(try ids(Track.all.filter("\(rock) AND \(\.id) > \(2)")) == [3])
    #expect(
      try ids(
        Track.all.filter(
          "\(\.id) IN (SELECT max(\(\Other.number)) FROM \(Other.self) WHERE \(\Other.number) < \(5))"
        ))
        == [4])
  }

  @Test func anInterpolatedConditionStaysOne() throws {
    let first: SQLFragment<Track> = "\(\.id) = \(1)"
    let some = first || "\(\.id) = \(3) -- a comment"
    #expect(try ids(Track.all.filter("\(some) AND \(\.id) > \(1)")) == [3])
    #expect(try ids(Track.all.filter("NOT \(some)")) == [2, 4, 5])
    #expect(try ids(Track.all.filter("NOT \(first && "1")")) == [2, 3, 4, 5])
  }

  /// The same rows as other records.
  private struct Other: Codable, FetchableRecord {
    var number: Int
    static let recordDescription = RecordDescription<Other>(
      table: "track", key: \.number, making: Other.init(number:), Column("id", \.number))
  }

  @Test func propertiesBecomeQuotedColumns() throws {
    let fragment: SQLFragment<Track> = "\(\.milliseconds) / \(\.id) >= \(100)"
    #expect(try ids(Track.all.filter(fragment)) == [1, 2, 4, 5])
  }

  // MARK: - Lists

  @Test func aCollectionIsAListOfBoundValues() throws {
    let names = ["Blue", "Zoo", "' OR 1 = 1 --"]
    #expect(try ids(Track.all.filter("\(\.name) IN \(names)")) == [1, 3])
    #expect(try ids(Track.all.filter("\(\.name) NOT IN \(names)")) == [2, 4, 5])
    #expect(try ids(Track.all.filter("\(\.id) IN \(Set([2, 4]))")) == [2, 4])
    #expect(try ids(Track.all.filter("\(\.id) IN \(names.indices)")) == [1, 2])
    #expect(try ids(Track.all.filter("\(\.id) IN \([1, 2, 3].dropFirst())")) == [2, 3])
    #expect(try ids(Track.all.filter("\(\.id) IN \([Value.integer(5), "x"])")) == [5])
    #expect(
      try ids(Track.all.filter("\(\.id) IN \([1, 2, 3]) AND \(\.name) <> \("Zoo")")) == [1, 2])
  }

  @Test func nothingIsInAnEmptyList() throws {
    #expect(try ids(Track.all.filter("\(\.name) IN \([String]())")) == [])
    #expect(try ids(Track.all.filter("\(\.genre) NOT IN \([String]())")) == [1, 2, 3, 4, 5])
  }

  @Test func aNilInAListIsNull() throws {
    let genres = ["Jazz", nil]
    #expect(try ids(Track.all.filter("\(\.genre) IN \(genres)")) == [1, 5])
    #expect(try ids(Track.all.filter("\(\.genre) NOT IN \(genres)")) == [])
    #expect(try ids(Track.all.filter("\(\.genre) NOT IN \(["Jazz"])")) == [2, 3])
  }

  @Test func aLiteralOfNumbersIsAListAndNotBytes() throws {
    #expect(try ids(Track.all.filter("\(\.id) IN \([1, 2])")) == [1, 2])
    #expect(try ids(Track.all.filter("\(\.milliseconds) / 200.0 IN \([1, 2.5])")) == [2, 5])
  }

  @Test func bytesAreOneValueAndAListOfBytesSeveral() throws {
    let bytes: [UInt8] = [0x42, 0x6C, 0x75, 0x65]  // "Blue"
    for fragment: SQLFragment<Track> in [
      "CAST(\(\.name) AS BLOB) = \(bytes)", "CAST(\(\.name) AS BLOB) = \(Data(bytes))",
      "CAST(\(\.name) AS BLOB) IN \([bytes, []])",
      "CAST(\(\.name) AS BLOB) IN \([Data(bytes)])",
    ] {
      #expect(try ids(Track.all.filter(fragment)) == [1])
    }
  }

  @Test func aListIsMaintainedFromTouchedRows() throws {
    let database = try Track.store()
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.filter("\(\.genre) IN \(["Jazz", "Soul"])"),
      sectionedBy: \.genre)
    try provider.performFetch()
    #expect(provider.maintenance == .touchedRows)
    try database.write { connection in
      try connection.execute("UPDATE track SET genre = 'Soul' WHERE id = 3")
      try connection.execute("DELETE FROM track WHERE id = 5")
    }
    #expect(try provider.refresh().description == "+[1] -[0,1] +[1,0]")
    try provider.setRequest(Track.all.filter("\(\.genre) IN \([String]())"))
    #expect(provider.fetchedObjects?.isEmpty == true)
  }

  @Test func aLongListIsBoundUpToSQLitesLimit() throws {
    #expect(try ids(Track.all.filter("\(\.id) IN \(3...20_000)")) == [3, 4, 5])
    let half = Track.all.filter("\(\.id) IN \(1...125_000)")
    for request in [
      Track.all.filter("\(\.id) IN \(1...300_000)"), half.filter("\(\.id) IN \(1...125_000)"),
    ] {
      let error = #expect(throws: DatabaseError.self) { try ids(request) }
      #expect(error?.code == .invalidArguments)
      #expect(error?.description.hasSuffix("IN (SELECT value FROM json_each(?))") == true)
    }
  }
}
