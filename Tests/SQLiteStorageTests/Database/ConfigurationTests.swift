import Foundation
import SQLiteStorage
import Testing

@Suite struct ConfigurationTests {
  @Test func theDefaultsAreThoseThatAreDocumented() {
    let configuration = Database.Configuration()
    #expect(configuration.busyTimeout == .seconds(5))
    #expect(configuration.enforcesForeignKeys)
    #expect(configuration.usesWAL)
    #expect(configuration.checkpointThreshold == 1_000)
  }

  @Test func everyConnectionIsPrepared() throws {
    var configuration = Database.Configuration()
    configuration.busyTimeout = .milliseconds(123)
    configuration.functions = [ScalarFunction("one", argumentCount: 0) { _ in 1 }]
    configuration.collations = [CustomCollation("same") { _, _ in 0 }]
    configuration.prepareConnection = { connection in
      // After all the rest, so that it may use it.
      #expect(try connection.value(Int.self, "SELECT one()") == 1)
      try connection.execute("CREATE TEMP TABLE prepared(x)")
    }
    let database = try Database.inMemory(configuration: configuration)
    let check = { (connection: Connection) in
      #expect(try connection.value(Int.self, "PRAGMA busy_timeout") == 123)
      #expect(try connection.value(Int.self, "PRAGMA foreign_keys") == 1)
      try connection.execute("SELECT one() FROM temp.prepared ORDER BY 1 COLLATE same")
    }
    try database.withWriter(check)
    try database.read(check)
    try database.snapshot().read(check)
  }

  /// Files that are opened for reading may come from anywhere.
  @Test(arguments: [
    (Connection.Access.readWrite, nil, 0), (.readOnly, nil, 1), (.readWrite, true, 1),
    (.readOnly, false, 0),
  ])
  func cellsAreCheckedWhereTheProgramDoesNotWrite(
    access: Connection.Access, isChecked: Bool?, expected: Int
  ) throws {
    let folder = try TestFolder()
    let path = try folder.makeStore()
    var configuration = Database.Configuration()
    configuration.checksCellSizes = isChecked
    let database = try Database(path: path, access: access, configuration: configuration)
    let read = { (connection: Connection) in
      try connection.value(Int.self, "PRAGMA cell_size_check")
    }
    #expect(try database.read(read) == expected)
    #expect(try database.snapshot().read(read) == expected)
    if access == .readWrite { #expect(try database.withWriter(read) == expected) }
  }

  /// Requests find columns by their names.
  @Test func columnsKeepTheirNamesWhateverIsPrepared() throws {
    var configuration = Database.Configuration()
    configuration.prepareConnection = { connection in
      try connection.execute("PRAGMA short_column_names = OFF")
      try connection.execute("PRAGMA full_column_names = ON")
    }
    let database = try Database.inMemory(configuration: configuration)
    try database.write { try $0.execute("CREATE TABLE t(a)") }
    let names = { (connection: Connection) in
      try connection.prepare("SELECT a, t.a FROM t").columnNames.names
    }
    #expect(try database.read(names) == ["a", "a"])
    #expect(try database.withWriter(names) == ["a", "a"])
  }

  @Test func anErrorWhilePreparingIsThatOfOpening() throws {
    let folder = try TestFolder()
    var configuration = Database.Configuration()
    configuration.prepareConnection = { try $0.execute("nonsense") }
    let error = databaseError {
      _ = try Database(path: folder.file(), configuration: configuration)
    }
    #expect(error?.sql == "nonsense")
    #expect(folder.openDescriptorCount() ?? 0 == 0)
  }
}

@Suite struct PrivateCopyTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeStore(journalMode: "DELETE")
  }

  private func database(
    _ configure: (inout Database.Configuration) -> Void = { _ in }
  ) throws -> Database {
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    configuration.busyTimeout = .milliseconds(100)
    configure(&configuration)
    return try Database(path: folder.file(), configuration: configuration)
  }

  @Test func aVersionThatIsNotPinnedIsReadAsLongAsItIsTheNewest() throws {
    let database = try database()
    let before = try database.snapshot()
    #expect(!before.isPinned)
    #expect(try database.snapshot() === before)
    #expect(try count(before) == 3)
    // Nobody waits.
    try database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    let other = try Connection(path: folder.file())
    try other.execute("DELETE FROM item WHERE id = 2")
    #expect(before.isExpired)
    let error = try #require(databaseError { _ = try count(before) })
    #expect(error.code == .versionExpired)
    #expect(error.nextStep?.contains("next batch") == true)
    let after = try database.snapshot()
    #expect(!after.isExpired)
    #expect(try count(after) == 1)
    #expect(before.changes(to: after) == .unknown(.notInWALMode))
    let readOnly = databaseError { try after.read { try $0.execute("DELETE FROM item") } }
    #expect(readOnly?.resultCode == .readOnly)
  }

  @Test func aVersionIsPinnedWhileSomebodyNeedsIt() throws {
    let database = try database()
    let other = try Connection(path: folder.file())
    try other.setBusyTimeout(.zero)
    let snapshot = try database.snapshot()
    try snapshot.whileReadable { () throws in
      #expect(snapshot.isPinned)
      let error = databaseError { try other.execute("DELETE FROM item WHERE id = 1") }
      #expect(error.map { .busy ~= $0.resultCode } == true)
      #expect(try count(snapshot) == 3)
    }
    #expect(!snapshot.isPinned)
    try other.execute("DELETE FROM item WHERE id = 1")
    let error = databaseError { try snapshot.whileReadable {} }
    #expect(error?.code == .versionExpired)
    try database.withSnapshot { newest throws in
      #expect(newest.isPinned)
      #expect(try count(newest) == 2)
    }
  }

  @Test func aVersionThatIsNotPinnedIsReadWithTheFunctionsOfTheDatabase() throws {
    let database = try database { configuration in
      configuration.functions = [ScalarFunction("twice", argumentCount: 1) { $0[0] }]
      configuration.collations = [
        CustomCollation("reversed") { lhs, rhs in lhs == rhs ? 0 : lhs < rhs ? 1 : -1 }
      ]
      configuration.prepareConnection = { try $0.execute("CREATE TEMP TABLE prepared(x)") }
    }
    let names = try database.snapshot().read { connection in
      try connection.execute("SELECT * FROM temp.prepared")
      return try connection.rows("SELECT twice(name) AS n FROM item ORDER BY name COLLATE reversed")
        .map { $0["n"] }
    }
    #expect(names == ["item 3", "item 2", "item 1"])
  }

  @Test func copyingTakesEverythingThatTheSourceSees() throws {
    let source = try Connection(path: folder.file())
    try source.execute(
      script: "CREATE INDEX i ON item(name); CREATE VIEW v AS SELECT id FROM item;")
    let destination = try Connection(path: folder.file("copy"), access: .readWriteCreate)
    try source.copy(to: destination)
    #expect(try destination.value(Int.self, "SELECT count(*) FROM v") == 3)
    #expect(
      try destination.rows("SELECT sql FROM sqlite_schema")
        == source.rows("SELECT sql FROM sqlite_schema"))
  }

  @Test func aDestinationThatCannotBeWrittenIsAnError() throws {
    let source = try Connection(path: folder.file())
    let destination = try Connection(path: try folder.makeStore("other"), access: .readOnly)
    let error = databaseError { try source.copy(to: destination) }
    #expect(error?.resultCode == .readOnly)
  }
}
