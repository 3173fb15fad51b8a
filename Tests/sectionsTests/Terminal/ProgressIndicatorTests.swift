import Testing

@testable import sections

/// The tool on a terminal.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherProcess.python != nil))
struct ProgressIndicatorTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase()
  }

  /// Runs the tool on a terminal of its own, types `^C` when it has shown `text`, and returns what
  /// the terminal got.
  private func terminal(
    _ arguments: String, interruptAt text: String = "-", kind: String? = nil
  ) async throws -> Tool.Result {
    try folder.write(
      """
      import os, pty, sys
      pid, terminal = pty.fork()
      if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
      seen, text = b"", sys.argv[1].encode()
      while True:
          try: data = os.read(terminal, 65536)
          except OSError: break
          if not data: break
          if text not in seen and text in seen + data: os.write(terminal, b"\\x03")
          seen += data
      sys.stdout.buffer.write(seen)
      sys.stdout.flush()
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
      """, to: "../scratch/terminal.py")
    let variable = kind.map { "TERM=\($0) " } ?? ""
    return try await Tool.shell(
      variable + "exec python3 ../scratch/terminal.py '\(text)' \"$sections\" \(arguments)",
      in: folder)
  }

  @Test func aTerminalGetsATableWithColour() async throws {
    let plain = try await terminal("query a.db t --limit 1")
    #expect(plain.stdout.contains("│"))
    #expect(!plain.stdout.contains("\u{1B}"))
    let result = try await terminal("query a.db t --limit 1", kind: "xterm")
    #expect(result.status == 0)
    #expect(result.stdout.contains("\u{1B}[1mid\u{1B}[0m"))
    #expect(result.stdout.contains("│"))
    #expect(!result.stdout.contains("Reading"))
  }

  @Test(arguments: ["query", "watch"])
  func progressIsShownAfterASecondAndWipedBeforeTheEnd(command: String) async throws {
    let endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    let result = try await terminal("\(command) a.db '\(endless)'", interruptAt: "Reading … ")
    #expect(result.status == 130)
    #expect(result.stdout.contains(/\rReading … \d+ s\x{1B}\[K/))
    let end = result.stdout.split(separator: "\r\u{1B}[K", omittingEmptySubsequences: false).last
    // The prompt of the shell comes on a line of its own.
    #expect(end == "\r\n")
  }

  @Test func aTerminalThatKnowsNoSequencesGetsNoProgress() async throws {
    let long =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20000000) SELECT count(*) FROM c"
    let result = try await terminal("query a.db '\(long)'", kind: "dumb")
    #expect(result.status == 0)
    #expect(result.stdout.contains("20000000"))
    #expect(!result.stdout.contains("Reading") && !result.stdout.contains("\u{1B}"))
  }

  @Test func progressIsShownForEachMigration() async throws {
    let endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    try folder.write("CREATE TABLE quick(a)", to: "m/0001_quick.sql")
    try folder.write("INSERT INTO quick \(endless)", to: "m/0002_slow.sql")
    let result = try await terminal(
      "migrate up new.db --dir m", interruptAt: "Migrating … ")
    #expect(result.status == 130)
    #expect(result.stdout.contains("applied 0001_quick.sql"))
    #expect(result.stdout.contains(/\rMigrating … \d+ s\x{1B}\[K/))
    #expect(result.stdout.hasSuffix("\r\u{1B}[K\r\n"))
  }

  @Test func progressIsShownWhileRecordsAreRead() async throws {
    let result = try await terminal("import a.db - --into t", interruptAt: "Reading … ")
    #expect(result.status == 130)
  }
}
