import Foundation
import SQLiteStorage
import Testing

@testable import sections

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The demo on a terminal of its own, driven by its keys.
@Suite(
  .timeLimit(.minutes(5)), .enabled(if: OtherProcess.python != nil, "python3 is not installed"))
struct LiveDemoTests {
  private let folder: TestFolder
  private let terminal: TerminalRun

  init() async throws {
    folder = try TestFolder()
    terminal = try TerminalRun(
      ["demo", "--live", "store.db", "--dir", Migrations.path, "--color", "never"], in: folder)
    try await terminal.screen { $0.first?.hasPrefix("  Covers") == true }
  }

  private func count(_ sql: String) throws -> Int? {
    try Connection(path: folder.file("store.db"), access: .readOnly).value(Int.self, sql)
  }

  /// What gives the terminal back: the first screen, with a cursor and line breaks at its edge.
  private let giveBack = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  @Test func editsAreWrittenAndReportedOnce() async throws {
    try terminal.type(String(repeating: "\u{1B}[B", count: 8))
    try await terminal.screen { $0[9].hasPrefix("›   Cables in the Grass") }
    try terminal.type("d")
    try await terminal.screen { $0[0].hasSuffix("40 covers by 15 artists") }
    #expect(try count("SELECT count(*) FROM cover WHERE id = 2") == 0)
    try terminal.type("K")
    try await terminal.screen { $0[8].hasPrefix("›   Fruit & Fuse") }
    #expect(try count("SELECT position < 'n1' FROM cover WHERE id = 3") == 1)
    // Somebody else.
    try await OtherProcess.execute(
      "UPDATE cover SET label = 'Fuses' WHERE id = 3", in: folder.file("store.db"), folder)
    try await terminal.screen { $0[8].hasPrefix("›   Fuses") && $0[22].hasPrefix("  Fuses (2021)") }
    try terminal.type("G")
    let log = try await terminal.screen { $0.contains { $0.hasPrefix("›   1  1 deleted") } }
    #expect(log.filter { $0.contains("1 moved") }.count == 1)
    #expect(log.filter { $0.contains("1 updated") }.count == 1)
    #expect(log.filter { $0.contains("1 deleted") }.count == 1)
    try terminal.type("/volt")
    try await terminal.screen {
      $0[0].hasPrefix("  Search: volt▏") && $0[0].hasSuffix("2 covers by 1 artist")
    }
    try terminal.type("\u{1B}")
    try await terminal.screen { $0[0].hasPrefix("  Covers") }
    try terminal.type("q")
    let end = await terminal.end()
    #expect(end.status == 0)
    #expect(end.output.hasSuffix(giveBack))
    #expect(end.hasEcho)
  }

  @Test func theFormAddsACover() async throws {
    try terminal.type("\u{1B}[B\rZoë Zett\rEins\r1999\r\u{1B}[B\r")
    let lines = try await terminal.screen { $0[0].hasSuffix("42 covers by 16 artists") }
    #expect(lines[22].hasPrefix("  Eins by Zoë Zett was added."))
    #expect(try count("SELECT release_year FROM cover_list WHERE artist = 'Zoë Zett'") == 1999)
    try terminal.type("q")
    #expect(await terminal.end().status == 0)
  }

  @Test func itIsDrawnAnewWhenTheWindowChanges() async throws {
    try terminal.resize(width: 40, height: 10)
    // The tool may read the width before, and the height after.
    try await terminal.screen {
      $0.count == 10 && $0[0] == "  Covers         41 covers by 15 artists"
    }
    try terminal.resize(width: 100, height: 30)
    let lines = try await terminal.screen { $0.count == 30 && $0[0].count == 100 }
    #expect(lines.allSatisfy { DisplayText($0).width <= 100 })
    #expect(lines[0].hasSuffix("41 covers by 15 artists"))
    try terminal.type("q")
    #expect(await terminal.end().status == 0)
  }

  @Test(arguments: [("\u{3}", nil), ("", SIGTERM)] as [(String, Int32?)])
  func theTerminalIsGivenBackWhenItIsInterrupted(_ text: String, _ signal: Int32?) async throws {
    try terminal.type(text)
    if let signal { try terminal.send(signal) }
    let end = await terminal.end()
    #expect(end.status == 128 + Int(signal ?? SIGINT))
    #expect(end.output.contains(giveBack))
    #expect(end.hasEcho)
  }

  @Test func theTerminalIsGivenBackForAsLongAsItIsSuspended() async throws {
    // It listens for the keys of the shell when it draws a window of another size.
    try terminal.resize(width: 90, height: 24)
    try await terminal.screen { $0[0].count == 90 }
    try terminal.type("\u{1A}")
    let state = try await terminal.stopped()
    #expect(state.output.hasSuffix(giveBack))
    #expect(state.hasEcho)
    try terminal.send(SIGCONT)
    try await terminal.screen { $0[0].hasPrefix("  Covers") }
    try terminal.type("q")
    let end = await terminal.end()
    #expect(end.status == 0)
    #expect(end.hasEcho)
  }
}

/// What is no terminal.
@Suite struct LiveDemoRefusalTests {
  @Test func withoutATerminalItSaysSo() async throws {
    let folder = try TestFolder()
    try await Tool.run(["demo", "--live", "a.db", "--dir", Migrations.path], in: folder)
      .expectFailure(64, "demo --live needs a terminal", "leave --live out")
    #expect(try folder.contents().isEmpty)
  }

  @Test(.enabled(if: OtherProcess.python != nil, "python3 is not installed"))
  func aTerminalThatCannotBeDrawnOnIsRefused() async throws {
    let folder = try TestFolder()
    let end = await (try TerminalRun(["demo", "--live", "a.db"], in: folder, kind: "dumb")).end()
    #expect(end.status == 64)
    #expect(end.output.contains("cannot draw on a terminal of the type \"dumb\". Set TERM"))
    #expect(end.hasEcho)
    #expect(try folder.contents().isEmpty)
  }
}
