import Testing

@testable import SQLiteStorage

@Suite("A migration script")
struct MigrationScriptTests {
  private func refusal(of sql: String) -> DatabaseError? {
    databaseError { _ = try MigrationScript(sql, fileName: "0001_a.sql") }
  }

  @Test(
    "refuses statements that do not go with its transaction, by file and line",
    arguments: [
      "BEGIN", "begin immediate", "COMMIT", "END", "ROLLBACK", "ROLLBACK TO a", "SAVEPOINT a",
      "RELEASE a", "ATTACH 'x' AS y", "DETACH y", "VACUUM", "VACUUM INTO 'x'",
    ])
  func transactionControl(sql: String) throws {
    let error = try #require(refusal(of: "CREATE TABLE a (x);\n\n/* ; */ \(sql);"))
    let keyword = sql.uppercased().prefix { $0 != " " }
    #expect(error.code == .migration)
    #expect(error.message.hasPrefix("0001_a.sql:3: \(keyword) is not allowed in the transaction"))
    #expect(error.nextStep?.contains("-- migrate:no-transaction") == true)
  }

  @Test("takes the same words where they are not statements")
  func wordsElsewhere() throws {
    #expect(
      refusal(
        of: """
          -- COMMIT;
          CREATE TABLE "begin" (x DEFAULT 'COMMIT; END;');
          CREATE TRIGGER t AFTER INSERT ON "begin" BEGIN SELECT RAISE(ROLLBACK, 'x'); END;
          INSERT OR ROLLBACK INTO "begin" SELECT CASE 1 WHEN 1 THEN 2 END;
          """) == nil)
  }

  @Test("runs in a transaction unless its first line says otherwise")
  func noTransaction() throws {
    func script(_ sql: String) throws -> MigrationScript {
      try MigrationScript(sql, fileName: "0001_a.sql")
    }
    #expect(try script("SELECT 1").usesTransaction)
    #expect(try !script("-- migrate:no-transaction\nVACUUM;").usesTransaction)
    #expect(try !script("\u{FEFF}-- migrate:no-transaction\r\nVACUUM;").usesTransaction)
  }

  @Test("refuses a directive that is misspelt, another tool's or not on the first line")
  func directives() {
    #expect(
      refusal(of: "-- migrate:no-transactions\nVACUUM")?.message
        == "0001_a.sql:1: \"-- migrate:no-transactions\" is not known")
    #expect(
      refusal(of: "-- migrate:up\nSELECT 1;\n-- migrate:down\nSELECT 2;")?.message
        == "0001_a.sql:1: \"-- migrate:up\" is not known")
    #expect(
      refusal(of: "-- About\n-- migrate:no-transaction\nVACUUM;")?.message
        == "0001_a.sql:2: \"-- migrate:no-transaction\" is not on the first line")
  }

  @Test("refuses a NUL character, by file and line")
  func nul() {
    #expect(refusal(of: "SELECT 1;\n\0")?.message.hasPrefix("0001_a.sql:2: there is a NUL") == true)
  }
}
