import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Results in which nothing identifies a row: they are numbered, from a copy.
struct ResultCopyTests {
  private func provider(
    _ store: Database, _ request: FetchRequest<Row>, by key: SectionKey<Row>? = nil
  ) throws -> FetchedResultsProvider<Row> {
    let provider = try FetchedResultsProvider(
      database: store, request: request, sectionedBy: key)
    try provider.performFetch()
    try provider.expectConsistent()
    return provider
  }

  @Test func valuesAreCopiedAsTheyAre() throws {
    let values = """
      (NULL), (1), (1.0), ('1'), (x'31'), (''), (x''), (9007199254740993), (9e999),
      ('a' || char(0) || 'b'), ('😀'), (CAST(x'FF' AS TEXT)), (CAST(x'FE' AS TEXT))
      """
    let store = try Database.store("CREATE TABLE t(x)")
    try store.run("INSERT INTO t VALUES \(values)")
    let expected = try store.read {
      try $0.rows("SELECT x, hex(x) AS h, typeof(x) AS y FROM t")
    }
    let copied = try provider(
      store, FetchRequest(select: "SELECT x, hex(x) AS h, typeof(x) AS y FROM t"))
    #expect(copied.fetchedObjects.map { $0.map(\.values) } == expected.map(\.values))
    // Two texts that are not valid UTF-8 stay two.
    let divided = try provider(
      store, FetchRequest(select: "SELECT x FROM t"), by: .property(\Row["x"]))
    #expect(divided.numberOfSections == 12)  // 1 and 1.0 are one.
    let hex = try provider(
      store, FetchRequest(select: "SELECT x FROM t"), by: .expression("hex(x)"))
    #expect(hex.sections.map(\.name).suffix(2) == ["FE", "FF"])
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func textIsOrderedAsInTheStoreItself(encoding: String) throws {
    let store = try Database.store("") {
      $0.prepareConnection = { try $0.execute("PRAGMA encoding = '\(encoding)'") }
    }
    try store.run(
      "CREATE TABLE t(x); INSERT INTO t VALUES ('😀'), ('\u{FB00}'), ('é'), ('Ā'), ('a')")
    let expected = try store.read {
      try $0.rows("SELECT x FROM t ORDER BY x").map { $0["x"] }
    }
    for request in [FetchRequest(table: "t"), FetchRequest(select: "SELECT x FROM t")] {
      let result = try provider(store, request.sorted(by: \Row["x"]))
      #expect(result.fetchedObjects?.map { $0["x"] } == expected)
    }
  }

  @Test func aConditionMayNameTheViewItIsAbout() throws {
    let store = try Track.store("CREATE VIEW loud AS SELECT * FROM track;")
    let request = FetchRequest(table: "loud").filter("loud.id > 3").sorted(by: \Row["name"])
    #expect(try provider(store, request).lines() == ["all: 5 4"])
  }

  @Test func mistakesThatOnlyTheCopyShowsAreFoundWhenItIsMade() throws {
    let store = try Track.store("CREATE VIEW loud AS SELECT * FROM track;")
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest(table: "loud").sorted(by: \Row["nam"]))
    let error = #expect(throws: FetchError.self) { try provider.performFetch() }
    #expect(error?.message == "there is no column nam in loud")
    #expect(error?.nextStep == "The columns are: id, name, genre, milliseconds")
  }

  @Test func duplicateAndEmptyColumnNamesAreToldApart() throws {
    let result = try provider(
      try .store(""), FetchRequest(select: "SELECT 1 AS a, 2 AS A, 3 AS \"\", 4 AS \"a:1\""))
    let row = try #require(result.fetchedObjects?.first)
    #expect(row.values == [1, 2, 3, 4])
    #expect(Set(row.columnNames.names).count == 4)
  }

  @Test func aCopyIsMadeAnewAtEachFetchAlsoWhenTheColumnsChange() throws {
    let store = try Track.store("CREATE VIEW loud AS SELECT id, name FROM track WHERE id < 3;")
    let result = try provider(store, FetchRequest(table: "loud"))
    #expect(result.fetchedObjects?.map(\.values.count) == [2, 2])
    try store.run("DROP VIEW loud; CREATE VIEW loud AS SELECT id, genre, name FROM track")
    #expect(result.fetchedObjects?.map(\.values.count) == [2, 2])
    try result.performFetch()
    #expect(result.fetchedObjects?.first?.columnNames.names == ["id", "genre", "name"])
    #expect(result.fetchedObjects?.first?.values == [1, "Jazz", "Blue"])
  }

  @Test func functionsAndCollationsOfTheApplicationWorkInTheCopy() throws {
    func store(usesWAL: Bool) throws -> Database {
      try .store(Track.sample) {
        $0.usesWAL = usesWAL
        $0.functions = [ScalarFunction("twice", argumentCount: 1) { $0[0] }]
        $0.collations = [CustomCollation("backwards") { $0 < $1 ? 1 : $0 == $1 ? 0 : -1 }]
      }
    }
    for usesWAL in [true, false] {
      let request = FetchRequest(select: "SELECT * FROM track").filter("twice(id) > 1")
        .sorted(by: \Row["name"], collation: .custom("backwards"))
      let result = try provider(try store(usesWAL: usesWAL), request)
      #expect(result.fetchedObjects?.map { $0["id"] } == [3, 4, 2, 5])
    }
  }

  @Test func aRecordOfANumberedRowHasNoKeyToBeFoundBy() throws {
    let result = try provider(try Track.store(), FetchRequest(select: "SELECT * FROM track"))
    let row = try #require(result.fetchedObjects?.first)
    let error = #expect(throws: FetchError.self) { try result.indexPath(for: row) }
    #expect(error?.code == .missingKey)
    #expect(try result.indexPath(forIdentity: 1) == [0, 0])
  }

  @Test func recordsOfATypeMayComeFromACopyToo() throws {
    struct Loud: FetchableRecord, Equatable {
      let name: String
      let seconds: Double

      static let recordDescription = RecordDescription(
        select: "SELECT milliseconds / 1000.0 AS seconds, upper(name) AS NAME FROM track",
        making: Loud.init, Column("name", \.name), Column("seconds", \.seconds))
    }
    let provider = try FetchedResultsProvider(
      database: try Track.store(), request: Loud.all.sorted(by: \.seconds).limited(to: 2),
      sectionNameKeyPath: \.name)
    try provider.performFetch()
    #expect(
      provider.fetchedObjects?.map(\.self) == [
        Loud(name: "AHEAD", seconds: 0.5), Loud(name: "ANTHEM", seconds: 0.2),
      ])
  }
}
