import CLibrary
import Foundation
import Testing

@testable import sections

@Suite(.timeLimit(.minutes(10))) struct InterruptionTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase(journalMode: "WAL")
  }

  /// Interrupts a run that has no end as soon as it has opened the file, and checks that it ends and leaves
  /// nothing.
  private func interrupt(_ arguments: [String], by signal: Int32 = SIGINT) async throws {
    let before = try folder.contents()
    let run = try Tool.start(arguments, in: folder)
    while !FileManager.default.fileExists(atPath: folder.file("a.db-shm")) {
      try await Task.sleep(for: .milliseconds(10))
    }
    run.send(signal)
    let result = try await run.end()
    #expect(result.status == 128 + signal, "\(result.stderr)")
    #expect(result.stderr.isEmpty)
    #expect(try folder.temporaryFiles().isEmpty)
    #expect(try folder.contents() == before)
  }

  private let endless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT"

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func anEndlessQueryIsStopped(_ signal: Int32) async throws {
    try await interrupt(["query", "a.db", "\(endless) count(*) AS n FROM c"], by: signal)
  }

  @Test func anEndlessResultIsStopped() async throws {
    try await interrupt(["query", "a.db", "\(endless) x FROM c"])
  }

  @Test func anEndlessSortIsStopped() async throws {
    let by = "(\(endless) count(*) FROM c WHERE x > id)"
    try await interrupt(["query", "a.db", "SELECT * FROM t", "--by", by])
  }

  @Test func anEndlessConditionIsStopped() async throws {
    let condition = "(\(endless) count(*) FROM c) > id"
    try await interrupt(["query", "a.db", "t", "--where", condition])
  }

  @Test func anEndlessMeasurementIsStopped() async throws {
    // The way of a row is a few look-ups, and its row takes 27 billion steps.
    try folder.makeDatabase(
      """
      CREATE TABLE one(id INTEGER PRIMARY KEY);
      INSERT INTO one VALUES (1);
      CREATE TABLE many(one INT);
      CREATE INDEX many_one ON many(one);
      INSERT INTO many
        WITH r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 3000) SELECT 1 FROM r;
      """, named: "slow.db", journalMode: "WAL")
    let select = """
      SELECT id, (
        SELECT count(*) FROM many a, many b, many c
        WHERE a.one = one.id AND b.one = one.id AND c.one = one.id
      ) AS n FROM one
      """
    let run = try Tool.start(["explain", "slow.db", select, "--key", "id"], in: folder)
    while !FileManager.default.fileExists(atPath: folder.file("slow.db-shm")) {
      try await Task.sleep(for: .milliseconds(10))
    }
    run.send(SIGINT)
    let result = try await run.end()
    #expect(result.status == 130 && result.stdout.isEmpty, "\(result.stderr)")
    #expect(try folder.temporaryFiles().isEmpty)
  }

  @Test func aMigrationIsRolledBack() async throws {
    try folder.write(
      "CREATE TABLE n(x); INSERT INTO n \(endless) x FROM c;", to: "m/0001_endless.sql")
    let run = try Tool.start(["migrate", "up", "b.db", "--dir", "m"], in: folder)
    while !FileManager.default.fileExists(atPath: folder.file("b.db-journal")) {
      try await Task.sleep(for: .milliseconds(10))
    }
    run.send(SIGINT)
    #expect(try await run.end().status == 130)
    let schema = try await Tool.run(["schema", "b.db"], in: folder)
    #expect(schema.lines == ["section\tname\tkey\tcolumns"])
  }

  @Test func theToolDoesNotWaitForItsInput() async throws {
    // A pipe that stays open, as a terminal does.
    let result = try await Tool.shell(
      """
      mkfifo ../scratch/pipe
      exec 3<> ../scratch/pipe
      "$sections" query a.db - <&3 & tool=$!
      until kill -TERM $tool && ! sleep 0.1 || ! kill -0 $tool 2> /dev/null; do :; done
      wait $tool
      """, in: folder)
    // By the tool itself, or by the system if the signal came before the tool was listening.
    #expect(result.status == 128 + SIGTERM)
    #expect(result.stderr.isEmpty)
  }
}
