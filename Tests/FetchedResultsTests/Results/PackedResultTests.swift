import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Results in which nothing identifies a row, and those in which none can be looked up: their rows are packed in memory.
struct PackedResultTests {
  private func provider(
    _ store: Database, _ request: FetchRequest<Row>, by key: SectionKey<Row>? = nil
  ) throws -> FetchedResultsProvider<Row> {
    let provider = try FetchedResultsProvider(
      database: store, request: request, sectionedBy: key)
    try provider.performFetch()
    try provider.expectConsistent()
    return provider
  }

  /// A list of the numbers up to one that is in another table.
  private func numbers(
    packedSizeLimit: Int? = nil
  ) throws -> (store: Database, provider: FetchedResultsProvider<Row>) {
    let store = try Database.store(
      """
      CREATE TABLE limits(n); INSERT INTO limits VALUES (10);
      CREATE VIEW numbers AS WITH RECURSIVE c(i) AS (
        SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < (SELECT n FROM limits)) SELECT i FROM c;
      """
    ) { $0.packedSizeLimit = packedSizeLimit }
    return (store, try provider(store, FetchRequest(table: "numbers")))
  }

  @Test func anEndlessResultEndsAtTheLimitOfItsRows() throws {
    let (store, list) = try numbers(packedSizeLimit: 1 << 20)
    try store.run("UPDATE limits SET n = 9000000000000")
    let refresh = #expect(throws: FetchError.self) { try list.refresh() }
    #expect(refresh?.code == .resultTooLarge)
    #expect(refresh?.message.contains("more than 1 MiB") == true)
    #expect(list.fetchedObjects?.count == 10)
    let fetch = #expect(throws: FetchError.self) {
      try provider(store, FetchRequest(table: "numbers"))
    }
    #expect(fetch?.code == .resultTooLarge)
    try store.run("UPDATE limits SET n = 12")
    try list.refresh()
    #expect(list.fetchedObjects?.count == 12)
    try list.expectConsistent()
  }

  /// Only what is shown takes memory for its content.
  @Test func theLimitCountsWhatIsShown() throws {
    let store = try Database.store(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 'a'), (2, zeroblob(100000))"
    ) { $0.packedSizeLimit = 10_000 }
    let request = FetchRequest(
      select: "SELECT id, x, row_number() OVER (ORDER BY id) FROM t", key: ["id"])
    #expect(try provider(store, request.limited(to: 1)).fetchedObjects?.count == 1)
    let error = #expect(throws: FetchError.self) { try provider(store, request) }
    #expect(error?.code == .resultTooLarge)
    #expect(error?.message.hasSuffix("would take more than 10000 bytes") == true)
  }

  @Test func valuesArePackedAsTheyAre() throws {
    let values = """
      (NULL), (1), (1.0), ('1'), (x'31'), (''), (x''), (9007199254740993), (9e999),
      ('a' || char(0) || 'b'), ('😀'), (CAST(x'FF' AS TEXT)), (CAST(x'FE' AS TEXT))
      """
    let store = try Database.store("CREATE TABLE t(x)")
    try store.run("INSERT INTO t VALUES \(values)")
    let expected = try store.read {
      try $0.rows("SELECT x, hex(x) AS h, typeof(x) AS y FROM t")
    }
    let packed = try provider(
      store, FetchRequest(select: "SELECT x, hex(x) AS h, typeof(x) AS y FROM t"))
    #expect(packed.fetchedObjects.map { $0.map(\.values) } == expected.map(\.values))
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
      $0.prepareConnection = { try $0.execute(SQL(verbatim: "PRAGMA encoding = '\(encoding)'")) }
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

  /// SQLite does not find a text with one half of a surrogate pair again: such rows are identified by content.
  @Test(arguments: ["", "WITHOUT ROWID"])
  func aKeyThatIsNotValidUTF16IsLeft(_ option: String) throws {
    let schema = "CREATE TABLE t(k TEXT PRIMARY KEY, v) \(option)"
    for isFirst in [false, true] {
      let store = try Database.store("") {
        $0.prepareConnection = { try $0.execute("PRAGMA encoding = 'UTF-16le'") }
      }
      try store.run("\(schema); INSERT INTO t VALUES ('b', 1)")
      let insertion = """
        INSERT INTO t VALUES (CAST(x'00D8' AS TEXT), 2), (CAST(x'6100FFDF' AS TEXT), 3)
        """
      if isFirst { try store.run(insertion) }
      let list = try provider(store, FetchRequest(table: "t").sorted(by: \Row["v"]))
      if !isFirst { try store.run(insertion) }
      try list.refresh()
      #expect(list.fetchedObjects?.map { $0["v"] } == [1, 2, 3])
      try store.run("UPDATE t SET v = 4 WHERE v = 2; DELETE FROM t WHERE v = 1")
      try list.refresh()
      #expect(list.fetchedObjects?.map { $0["v"] } == [3, 4])
      try list.expectConsistent()
    }
    // A text with U+FFFF is found.
    let store = try Database.store("") {
      $0.prepareConnection = { try $0.execute("PRAGMA encoding = 'UTF-16le'") }
    }
    try store.run("\(schema); INSERT INTO t VALUES ('\u{FFFD}', 1), (CAST(x'FFFF' AS TEXT), 2)")
    let list = try provider(store, FetchRequest(table: "t"))
    #expect(Set(list.fetchedObjects?.map { $0["v"] } ?? []) == [1, 2])
    try store.run("UPDATE t SET v = v + 2")
    try list.refresh()
    #expect(Set(list.fetchedObjects?.map { $0["v"] } ?? []) == [3, 4])
  }

  @Test func aConditionMayNameTheViewItIsAbout() throws {
    let store = try Track.store("CREATE VIEW loud AS SELECT * FROM track;")
    let request = FetchRequest(table: "loud").filter("loud.id > 3").sorted(by: \Row["name"])
    #expect(try provider(store, request).lines() == ["all: 5 4"])
  }

  @Test func mistakesAreFoundBeforeAnythingIsRead() throws {
    let store = try Track.store("CREATE VIEW loud AS SELECT * FROM track;")
    let error = #expect(throws: FetchError.self) {
      try FetchedResultsProvider(
        database: store, request: FetchRequest(table: "loud").sorted(by: \Row["nam"]))
    }
    #expect(error?.message == "there is no column nam in loud")
    #expect(error?.nextStep == "The columns are: id, name, genre, milliseconds")
  }

  @Test func duplicateAndEmptyColumnNamesAreDistinguished() throws {
    let result = try provider(
      try .store(""), FetchRequest(select: "SELECT 1 AS a, 2 AS A, 3 AS \"\", 4 AS \"a:1\""))
    let row = try #require(result.fetchedObjects?.first)
    #expect(row.values == [1, 2, 3, 4])
    #expect(Set(row.columnNames.names).count == 4)
  }

  @Test func rowsAreReadAnewAtEachFetchAlsoWhenTheColumnsChange() throws {
    let store = try Track.store("CREATE VIEW loud AS SELECT id, name FROM track WHERE id < 3;")
    let result = try provider(store, FetchRequest(table: "loud"))
    #expect(result.fetchedObjects?.map(\.values.count) == [2, 2])
    try store.run("DROP VIEW loud; CREATE VIEW loud AS SELECT id, genre, name FROM track")
    #expect(result.fetchedObjects?.map(\.values.count) == [2, 2])
    try result.performFetch()
    #expect(result.fetchedObjects?.first?.columnNames.names == ["id", "genre", "name"])
    #expect(result.fetchedObjects?.first?.values == [1, "Jazz", "Blue"])
  }

  @Test func functionsAndCollationsOfTheApplicationWork() throws {
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
    let result = try provider(try Track.store(), FetchRequest(select: "SELECT name FROM track"))
    let row = try #require(result.fetchedObjects?.first)
    let error = #expect(throws: FetchError.self) { try result.indexPath(for: row) }
    #expect(error?.code == .missingKey)
    #expect(try result.indexPath(forIdentity: 1) == [0, 0])
  }

  @Test func recordsOfATypeCanBeReadToo() throws {
    struct Loud: FetchableRecord, Equatable {
      let name: String
      let seconds: Double

      static let recordDescription = RecordDescription(
        select: "SELECT milliseconds / 1000.0 AS seconds, upper(name) AS NAME FROM track",
        making: Loud.init, Column("name", \.name), Column("seconds", \.seconds))
    }
    let provider = try FetchedResultsProvider(
      database: try Track.store(), request: Loud.all.sorted(by: \.seconds).limited(to: 2),
      sectionedBy: \.name)
    try provider.performFetch()
    #expect(
      provider.fetchedObjects?.map(\.self) == [
        Loud(name: "AHEAD", seconds: 0.5), Loud(name: "ANTHEM", seconds: 0.2),
      ])
  }

  // MARK: Keys that cannot be looked up

  private static let numbers = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT, n INTEGER);
    WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 2000)
    INSERT INTO t SELECT x, 'title ' || (x * 7919 % 2003), x % 7 FROM i;
    """

  @Test(
    arguments: [
      "SELECT id, title FROM t ORDER BY title LIMIT 100000",
      "SELECT id, title, row_number() OVER (ORDER BY title) FROM t",
      "SELECT id, title FROM t WHERE id IN (SELECT id FROM t WHERE n < 9 LIMIT 2000)",
      "SELECT n AS id, count(*) FROM t GROUP BY n + 0",
    ])
  func whatTakesManyRowsToFindOneIsReadOnce(select: String) throws {
    let store = try Database.store(Self.numbers)
    let fetch = ResultLoader(
      database: store, request: FetchRequest(select: SQL(verbatim: select), key: ["id"]),
      sectionKey: nil)
    let version: ResultsVersion = try fetch.version(of: try store.snapshot())
    #expect(version.packed != nil)
    // Nothing of it is read from the file.
    try store.close()
    #expect(version.snapshot.isExpired && !version.isExpired)
    let count = version.index.layout.count
    var ids: [Value] = []
    try version.read(0..<count) { ids.append($0.value(at: 0)) }
    #expect(ids.count == count)
    for position in stride(from: 0, to: count, by: 100) {
      let identity = try version.identities(at: position..<(position + 1))[0]
      #expect(identity == RowIdentity([ids[position]]))
      #expect(try version.position(of: identity) == position)
    }
  }

  @Test func whatIsLookedUpIsNotPacked() throws {
    let store = try Database.store(Self.numbers)
    let requests = [
      FetchRequest(table: "t").filter("id IN (SELECT id FROM t WHERE n < 3)"),
      FetchRequest(select: "SELECT id, title FROM t WHERE n < 3", key: ["id"]),
    ]
    for request in requests {
      let fetch = ResultLoader(database: store, request: request, sectionKey: nil)
      let version: ResultsVersion = try fetch.version(of: try store.snapshot())
      #expect(version.packed == nil)
    }
  }

  @Test func packedRowsWithAKeyAreComparedByIt() throws {
    let request = FetchRequest(
      select: "SELECT id, title FROM t ORDER BY title LIMIT 4", key: ["id"]
    ).sorted(by: \Row["title"])
    let list = try LiveList(
      try .store(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT);
        INSERT INTO t VALUES (1, 'd'), (2, 'a'), (3, 'c'), (4, 'b'), (5, 'e');
        """), request)
    #expect(try list.provider.lines() == ["all: 2 4 3 1"])
    #expect(!list.isFast && list.hasKey)
    #expect(try list.commit("UPDATE t SET title = 'f' WHERE id = 2").description == "-[0,0] +[0,3]")
    #expect(try list.commit("UPDATE t SET title = 'bb' WHERE id = 1").description == "[0,2]>[0,1]")
    #expect(
      try list.set(request.filter("title > 'b'").limited(to: 2)).description == "-[0,3] -[0,0]")
    #expect(try list.provider.lines() == ["all: 1 3"])
  }

  /// Whether rows are packed or compared in place: a commit to another table costs neither.
  @Test(arguments: [
    "SELECT title FROM t LIMIT 5", "SELECT id, row_number() OVER (ORDER BY title) AS n FROM t",
    "SELECT id, title FROM t WHERE length(title) >= (SELECT max(k) FROM (SELECT 1 AS k))",
    "SELECT value FROM json_each('[1, 2]'), t",
  ])
  func whatOtherTablesGetIsNoReasonToCompare(_ select: String) throws {
    let store = try Database.store(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, title); INSERT INTO t VALUES (1, 'a'), (2, 'b');
      CREATE TABLE other(x);
      """)
    let loader = ResultLoader(
      database: store, request: FetchRequest<Row>(select: SQL(verbatim: select)))
    let old = try loader.fetch(isTracked: true).version
    try store.run("INSERT INTO other VALUES (1)")
    let kept = try #require(try loader.advance(old, to: store.snapshot()))
    #expect(kept.changes.isEmpty)
    #expect(kept.source == .capture)
    if let packed = old.packed {
      #expect(kept.version.packed?.hasSameRows(as: packed) == true)
    }
    try kept.version.checkInvariants()
    try store.run("INSERT INTO other VALUES (2); INSERT INTO t VALUES (0, 'c')")
    let next = try #require(try loader.advance(kept.version, to: store.snapshot()))
    #expect(next.changes.isEmpty == false)
    let fresh = try loader.fetch(isTracked: true).version
    #expect(next.version.layout.rowCount == fresh.layout.rowCount)
  }

  @Test func mistakesInAKeyThatCannotBeLookedUpAreTheErrorsTheyAre() throws {
    let store = try Database.store("CREATE TABLE t(a); INSERT INTO t VALUES (1), (1)")
    let request = FetchRequest(select: "SELECT a FROM t LIMIT 5", key: ["a"])
    let twice = #expect(throws: FetchError.self) { try provider(store, request) }
    #expect(twice?.code == .invalidKey)
    try store.run("DELETE FROM t; INSERT INTO t VALUES (NULL), (NULL)")
    let null = #expect(throws: FetchError.self) { try provider(store, request) }
    #expect(null?.message == "two rows have the key NULL in a")
  }

  @Test func aKeyMayNameAColumnTwice() throws {
    let store = try Database.store(
      "CREATE TABLE t(column0, term0); INSERT INTO t VALUES ('x', 2), ('y', 1)")
    let request = FetchRequest(
      select: "SELECT * FROM t LIMIT 5", key: ["column0", "term0", "COLUMN0"])
    #expect(
      try provider(store, request.sorted(by: \Row["term0"])).fetchedObjects?.map(\.values)
        == [["y", 1], ["x", 2]])
  }

  @Test func anOrderMayReadOtherTables() throws {
    let store = try Track.store(
      "CREATE TABLE weight(track, kilos); INSERT INTO weight VALUES (3, 1)")
    let heaviest = SortTerm<Row>.expression(
      "(SELECT kilos FROM weight WHERE track = id)", .descending)
    for key in [nil, ["id"]] {
      let request = FetchRequest(select: "SELECT id FROM track LIMIT 9", key: key)
      let result = try provider(store, request.sorted(heaviest))
      #expect(result.fetchedObjects?.first?["id"] == 3)
    }
  }

  @Test func keysThatACollationTakesForEqualAreOne() throws {
    let store = try Database.store(
      "CREATE TABLE t(k TEXT COLLATE NOCASE, n); INSERT INTO t VALUES ('a', 2), ('b', 1)")
    let request = FetchRequest(
      select: "SELECT k, n, sum(n) OVER (ORDER BY n) AS s FROM t", key: ["k"]
    ).sorted(by: \Row["n"])
    let list = try provider(store, request)
    #expect(try list.indexPath(forIdentity: RowIdentity([.text("a")])) == [0, 1])
    #expect(try list.shownVersion?.collatedIdentity(of: RowIdentity([.text("B")]))?.values == ["b"])
    try store.run("INSERT INTO t VALUES ('c', 3), ('A', 0)")
    let error = #expect(throws: FetchError.self) { try list.refresh() }
    #expect(error?.code == .invalidKey)
    #expect(list.fetchedObjects?.count == 2)
    try store.run("UPDATE t SET k = 'd' WHERE n = 0")
    #expect(try list.refresh().insertedRows.count == 2)
    try list.expectConsistent()
  }

  @Test func aUUIDIsFoundInTheFormThatIsStored() throws {
    struct Item: FetchableRecord, Codable, Identifiable {
      let id: UUID
      let place: Int

      static let recordDescription = RecordDescription<Item>(
        select: "SELECT id, row_number() OVER (ORDER BY rowid) AS place FROM item",
        key: \.id)
    }
    let id = UUID()
    let store = try Database.store(
      "CREATE TABLE item(id TEXT); INSERT INTO item VALUES ('x'), ('\(id.uuidString.lowercased())')"
    )
    let provider = try FetchedResultsProvider(
      database: store, request: Item.all.sorted(by: \.place))
    try provider.performFetch()
    #expect(try provider.indexPath(for: Item(id: id, place: 0)) == [0, 1])
  }

  /// A number is shown of the rows of the window only, and is not used again.
  @Test func rowsBeforeAWindowHaveNoNumber() throws {
    let store = try Database.store(
      "CREATE TABLE t(x); INSERT INTO t VALUES ('a'), ('b'), ('c'), ('d')")
    let request = FetchRequest(select: "SELECT x FROM t LIMIT -1").limited(to: 2, offset: 1)
    let list = try provider(store, request)
    #expect(try list.identity(at: [0, 0]) == 1 && list.identity(at: [0, 1]) == 2)
    #expect(try list.indexPath(forIdentity: -1) == nil)
    try store.run("DELETE FROM t WHERE x = 'a'")
    #expect(try list.refresh().description == "-[0,0] +[0,1]")
    #expect(try list.identity(at: [0, 0]) == 2 && list.identity(at: [0, 1]) == 3)
    try list.shownVersion?.checkInvariants()
    try store.run("UPDATE t SET x = 'e' WHERE x = 'd'; DELETE FROM t WHERE x = 'b'")
    try list.refresh()
    try list.shownVersion?.checkInvariants()
    try list.expectConsistent()
  }
}
