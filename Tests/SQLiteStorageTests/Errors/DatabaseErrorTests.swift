import Foundation
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

  @Test func itKnowsThePlaceInTheSQL() throws {
    let store = try TestConnection("CREATE TABLE t(x)")
    let error = databaseError { _ = try store.connection.prepare("SELECT 'é', nope FROM t") }
    #expect(error?.offset == 13)
    let other = databaseError { _ = try store.connection.prepare("SELECT x FROM nope") }
    #expect(other != nil && other?.offset == nil)
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

  /// SQLite has one code for a damaged file and for a schema with a syntax that it does not know.
  @Test func aSchemaThatSQLiteDoesNotUnderstandMayNeedANewerOne() throws {
    let folder = try TestFolder()
    do {
      let connection = try Connection(path: folder.file(), access: .readWriteCreate)
      try connection.execute(
        script: "CREATE TABLE t(a); CREATE VIEW v AS SELECT a FROM t ORDER  BY a")
    }
    var bytes = try folder.bytes()
    let range = try #require(bytes.range(of: Data("ORDER  BY a".utf8)))
    bytes.replaceSubrange(range, with: Data("SORTED BY a".utf8))
    try bytes.write(to: URL(filePath: folder.file()))
    for open in [
      { try Database(path: folder.file()) },
      { try Database(path: folder.file(), access: .readOnly) },
    ] {
      let error = databaseError { _ = try open() }
      #expect(error?.resultCode == .corrupt)
      #expect(error?.message.contains("malformed database schema (v)") == true)
      #expect(
        error?.nextStep?.hasPrefix(
          "If a newer SQLite than \(Connection.sqliteVersion)")
          == true)
    }
  }

  @Test func codesHaveNamesAndCompare() {
    #expect(DatabaseError.Code.nestedWrite.description == "nestedWrite")
    #expect(DatabaseError.Code.sqlite != .migration)
    #expect(DatabaseError(.sqlite, "m").resultCode == .ok)
  }
}
