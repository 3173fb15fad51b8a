import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Keys that are none.
struct IndexBuilderTests {
  private func error(
    _ script: String, _ request: FetchRequest<Row>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> FetchError? {
    let provider = try FetchedResultsProvider(database: try .store(script), request: request)
    let error = #expect(throws: FetchError.self, sourceLocation: sourceLocation) {
      try provider.performFetch()
    }
    #expect(error?.code == .invalidKey, sourceLocation: sourceLocation)
    #expect(provider.fetchedObjects == nil, sourceLocation: sourceLocation)
    return error
  }

  @Test(arguments: ["1, 'a'), (1, 'b'", "1, 'a'), (1.0, 'b'", "'x', 'a'), ('x', 'b'"])
  func aKeyThatIsNotUniqueIsRefusedWithItsValue(rows: String) throws {
    let script = """
      CREATE TABLE t(k, v); INSERT INTO t VALUES (7, 'c'), (\(rows)), (8, 'd');
      CREATE VIEW w AS SELECT * FROM t;
      """
    for request in [
      FetchRequest(table: "t", key: ["k"]), FetchRequest(table: "w", key: ["k"]),
      FetchRequest(select: "SELECT * FROM t", key: ["k"]),
    ] {
      let error = try error(script, request)
      #expect(error?.message.contains("two rows have the key") == true)
      #expect(error?.message.contains(rows.contains("x") ? "\"x\"" : "1") == true)
      // What a condition leaves out does no harm.
      let provider = try FetchedResultsProvider(
        database: try .store(script), request: request.filter("v <> 'a'").sorted(by: \Row["v"]))
      try provider.performFetch()
      try provider.expectConsistent()
    }
  }

  @Test func aKeyIsUniqueUnderTheCollationThatFindsIt() throws {
    let script =
      "CREATE TABLE t(k TEXT COLLATE NOCASE, v); INSERT INTO t VALUES ('a', 1), ('A', 2);"
    _ = try error(script, FetchRequest(table: "t", key: ["k"]))
    _ = try error(script, FetchRequest(select: "SELECT * FROM t", key: ["k"]))
    let collated = "SELECT column1 COLLATE NOCASE AS k FROM (VALUES ('a'), ('A'))"
    _ = try error("", FetchRequest(select: SQL(verbatim: collated), key: ["k"]))
    // An operator's result has no collation of its operands.
    let computed = FetchRequest(select: "SELECT k || '' AS k FROM t", key: ["k"])
    let provider = try FetchedResultsProvider(database: try .store(script), request: computed)
    #expect(try provider.fetchedLines() == ["all: \"A\" \"a\""])
    try provider.expectConsistent()
  }

  @Test(arguments: ["TEXT PRIMARY KEY", "INTEGER PRIMARY KEY DESC", "UNIQUE"])
  func twoRowsWithNullAsTheirKeyAreRefused(type: String) throws {
    let script =
      "CREATE TABLE t(k \(type), v); INSERT INTO t VALUES (NULL, 1), ('2', 2), (NULL, 3);"
    let error = try error(script, FetchRequest(table: "t", key: ["k"]))
    #expect(error?.message == "two rows have the key NULL in k")
    #expect(error?.nextStep?.contains("condition") == true)
    let provider = try FetchedResultsProvider(
      database: try .store(script),
      request: FetchRequest(table: "t", key: ["k"]).filter("k NOTNULL"))
    try provider.performFetch()
    #expect(provider.fetchedObjects?.count == 1)
  }

  @Test(arguments: ["TEXT PRIMARY KEY", "INTEGER PRIMARY KEY DESC", "UNIQUE"])
  func aRowWithNullAsItsKeyIsLikeAnyOther(type: String) throws {
    let store = try Database.store(
      "CREATE TABLE t(k \(type), v); INSERT INTO t VALUES (NULL, 1), (2, 2);")
    let list = try FetchedResultsProvider(
      database: store,
      request: FetchRequest(table: "t", key: ["k"]).sorted(.expression("v")))
    try list.performFetch()
    #expect(try list.indexPath(forIdentity: RowIdentity(.null)) == [0, 0])
    for script in [
      "UPDATE t SET v = 3 WHERE k IS NULL", "DELETE FROM t WHERE k IS NULL",
      "INSERT INTO t VALUES (NULL, 0)", "UPDATE t SET k = 7 WHERE k IS NULL",
      "UPDATE t SET k = NULL WHERE k = 2",
    ] {
      try store.run(script)
      try list.refresh()
      try list.expectConsistent()
    }
    try store.run("INSERT INTO t VALUES (NULL, 9)")
    let error = #expect(throws: FetchError.self) { try list.refresh() }
    #expect(error?.message == "two rows have the key NULL in k")
  }

