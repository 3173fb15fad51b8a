import CLibrary
import Foundation
import TestProcesses
import Testing

/// `watch` on a terminal of its own, driven by its keys.
@Suite(.timeLimit(.minutes(20)), .enabled(if: OtherProcess.python != nil, "needs python3"))
struct WatchTerminalTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, kind TEXT);
      WITH RECURSIVE i(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM i WHERE x < 300)
      INSERT INTO t SELECT x, 'name ' || x, char(65 + x / 100) || '-kind' FROM i;
      CREATE TABLE u(id INTEGER PRIMARY KEY, word TEXT); INSERT INTO u VALUES (1, 'first');
      """, journalMode: "WAL")
  }

  private func start(
    _ arguments: [String] = ["t", "--by", "kind"], height: Int = 10
  ) async throws -> TerminalRun {
    let terminal = try TerminalRun(
      ["watch", "a.db"] + arguments + ["--color", "never"], in: folder, width: 100, height: height)
    return terminal
  }

  private let giveBack = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  @Test func keysScrollAndTheHeadingOfTheSectionStays() async throws {
    let terminal = try await start()
    var lines = try await terminal.screen { $0.last?.contains("0 changes") == true }
    #expect(lines.count == 10)
    #expect(lines[2] == "A-kind (99)")
    #expect(lines[3].hasPrefix(" 1 │ name 1 "))
    #expect(lines[9].hasPrefix("300 rows in 4 sections · 0% · 0 changes · / find"))
    try terminal.type("\u{1B}[B")
    lines = try await terminal.screen { $0[3].hasPrefix(" 2 │") }
    #expect(lines[2] == "A-kind (99)")
    try terminal.type(" ")
    try await terminal.screen { $0[3].hasPrefix(" 8 │") }
    try terminal.type("\u{1B}[5~k")
    try await terminal.screen { $0[3].hasPrefix(" 1 │") }
    try terminal.type("G")
    lines = try await terminal.screen { $0[9].contains("· 100% ·") }
    #expect(lines[7] == "D-kind (1)")
    #expect(lines[8].hasPrefix("300 │"))
    try terminal.type("g")
    try await terminal.screen { $0[9].contains("· 0% ·") }
    try terminal.type("q")
    let end = await terminal.end()
    #expect(end.status == 0)
    #expect(end.output.hasSuffix(giveBack))
    #expect(end.hasEcho)
  }

  @Test func theFirstRowKeepsItsPlaceWhenRowsComeAboveIt() async throws {
    let terminal = try await start()
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    try terminal.type("  ")
    try await terminal.screen { $0[3].hasPrefix("13 │") }
    try await folder.execute(
      "BEGIN; INSERT INTO t VALUES (-1, 'new', 'A-kind'), (0, 'new', '0'); COMMIT")
    let lines = try await terminal.screen { $0.last?.contains("1 change ") == true }
    #expect(lines[3].contains("13 │ name 13"))
    #expect(lines[9].hasPrefix("302 rows in 5 sections"))
    #expect(lines[9].contains(/1 change · \d+ s ago by pages/))
    // The age is shown as it passes.
    try await terminal.screen { $0.last?.contains(/· [1-9]\d* s ago by pages/) == true }
    try terminal.type("q")
    #expect(await terminal.end().status == 0)
  }

  /// A reader of an old version keeps other programs from resetting the log.
  @Test func theNewestVersionIsHeldAlsoIfOnlyOtherTablesAreWritten() async throws {
    let terminal = try await start()
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    let script = """
      import sqlite3, sys
      connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=5)
      for number in range(5):
        connection.execute("UPDATE u SET word = ?", (str(number),))
        checkpoint = lambda: connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if all(checkpoint() for _ in range(3)): sys.exit(1)
      """
    try #require(try await OtherProcess.run(script: script, folder.file("a.db"), in: folder) == 0)
    try terminal.type("j")
    try await terminal.screen { $0[3].hasPrefix(" 2 │") && $0[9].contains("0 changes") }
    try terminal.type("q")
    #expect(await terminal.end().status == 0)
  }

  /// What is on the screen keeps the removed log open, and must be released before the new one is opened.
  @Test func aLogThatIsTakenAwayIsFollowedByTheNewOne() async throws {
    let terminal = try await start()
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    for suffix in ["-wal", "-shm"] {
      try FileManager.default.removeItem(atPath: folder.file("a.db") + suffix)
    }
    try await folder.execute("UPDATE t SET name = 'new' WHERE id = 1")
    try await terminal.screen { $0.count == 10 && $0[3].hasPrefix(" 1 │ new") }
    try terminal.type("q")
    #expect(await terminal.end().status == 0)
  }

  @Test func aChangedRowIsHighlightedForAMoment() async throws {
    let terminal = try TerminalRun(["watch", "a.db", "u"], in: folder, width: 100, height: 10)
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    try await folder.execute("UPDATE u SET word = 'second' WHERE id = 1")
    let lines = try await terminal.screen { $0.last?.contains("1 change ") == true }
    #expect(lines.contains { $0.hasPrefix("\u{1B}[7m 1") && $0.contains("second") })
    try await terminal.screen { $0.contains { $0.hasPrefix(" 1") && $0.contains("second") } }
    try terminal.send(SIGINT)
    let end = await terminal.end()
    #expect(end.status == 130)
    #expect(end.output.contains("\u{1B}[?1049h\u{1B}[?25l"))
    #expect(end.output.contains(giveBack))
  }

  @Test func aTextIsFound() async throws {
    let terminal = try await start()
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    try terminal.type("/NAME 2")
    try await terminal.screen { $0.last == "/NAME 2▏" }
    try terminal.type("\r")
    try await terminal.screen { $0.last?.hasPrefix("no row has \"NAME 2\" · ") == true }
    try terminal.type("/name 20\r")
    try await terminal.screen { $0[3].contains("20 │ name 20 ") }
    try terminal.type("n")
    var lines = try await terminal.screen { $0[3].hasPrefix("200 │") }
    #expect(lines[2] == "C-kind (100)")
    try terminal.type("N")
    try await terminal.screen { $0[3].contains("20 │ name 20 ") }
    try terminal.type("N")
    lines = try await terminal.screen { $0[3].hasPrefix("209 │") }
    #expect(lines[9].hasPrefix("searched on from the other end · "))
    try terminal.type("/x\u{1B}q")
    #expect(await terminal.end().status == 0)
  }

  @Test func theIndexLeadsToASection() async throws {
    let terminal = try await start()
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    try terminal.type("i")
    var lines = try await terminal.screen { $0[0] == "› A  A-kind" }
    #expect(lines[3] == "  D  D-kind")
    try terminal.type("c\r")
    lines = try await terminal.screen { $0[2] == "C-kind (100)" }
    #expect(lines[3].hasPrefix("200 │"))
    try terminal.type("i\u{1B}")
    try await terminal.screen { $0[2] == "C-kind (100)" }
    try terminal.type("q")
    #expect(await terminal.end().status == 0)
  }

  @Test func theIndexOfAListThatHasBecomeEmptyLeadsNowhere() async throws {
    let terminal = try await start()
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    try terminal.type("i")
    try await terminal.screen { $0[0] == "› A  A-kind" }
    try await folder.execute("DELETE FROM t")
    // The index is still open.
    try await terminal.screen { $0.last?.hasPrefix("0 rows in 0 sections · ⏎") == true }
    try terminal.type("\r")
    try await terminal.screen {
      $0.last?.hasPrefix("0 rows") == true && $0.last?.contains("/ find") == true
    }
    try terminal.type("q")
    #expect(await terminal.end().status == 0)
  }

  @Test func itIsDrawnAnewForAnotherSizeAndAfterItWasSuspended() async throws {
    let terminal = try await start()
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    try terminal.resize(width: 40, height: 16)
    let lines = try await terminal.screen { $0.count == 16 }
    #expect(lines.last?.hasSuffix("…") == true)
    try terminal.type("\u{1A}")
    let state = try await terminal.stopped()
    #expect(state.output.hasSuffix(giveBack))
    #expect(state.hasEcho)
    try await folder.execute("DELETE FROM t WHERE id = 1")
    try terminal.send(SIGCONT)
    try await terminal.screen {
      $0.count == 16 && $0[3].hasPrefix("2 │") || $0[3].hasPrefix(" 2 │")
    }
    try terminal.send(SIGTERM)
    let end = await terminal.end()
    #expect(end.status == 143)
    #expect(end.output.contains(giveBack))
    #expect(end.hasEcho)
  }

  @Test func severalListsShareTheScreenAndTheTabKeyLeadsToTheNext() async throws {
    let terminal = try await start(["t", "u"], height: 14)
    var lines = try await terminal.screen { $0.last?.contains("0 changes") == true }
    #expect(lines[0] == "› t (300)")
    #expect(lines[9...12] == ["  u (1)", "id │ word", "───┼──────", " 1 │ first"])
    try terminal.type("\t")
    lines = try await terminal.screen { $0[9] == "› u (1)" }
    #expect(lines[0] == "  t (300)")
    try await folder.execute(
      "BEGIN; DELETE FROM t WHERE id > 2; INSERT INTO u VALUES (2, 'second'); COMMIT")
    lines = try await terminal.screen { $0.last?.contains("1 change ") == true }
    #expect(lines[0] == "  t (2)")
    #expect(lines.contains(" 2 │ second"))
    try terminal.type("q")
    #expect(await terminal.end().status == 0)
  }

  @Test func aListThatCannotBeReadAtTheStartComesLater() async throws {
    try await folder.execute("INSERT INTO u VALUES (9223372036854775807, 'large')")
    try folder.write(
      """
      sums: {source: u, total: sum(id)}
      plain: {source: t, limit: 2}
      """, to: "lists.yaml")
    let terminal = try await start(["--config", "lists.yaml"], height: 14)
    var lines = try await terminal.screen { $0.last?.contains("sums: ") == true }
    #expect(lines[0] == "› plain (2)")
    try await folder.execute("DELETE FROM u WHERE word = 'large'")
    lines = try await terminal.screen { $0.last?.contains("1 change ") == true }
    #expect(lines[0].hasPrefix("  sums (1)"))
    #expect(lines.contains("› plain (2)"))
    try terminal.type("q")
    #expect(await terminal.end().status == 0)
  }

  @Test func withoutATerminalToTypeOnNoKeysAreRead() async throws {
    let script = #"""
      import os, pty, select, sys
      pid, terminal = pty.fork()
      if pid == 0:
        os.environ["TERM"] = "xterm"
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.execv(sys.argv[1], [sys.argv[1], "watch", "a.db", "u", "--until-change"])
      output = b""
      def expect(text):
        global output
        while text not in output:
          if not select.select([terminal], [], [], 20)[0]: sys.exit(2)
          output += os.read(terminal, 65536)
      expect(b"0 changes")
      if b"q quit" in output: sys.exit(4)
      os.write(terminal, b"q")
      import sqlite3
      connection = sqlite3.connect("a.db")
      connection.execute("INSERT INTO u VALUES (9, 'ninth')")
      connection.commit()
      expect(b"ninth")
      expect(b"\x1b[?1049l")
      sys.exit(0 if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0 else 3)
      """#
    let tool = try #require(Tool.path)
    #expect(try await OtherProcess.run(script: script, tool, in: folder) == 0)
  }

  /// The terminal takes no output, so the rest of its state cannot be restored.
  @Test func theEchoIsBackBeforeTheScreen() async throws {
    let terminal = try await start()
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    try await terminal.echo(is: false)
    try terminal.stopOutput()
    try terminal.send(SIGTERM)
    try await terminal.echo(is: true)
    try terminal.send(SIGKILL)
  }

  @Test func anAbortWhileTheScreenIsEnteredGivesTheEchoBack() async throws {
    let terminal = try await start()
    try await terminal.screen { $0.last?.contains("0 changes") == true }
    try terminal.type("\u{1A}")
    #expect(try await terminal.stopped().hasEcho)
    try terminal.stopOutput()
    try terminal.send(SIGCONT)
    try await terminal.echo(is: false)
    try terminal.send(SIGINT)
    try await terminal.echo(is: true)
    try terminal.send(SIGKILL)
  }
}
