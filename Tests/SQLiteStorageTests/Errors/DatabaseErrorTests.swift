import SQLiteStorage
import Testing

@Suite struct DatabaseErrorTests {
  @Test func itsDescriptionIsOneLineWithTheSQLAndTheNextStep() {
    let error = DatabaseError(
      .sqlite, "no such table: t", sql: "SELECT *\n  FROM\tt", nextStep: "Check the name")
    #expect(error.description == "no such table: t — in: SELECT * FROM t. Check the name")
    #expect("\(error)" == error.description)
  }

  @Test func aSemicolonAtTheEndOfTheSQLIsNotInIt() {
    let error = DatabaseError(.sqlite, "syntax error", sql: "oops here ; ;\n", nextStep: "Look")
    #expect(error.description == "syntax error — in: oops here. Look")
  }

  @Test func withoutSQLAndNextStepItIsTheMessage() {
    #expect(DatabaseError(.typeMismatch, "the message").description == "the message")
  }

  @Test func longSQLIsCutInTheDescriptionOnly() {
    let sql = "SELECT " + String(repeating: "x", count: 1_000)
    let error = DatabaseError(.sqlite, "m", sql: sql)
    #expect(error.description.count < 300)
    #expect(error.sql == sql)
  }

  @Test func valuesThatWereBoundAreNotInIt() throws {
    let store = try TestConnection("CREATE TABLE t(x CHECK (x <> 'secret'))")
    let error = databaseError {
      try store.connection.execute("INSERT INTO t VALUES (?)", ["secret"])
    }
    #expect(error?.sql == "INSERT INTO t VALUES (?)")
    #expect(error?.description.contains("VALUES (?)") == true)
  }

  @Test func wrongSQLIsReportedInSQLitesWords() throws {
    let store = try TestConnection()
    let error = databaseError { try store.connection.execute("SELECT * FROM missing") }
    #expect(error?.code == .sqlite)
    #expect(error?.resultCode == .error)
    #expect(error?.message == "no such table: missing")
  }

  @Test func theMessageOfAnEarlierErrorIsNotReported() throws {
    let store = try TestConnection("CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES (1)")
    _ = databaseError { try store.connection.execute("SELECT * FROM missing") }
    let error = databaseError { try store.connection.execute("INSERT INTO t VALUES (1)") }
    #expect(error?.message == "UNIQUE constraint failed: t.x")
  }

  @Test func codesHaveNamesAndCompare() {
    #expect(DatabaseError.Code.nestedWrite.description == "nestedWrite")
    #expect(DatabaseError.Code.sqlite != .migration)
    #expect(DatabaseError(.sqlite, "m").resultCode == .ok)
  }
}