  @Test func twoRowsWithANullInPartOfAKeyAreRefusedIfTheKeyIsNamed() throws {
    let script = """
      CREATE TABLE t(a, b, PRIMARY KEY(a, b)); INSERT INTO t VALUES (1, 1), (1, NULL), (1, NULL);
      """
    let error = try error(script, FetchRequest(table: "t", key: ["a", "b"]))
    #expect(error?.message == "two rows have the key 1, NULL in a, b")
    // Without a name, the content of a row identifies it.
    let provider = try FetchedResultsProvider(
      database: try .store(script), request: FetchRequest(table: "t"))
    try provider.performFetch()
    #expect(provider.fetchedObjects?.count == 3)
  }

  @Test func duplicatesBehindANullAreFoundAlsoWhereTheWindowEndsBefore() throws {
    let script = "CREATE TABLE t(k, v); INSERT INTO t VALUES (NULL, 9), (5, 1), (5, 2);"
    let request = FetchRequest(table: "t", key: ["k"]).sorted(by: \Row["v"]).limited(to: 2)
    let error = try error(script, request)
    #expect(error?.message.contains("two rows have the key 5") == true)
  }

  @Test func aKeyOfIntegersAndOthersIsServed() throws {
    let store = try Database.store(
      "CREATE TABLE t(k UNIQUE, v); INSERT INTO t VALUES (1, 1), (2, 1), ('three', 0), (x'04', 1);")
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest(table: "t", key: ["k"]),
      sectionedBy: .property(\Row["v"]))
    #expect(try provider.fetchedLines() == ["0: \"three\"", "1: 1 2 a blob of 1 bytes"])
    try provider.expectConsistent()
  }

  @Test func aLargerKeyThanTheSchemaNeedsIsServed() throws {
    let provider = try FetchedResultsProvider(
      database: try Track.store(),
      request: FetchRequest(table: "track", key: ["genre", "ID"])
        .filter("genre NOTNULL"))
    #expect(
      try provider.fetchedLines() == ["all: \"Jazz\", 1 \"Jazz\", 5 \"Rock\", 2 \"Rock\", 3"])
    try provider.expectConsistent()
  }

  @Test func aKeyWithoutColumnsAtAllIsPositional() throws {
    let error = #expect(throws: FetchError.self) {
      try FetchedResultsProvider(
        database: try Track.store(), request: FetchRequest(table: "track", key: []))
    }
    #expect(error?.code == .missingKey)
  }

  @Test func textKeysThatAreNotValidUTF8AreIdentitiesOfTheirOwn() throws {
    let store = try Database.store(
      """
      CREATE TABLE t(k TEXT PRIMARY KEY, v);
      INSERT INTO t VALUES (CAST(x'FF' AS TEXT), 1), (CAST(x'FE' AS TEXT), 2), (char(65533), 3);
      """)
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest(table: "t").sorted(by: \Row["v"]))
    try provider.performFetch()
    try provider.expectConsistent()
    let identities = try (0..<3).map { try provider.identity(at: [0, $0]) }
    #expect(Set(identities).count == 3)
    #expect(try identities.map { try provider.indexPath(forIdentity: $0)?.row } == [0, 1, 2])
    #expect(provider.fetchedObjects?.map { $0["v"] } == [1, 2, 3])
  }

  @Test func aKeyThatDamageHasPutInTwiceIsRefused() throws {
    let folder = try TestFolder()
    let path = folder.file("store.sqlite")
    try Connection(path: path, access: .readWriteCreate).execute(
      script: """
        PRAGMA page_size = 512; CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);
        INSERT INTO t VALUES (1, 'b'), (2, 'a'), (3, 'c');
        """)
    var bytes = try Data(contentsOf: URL(filePath: path))
    // The row's number is the second byte of its entry; where that is, the table's page tells.
    let (page, number) = (512, 2)
    let pointer = page + 8 + 2 * number
    let entry = page + Int(bytes[pointer]) << 8 + Int(bytes[pointer + 1])
    let rowID = bytes[entry + 1]
    try #require(rowID == 3)
    bytes[entry + 1] = 1
    try bytes.write(to: URL(filePath: path))
    let database = try Database(path: path, access: .readOnly)
    let request = FetchRequest<Row>(table: "t").sorted(by: \Row["v"])
    let error = #expect(throws: FetchError.self) {
      try FetchedResultsProvider(database: database, request: request).performFetch()
    }
    #expect(error?.code == .damagedKey)
    #expect(error?.message == "two rows have the key 1 in id, which is unique")
    #expect(error?.nextStep?.contains("integrity_check") == true)
    // One of the two meets the condition, the other one is found by its key.
    let filtered = try FetchedResultsProvider(
      database: database, request: request.filter("v = 'c'"))
    #expect(throws: FetchError.self) {
      try filtered.performFetch()
      _ = try filtered.object(at: [0, 0])
    }
  }
}
