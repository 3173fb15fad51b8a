import CSQLite
import Foundation
import TableDataTesting
import Testing

@testable import SQLiteStorage

@Suite struct InterrupterTests {
  private let endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

  @Test func aStatementThatWouldRunForEverIsStopped() throws {
    let store = try TestConnection()
    let interrupter = store.connection.interrupter
    let isDone = Flag()
    // An interrupt before the statement begins is lost, so it is repeated until it has worked.
    let thread = Thread {
      while !isDone.isSet { interrupter.interrupt() }
    }
    thread.start()
    let error = databaseError { try store.connection.execute(endless) }
    isDone.set()
    #expect(error?.resultCode == .interrupted)
    #expect(error?.message == "interrupted")
  }

  @Test func aConnectionThatDoesNothingIsNotAffected() throws {
    let store = try TestConnection()
    store.connection.interrupter.interrupt()
    #expect(try store.connection.value(Int.self, "SELECT 1") == 1)
  }

  @Test func anInterruptWhilePreparingIsReportedAsSuch() throws {
    let store = try TestConnection()
    // As long as a statement is under way the interrupt stays. SQLite looks for it at spaces.
    let running = try store.connection.prepare("SELECT 1 UNION SELECT 2")
    #expect(try running.step())
    store.connection.interrupter.interrupt()
    let error = databaseError { _ = try store.connection.prepare("SELECT 1") }
    #expect(error?.resultCode == .interrupted)
    // The space behind the statement does not make it two.
    let other = databaseError { _ = try store.connection.prepare("VALUES(1); ") }
    #expect(other?.code != .statementRefused)
    running.reset()
    #expect(try store.connection.value(Int.self, "SELECT 1") == 1)
  }

  /// At the first use of a table-valued function, SQLite parses its declaration. If the parser is
  /// interrupted only there, SQLite returns SQLITE_ERROR.
  @Test func anInterruptWhileAModuleIsConnectedIsReportedAsSuch() throws {
    let store = try TestConnection()
    let running = try store.connection.prepare("SELECT 1 UNION SELECT 2")
    #expect(try running.step())
    let interrupter = store.connection.interrupter
    sqlite3_set_authorizer(
      store.connection.handle,
      { context, action, _, _, _, _ in
        guard action == SQLITE_SELECT, let context else { return SQLITE_OK }
        Unmanaged<Interrupter>.fromOpaque(context).takeUnretainedValue().interrupt()
        return SQLITE_OK
      }, Unmanaged.passUnretained(interrupter).toOpaque())
    let error = databaseError {
      _ = try store.connection.prepare("SELECT * FROM pragma_table_list")
    }
    #expect(error?.resultCode == .interrupted)
    #expect(error?.message == "interrupted")
  }

  @Test func itMayOutliveItsConnection() throws {
    let folder = try TestFolder()
    var connection: Connection? = try Connection(path: folder.file(), access: .readWriteCreate)
    let interrupter = try #require(connection?.interrupter)
    connection = nil
    interrupter.interrupt()
  }

  @Test func aRegistryReachesAllThatAreStillThere() throws {
    let registry = InterrupterRegistry()
    let store = try TestConnection()
    registry.add(store.connection.interrupter)
    do {
      let gone = try TestConnection()
      registry.add(gone.connection.interrupter)
    }
    try store.connection.register(
      ScalarFunction("stop", argumentCount: 1) { values in
        registry.interruptAll()
        return values[0]
      })
    let error = databaseError {
      try store.connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT stop(i) + 1 FROM n) SELECT max(i) FROM n"
      )
    }
    #expect(error?.resultCode == .interrupted)
  }
}
