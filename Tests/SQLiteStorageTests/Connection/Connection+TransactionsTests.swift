import SQLiteStorage
import Testing

@Suite struct ConnectionTransactionsTests {
  private struct Stop: Error {}

  private func store() throws -> TestConnection {
    try TestConnection("PRAGMA foreign_keys = ON; CREATE TABLE t(x UNIQUE)")
  }

  private func values(_ store: TestConnection) throws -> [Value] {
    try store.connection.rows("SELECT x FROM t ORDER BY x").map { $0["x"] }
  }

  @Test func whatTheBodyDidIsCommittedWhenItReturns() throws {
    let store = try store()
    let result = try store.connection.transaction {
      #expect(store.connection.isInTransaction)
      try store.connection.execute("INSERT INTO t VALUES (1)")
      return "result"
    }
    #expect(result == "result")
    #expect(!store.connection.isInTransaction)
    #expect(try values(store) == [1])
  }

  @Test func whatTheBodyDidIsUndoneWhenItThrows() throws {
    let store = try store()
    #expect(throws: Stop.self) {
      try store.connection.transaction {
        try store.connection.execute("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    }
    #expect(!store.connection.isInTransaction)
    #expect(try values(store).isEmpty)
  }

  @Test func aDeferredTransactionTakesNoLockUntilItWrites() throws {
    let store = try store()
    try store.connection.execute("PRAGMA journal_mode = WAL")
    let other = try Connection(path: store.folder.file(), busyTimeout: .zero)
    try store.connection.transaction(.deferred) {
      try other.execute("INSERT INTO t VALUES (1)")
      #expect(try values(store) == [1])
    }
    try store.connection.transaction(.immediate) {
      let error = databaseError { try other.execute("INSERT INTO t VALUES (2)") }
      #expect(error?.resultCode == .busy)
    }
  }

  @Test func aTransactionInATransactionFailsAndTheOuterOneContinues() throws {
    let store = try store()
    try store.connection.transaction {
      try store.connection.execute("INSERT INTO t VALUES (1)")
      let error = databaseError { try store.connection.transaction {} }
      #expect(error?.message == "cannot start a transaction within a transaction")
      #expect(error?.nextStep == "Use savepoint(_:) to undo a part of it")
      #expect(store.connection.isInTransaction)
    }
    #expect(try values(store) == [1])
  }

  @Test func aSavepointUndoesOnlyItself() throws {
    let store = try store()
    try store.connection.transaction {
      try store.connection.execute("INSERT INTO t VALUES (1)")
      #expect(throws: Stop.self) {
        try store.connection.savepoint {
          try store.connection.execute("INSERT INTO t VALUES (2)")
          throw Stop()
        }
      }
      try store.connection.savepoint { try store.connection.execute("INSERT INTO t VALUES (3)") }
    }
    #expect(try values(store) == [1, 3])
  }

  @Test func savepointsNest() throws {
    let store = try store()
    try store.connection.transaction {
      try store.connection.savepoint {
        try store.connection.execute("INSERT INTO t VALUES (1)")
        #expect(throws: Stop.self) {
          try store.connection.savepoint {
            try store.connection.execute("INSERT INTO t VALUES (2)")
            try store.connection.savepoint {
              try store.connection.execute("INSERT INTO t VALUES (3)")
            }
            throw Stop()
          }
        }
        try store.connection.execute("INSERT INTO t VALUES (4)")
      }
    }
    #expect(try values(store) == [1, 4])
  }

