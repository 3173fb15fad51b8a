import SQLiteStorage
import Testing

@Suite struct ConfigurationTests {
  @Test func theDefaultsAreThoseThatAreDocumented() {
    let configuration = Database.Configuration()
    #expect(configuration.busyTimeout == .seconds(5))
    #expect(configuration.enforcesForeignKeys)
    #expect(configuration.usesWAL)
    #expect(configuration.rollbackJournalSnapshots == .privateCopy)
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
