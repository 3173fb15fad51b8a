import SQLiteStorage
import Testing

struct TransactionsSamples {
  private struct NotEnough: Error {}

  private let database: Database

  init() throws {
    database = try Database.inMemory()
    try database.write { connection in
      try connection.execute(
        script: """
          CREATE TABLE account(id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
          CREATE TABLE entry(account INTEGER, text TEXT);
          INSERT INTO account VALUES (1, 100), (2, 0);
          """)
    }
  }

  private func balances() throws -> [Int] {
    try database.read { try $0.values(Int.self, "SELECT balance FROM account ORDER BY id") }
  }

  func move(_ amount: Int, from: Int, to: Int) throws {
    try database.write { connection in
      try connection.execute("UPDATE account SET balance = balance - \(amount) WHERE id = \(from)")
      try connection.execute("UPDATE account SET balance = balance + \(amount) WHERE id = \(to)")
      let balance = try connection.value(
        Int.self, "SELECT balance FROM account WHERE id = \(from)")
      guard let balance, balance >= 0 else { throw NotEnough() }
    }
  }

  @Test func allIsWrittenOrNothing() throws {
    try move(60, from: 1, to: 2)
    #expect(try balances() == [40, 60])
    #expect(throws: NotEnough.self) { try move(60, from: 1, to: 2) }
    #expect(try balances() == [40, 60])
  }

  @Test func aSavepointIsUndoneAlone() throws {
    let imported = [(2, 5), (3, 7)]
    let refused = try database.write { connection in
      var refused: [Int] = []
      for (id, balance) in imported {
        do {
          try connection.savepoint {
            try connection.execute("INSERT INTO account VALUES (\(id), \(balance))")
            try connection.execute("INSERT INTO entry VALUES (\(id), 'imported')")
          }
        } catch let error as DatabaseError where .constraint ~= error.resultCode {
          refused.append(id)
        }
      }
      return refused
    }
    #expect(refused == [2])
    #expect(try balances() == [100, 0, 7])
  }

  @Test func aTransactionInATransactionNamesTheSavepoint() throws {
    let error = #expect(throws: DatabaseError.self) {
      try database.write { connection in try connection.transaction {} }
    }
    #expect(error?.nextStep?.contains("savepoint") == true)
    let nested = #expect(throws: DatabaseError.self) {
      try database.write { _ in _ = try balances() }
    }
    #expect(nested?.code == .nestedWrite)
  }

  @Test func whatFollowsARollbackIsRefused() throws {
    let lines = try printed {
      do {
        try database.write { connection in
          try connection.execute("INSERT INTO entry VALUES (1, 'before')")
          try? connection.execute("INSERT OR ROLLBACK INTO account VALUES (1, 0)")
          try connection.execute("INSERT INTO entry VALUES (1, 'after')")
        }
      } catch let error as DatabaseError {
        print(error.message)
      }
    }
    #expect(
      lines == ["SQLite has rolled back the transaction: UNIQUE constraint failed: account.id"])
    #expect(try database.read { try $0.value(Int.self, "SELECT count(*) FROM entry") } == 0)
  }
}