  @Test func aSavepointWithoutATransactionIsOne() throws {
    let store = try store()
    try store.connection.savepoint { try store.connection.execute("INSERT INTO t VALUES (1)") }
    #expect(!store.connection.isInTransaction)
    #expect(throws: Stop.self) {
      try store.connection.savepoint {
        try store.connection.execute("INSERT INTO t VALUES (2)")
        throw Stop()
      }
    }
    #expect(!store.connection.isInTransaction)
    #expect(try values(store) == [1])
  }

  @Test func aCommitThatFailsIsRolledBack() throws {
    let store = try store()
    try store.connection.execute(
      script: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(parent REFERENCES parent(id) DEFERRABLE INITIALLY DEFERRED);
        """)
    let error = databaseError {
      try store.connection.transaction {
        try store.connection.execute("INSERT INTO child VALUES (99)")
      }
    }
    #expect(error?.message == "FOREIGN KEY constraint failed")
    #expect(!store.connection.isInTransaction)
    #expect(try store.connection.value(Int.self, "SELECT count(*) FROM child") == 0)
    // The same at the end of the outermost savepoint.
    let second = databaseError {
      try store.connection.savepoint {
        try store.connection.execute("INSERT INTO child VALUES (99)")
      }
    }
    #expect(second.map { .constraint ~= $0.resultCode } == true)
    #expect(!store.connection.isInTransaction)
    try store.connection.transaction { try store.connection.execute("INSERT INTO t VALUES (1)") }
    #expect(try values(store) == [1])
  }

  @Test func anErrorThatRolledBackAlreadyIsThrownAsItIs() throws {
    let store = try store()
    try store.connection.execute("INSERT INTO t VALUES (1)")
    let error = databaseError {
      try store.connection.transaction {
        try store.connection.execute("INSERT INTO t VALUES (2)")
        try store.connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
      }
    }
    #expect(error?.message == "UNIQUE constraint failed: t.x")
    #expect(!store.connection.isInTransaction)
    #expect(try values(store) == [1])
  }

  // MARK: - Transactions that end before their closure

  @Test(
    arguments: [
      "COMMIT", "commit transaction;", "END", "ROLLBACK", "ROLLBACK TRANSACTION", "/**/COMMIT",
      "-- c\n ;END TRANSACTION",
    ])
  func aBodyCannotEndItsTransaction(sql: String) throws {
    let store = try store()
    for bracket in brackets(store.connection) {
      try bracket {
        try store.connection.execute("INSERT INTO t VALUES (1)")
        let error = databaseError { try store.connection.execute(SQL(verbatim: sql)) }
        #expect(error?.code == .statementRefused)
        #expect(error?.sql == sql)
        #expect(store.connection.isInTransaction)
      }
      #expect(try values(store) == [1])
      try store.connection.execute("DELETE FROM t")
    }
  }

  @Test func aBodyMayUseSavepointsOfItsOwn() throws {
    let store = try store()
    for bracket in brackets(store.connection) {
      try bracket {
        try store.connection.execute("SAVEPOINT own")
        try store.connection.execute("INSERT INTO t VALUES (1)")
        try store.connection.execute("ROLLBACK TRANSACTION TO own")
        try store.connection.execute("INSERT INTO t VALUES (2)")
        try store.connection.execute("RELEASE own")
      }
      #expect(try values(store) == [2])
      try store.connection.execute("DELETE FROM t")
    }
  }

  @Test func whatFollowsARollbackIsRefused() throws {
    let store = try store()
    let connection = store.connection
    try connection.execute(
      script: """
        INSERT INTO t VALUES (1);
        CREATE TABLE log(x);
        CREATE TRIGGER refuse BEFORE INSERT ON log WHEN new.x = 'bad'
          BEGIN SELECT RAISE(ROLLBACK, 'no bad ones'); END;
        """)
    for (sql, cause) in [
      ("INSERT OR ROLLBACK INTO t VALUES (1)", "UNIQUE constraint failed: t.x"),
      ("INSERT INTO log VALUES ('bad')", "no bad ones"),
    ] {
      for bracket in brackets(connection) {
        let cached = try connection.cachedStatement("INSERT INTO log VALUES ('late')")
        let error = databaseError {
          try bracket {
            try connection.execute("INSERT INTO t VALUES (2)")
            try? connection.execute(SQL(verbatim: sql))
            for later in ["INSERT INTO log VALUES (3)", "SELECT * FROM t", "BEGIN", "COMMIT"] {
              #expect(databaseError { try connection.execute(SQL(verbatim: later)) } != nil)
            }
            #expect(databaseError { try cached.run() } != nil)
            #expect(databaseError { try connection.transaction {} } != nil)
            try connection.savepoint { try connection.execute("INSERT INTO log VALUES (4)") }
          }
        }
        #expect(error?.message == "SQLite has rolled back the transaction: \(cause)")
        #expect(error?.sql == sql)
        #expect(error.map { .abort ~= $0.resultCode } == true)
        #expect(!connection.isInTransaction)
        #expect(try values(store) == [1])
        #expect(try connection.value(Int.self, "SELECT count(*) FROM log") == 0)
      }
    }
    try connection.transaction { try connection.execute("INSERT INTO t VALUES (2)") }
    #expect(try values(store) == [1, 2])
  }

  @Test func aBodyThatHidesARollbackFails() throws {
    let store = try store()
    try store.connection.execute("INSERT INTO t VALUES (1)")
    for bracket in brackets(store.connection) {
      let error = databaseError {
        try bracket { try? store.connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)") }
      }
      let cause = "UNIQUE constraint failed: t.x"
      #expect(error?.message == "SQLite has rolled back the transaction: \(cause)")
      #expect((error?.cause as? DatabaseError)?.message == cause)
    }
  }

  @Test func aRollbackInASavepointEndsTheTransactionAroundIt() throws {
    let store = try store()
    let connection = store.connection
    try connection.execute("INSERT INTO t VALUES (1)")
    let error = databaseError {
      try connection.transaction {
        try connection.execute("INSERT INTO t VALUES (2)")
        try? connection.savepoint {
          try connection.execute("INSERT OR ROLLBACK INTO t VALUES (1)")
        }
        try connection.execute("INSERT INTO t VALUES (3)")
      }
    }
    #expect(
      error?.message
        == "SQLite has rolled back the transaction: UNIQUE constraint failed: t.x")
    #expect(try values(store) == [1])
  }

  @Test func aSavepointThatEndsTheTransactionIsToldToo() throws {
    let store = try store()
    let error = databaseError {
      try store.connection.savepoint {
        try store.connection.execute("INSERT INTO t VALUES (1)")
        try store.connection.execute("RELEASE nested")
        try store.connection.execute("INSERT INTO t VALUES (2)")
      }
    }
    #expect(error?.message == "the closure has ended its transaction")
    #expect(error?.sql == "RELEASE nested")
    #expect(try values(store) == [1])
  }

  /// What runs a closure in a transaction: each must behave in the same way.
  private func brackets(_ connection: Connection) -> [(() throws -> Void) throws -> Void] {
    [
      { body in try connection.transaction { try body() } },
      { body in try connection.savepoint { try body() } },
      { body in try connection.transaction { try connection.savepoint { try body() } } },
    ]
  }

  @Test func aFullDiskRollsBackAndTheConnectionContinues() throws {
    let store = try store()
    try store.connection.execute("INSERT INTO t VALUES (1)")
    let pages = try #require(try store.connection.value(Int.self, "PRAGMA page_count"))
    try store.connection.execute(SQL(verbatim: "PRAGMA max_page_count = \(pages + 4)"))
    let error = databaseError {
      try store.connection.transaction {
        for number in 2..<10_000 {
          try store.connection.execute("INSERT INTO t VALUES (?)", [.integer(Int64(number))])
        }
      }
    }
    #expect(error?.resultCode == .full)
    #expect(error?.nextStep == "Free some space on the disk")
    #expect(!store.connection.isInTransaction)
    #expect(try values(store) == [1])
    try store.connection.transaction { try store.connection.execute("INSERT INTO t VALUES (2)") }
    #expect(try values(store) == [1, 2])
  }

  @Test func whatFollowsAFullDiskIsRefused() throws {
    let store = try store()
    let pages = try #require(try store.connection.value(Int.self, "PRAGMA page_count"))
    try store.connection.execute(SQL(verbatim: "PRAGMA max_page_count = \(pages + 4)"))
    let error = databaseError {
      try store.connection.transaction {
        for number in 1..<10_000 {
          do {
            try store.connection.execute("INSERT INTO t VALUES (\(number))")
          } catch let error as DatabaseError where .full ~= error.resultCode {}
        }
      }
    }
    #expect(
      error?.message == "SQLite has rolled back the transaction: database or disk is full")
    #expect(try values(store).isEmpty)
  }

  @Test func anInterruptedWriteIsRolledBack() throws {
    let store = try store()
    let connection = store.connection
    let interrupter = connection.interrupter
    try connection.register(
      ScalarFunction("stop", argumentCount: 1) { values in
        if values[0] == 500 { interrupter.interrupt() }
        return values[0]
      })
    let error = databaseError {
      try connection.transaction {
        try connection.execute(
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
          INSERT INTO t SELECT stop(i) FROM n
          """)
      }
    }
    #expect(error?.resultCode == .interrupted)
    #expect(!connection.isInTransaction)
    #expect(try values(store).isEmpty)
  }
}
