import Foundation
import SQLiteStorage
import Testing

@testable import sections

@Suite(.timeLimit(.minutes(10))) struct MigrateCommandTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.write("CREATE TABLE a(x);", to: "Migrations/0001_make_a.sql")
    try folder.write("DROP TABLE a;", to: "Migrations/0001_make_a.down.sql")
    try folder.write("CREATE TABLE b(x);", to: "Migrations/0002_make_b.sql")
    try folder.write("DROP TABLE b;", to: "Migrations/0002_make_b.down.sql")
  }

  private func migrate(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["migrate"] + arguments, in: folder)
  }

  /// The output without what differs from run to run.
  private func lines(_ result: Tool.Result) -> [String] {
    #expect(result.stderr.isEmpty)
    return result.lines.map {
      $0.replacing(/\([0-9]+ ms\)/, with: "(…)").replacing(/[0-9-]{10}T[0-9:]{8}Z/, with: "…")
    }
  }

  private func tables() async throws -> [String] {
    let result = try await Tool.run(
      ["query", "a.db", "SELECT name FROM sqlite_schema WHERE name IN ('a', 'b') ORDER BY 1"],
      in: folder)
    return Array(result.lines.dropFirst())
  }

  @Test func upAppliesAndDownReverts() async throws {
    #expect(
      lines(try await migrate("up", "a.db")) == [
        "applied 0001_make_a.sql (…)", "applied 0002_make_b.sql (…)",
      ])
    #expect(try await tables() == ["a", "b"])
    #expect(lines(try await migrate("up", "a.db")) == ["nothing to apply"])
    #expect(lines(try await migrate("down", "a.db")) == ["reverted 0002_make_b.down.sql (…)"])
    #expect(try await tables() == ["a"])
    #expect(
      lines(try await migrate("down", "a.db", "--to", "0")) == [
        "reverted 0001_make_a.down.sql (…)"
      ])
    #expect(try await tables().isEmpty)
    #expect(lines(try await migrate("down", "a.db")) == ["nothing to revert"])
    #expect(lines(try await migrate("up", "a.db", "--to", "1")) == ["applied 0001_make_a.sql (…)"])
    #expect(try folder.contents(except: "Migrations").keys.sorted() == ["a.db"])
  }

  @Test func anUnknownVersionIsReported() async throws {
    try await migrate("up", "a.db", "--to", "7").expectFailure(65, "no migration 7", "0002_make_b")
    Tool.parse(["migrate", "up", "a.db", "--to", "x"])
      .expectFailure(64, "'x'", "--to <number>")
  }

  @Test(arguments: ["DELETE", "WAL"])
  func theJournalModeStaysAsItWas(_ mode: String) async throws {
    try folder.makeDatabase(journalMode: mode)
    #expect(try await migrate("up", "a.db").status == 0)
    let connection = try Connection(path: folder.file("a.db"), access: .readOnly)
    #expect(try connection.value(String.self, "PRAGMA journal_mode") == mode.lowercased())
  }

  @Test(arguments: ["DELETE", "WAL"])
  func aDryRunChangesNothing(_ mode: String) async throws {
    try folder.makeDatabase(journalMode: mode)
    let before = try folder.contents(except: "Migrations")
    #expect(
      lines(try await migrate("up", "a.db", "--dry-run", "--to", "1")) == [
        "would have applied 0001_make_a.sql (…)"
      ])
    #expect(try folder.contents(except: "Migrations") == before)
    #expect(try await migrate("up", "a.db").status == 0)
    #expect(
      lines(try await migrate("down", "a.db", "--dry-run")) == [
        "would have reverted 0002_make_b.down.sql (…)"
      ])
    #expect(try await tables() == ["a", "b"])
  }

  @Test func aDryRunMakesNoFile() async throws {
    #expect(lines(try await migrate("up", "a.db", "--dry-run")).count == 2)
    #expect(try folder.contents(except: "Migrations").isEmpty)
    #expect(try folder.temporaryFiles().isEmpty)
  }

  @Test func thereIsNothingToRevertInAFileThatIsNotThere() async throws {
    try await migrate("down", "a.db").expectFailure(66, "no such file: a.db")
    try await migrate("down", "a.db", "--dry-run").expectFailure(66, "no such file: a.db")
    #expect(try folder.contents(except: "Migrations").isEmpty)
  }

  @Test func theRecordOfAppliedMigrationsCannotBeDropped() async throws {
    try folder.write("DROP TABLE schema_migrations;", to: "Migrations/0003_drop.sql")
    let result = try await migrate("up", "a.db")
    #expect(result.status == 65)
    #expect(
      result.stderr.contains("0003_drop.sql:1: a migration must not change schema_migrations"))
    #expect(
      result.stderr.contains("in: DROP TABLE schema_migrations. The migration was rolled back"))
    #expect(
      lines(try await migrate("status", "a.db")) == [
        "0001_make_a.sql  applied …", "0002_make_b.sql  applied …", "0003_drop.sql  pending",
      ])
  }

  @Test func statusListsTheStateOfEveryMigration() async throws {
    try await migrate("status", "a.db").expectFailure(66, "a.db")
    _ = try await migrate("up", "a.db", "--to", "1")
    #expect(
      lines(try await migrate("status", "a.db")) == [
        "0001_make_a.sql  applied …", "0002_make_b.sql  pending",
      ])
    #expect(try await migrate("status", "a.db", "--check").status == 1)
    _ = try await migrate("up", "a.db")
    #expect(try await migrate("status", "a.db", "--check").status == 0)
    try await migrate("verify", "a.db").expect("verified\n")
  }

  @Test func whatIsNotInOrderIsRefusedByName() async throws {
    _ = try await migrate("up", "a.db")
    try folder.write("CREATE TABLE a(x, y);", to: "Migrations/0001_make_a.sql")
    let status = try await migrate("status", "a.db", "--check")
    #expect(status.status == 1)
    #expect(status.lines.first?.hasPrefix("0001_make_a.sql  edited ") == true)
    #expect(status.stderr.hasPrefix("sections: 0001_make_a.sql was edited after it was applied"))
    for command in ["up", "down", "verify"] {
      try await migrate(command, "a.db").expectFailure(65, "0001_make_a.sql was edited", "Restore")
    }
    try await migrate("new", "a.db", "next").expectFailure(65, "0001_make_a.sql was edited")
    try FileManager.default.removeItem(atPath: folder.file("Migrations/0001_make_a.sql"))
    try await migrate("up", "a.db").expectFailure(65, "0001_make_a.down.sql", "0001_make_a.sql")
  }

  @Test func aMigrationThatFailsKeepsNothingOfItsFile() async throws {
    try folder.write(
      "CREATE TABLE c(x);\nINSERT INTO nope VALUES (1);", to: "Migrations/0003_c.sql")
    let result = try await migrate("up", "a.db")
    #expect(result.status == 65)
    #expect(result.lines.count == 2)
    #expect(result.stderr.hasPrefix("sections: 0003_c.sql:2: no such table: "))
    #expect(result.stderr.split(separator: "\n").count == 1)
    try folder.write("COMMIT;", to: "Migrations/0003_c.sql")
    try await migrate("up", "a.db").expectFailure(65, "0003_c.sql:1", "COMMIT")
    try folder.write("", to: "Migrations/0003_c.sql")
    try await migrate("up", "a.db").expectFailure(65, "0003_c.sql has no statement")
    #expect(try await tables() == ["a", "b"])
  }

  @Test func newCreatesTheNextFiles() async throws {
    try await migrate("new", "a.db", "add_rating").expect(
      "created Migrations/0003_add_rating.sql and Migrations/0003_add_rating.down.sql\n")
    try await migrate("new", "a.db", "first", "--dir", "fresh/folder").expect(
      "created fresh/folder/0001_first.sql and fresh/folder/0001_first.down.sql\n")
    try await migrate("new", "a.db", "Not Snake").expectFailure(65, "Not Snake", "add_rating")
    #expect(!FileManager.default.fileExists(atPath: folder.file("a.db")))
  }

  @Test func aMissingFolderIsReported() async throws {
    for command in ["up", "down", "status", "verify"] {
      try await migrate(command, "a.db", "--dir", "nope").expectFailure(66, "nope", "Check")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("a.db")))
  }

  @Test func severalProcessesApplyEachFileOnce() async throws {
    for version in 3...20 {
      let number = (version < 10 ? "000" : "00") + "\(version)"
      try folder.write(
        "INSERT INTO a VALUES (\(version));", to: "Migrations/\(number)_add.sql")
    }
    // One of them may apply all files before another gets the lock.
    let arguments = ["migrate", "up", "a.db", "--timeout", "120"]
    let runs = try (1...4).map { _ in try Tool.start(arguments, in: folder) }
    var applied: [String] = []
    for run in runs {
      let result = try await run.end()
      #expect(result.status == 0, "\(result.stderr)")
      applied += result.lines.filter { $0.hasPrefix("applied") }.map { String($0.prefix(12)) }
    }
    #expect(applied.count == 20)
    #expect(Set(applied).count == 20)
    try await Tool.run(["query", "a.db", "SELECT count(*) AS n, sum(x) AS s FROM a"], in: folder)
      .expect("n\ts\n18\t207\n")
  }

  @Test func namesInTheLedgerDoNotReachTheTerminal() async throws {
    _ = try await migrate("up", "a.db")
    try Connection(path: folder.file("a.db")).execute(
      "UPDATE schema_migrations SET name = 'x\u{1B}[2J\ny'")
    let result = try await migrate("status", "a.db")
    #expect(!(result.stdout + result.stderr).contains("\u{1B}"))
    #expect(result.lines.count == 2)
    try await migrate("verify", "a.db").expectFailure(65, "\u{241B}[2J\u{240A}y")
  }
}
