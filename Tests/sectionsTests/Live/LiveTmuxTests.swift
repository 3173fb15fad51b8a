import SQLiteStorage
import Testing

@testable import sections

/// The demo on a real terminal, as somebody sees it.
@Suite(
  .timeLimit(.minutes(5)), .enabled(if: TmuxTerminal.isInstalled, "tmux is not installed"))
struct LiveTmuxTests {
  @Test func everyCellIsShownAndEveryKeyDoesWhatItSays() async throws {
    let folder = try TestFolder()
    let script =
      "echo before; \"$sections\" demo --live a.db --dir '\(Migrations.path)'; echo after $?"
    try await TmuxTerminal.run("\(script); exec cat", in: folder) { terminal in
      // To the last cell of the line, which is the last of the screen.
      var lines = try await terminal.screen { $0[0].hasSuffix("41 covers by 15 artists") }
      #expect(lines.count == 24)
      #expect(lines[0].count == 80)
      #expect(lines[8].hasPrefix("    Orchard Lights   ") && lines[8].hasSuffix("   2016"))
      #expect(lines[23].hasPrefix("  ↑↓ go  ⏎ do"))

      try await terminal.run("send-keys Down Enter Zoë Enter Eins Enter 1999 Enter Down Enter")
      lines = try await terminal.screen { $0[0].hasSuffix("42 covers by 16 artists") }
      #expect(lines[22] == "  Eins by Zoë was added.")
      try await terminal.run("send-keys Down Down Down d")
      lines = try await terminal.screen { $0[0].hasSuffix("41 covers by 16 artists") }
      #expect(lines[8].hasPrefix("    Orchard Lights") && lines[9].hasPrefix("›   Fruit & Fuse"))
      try await terminal.run("send-keys K")
      _ = try await terminal.screen { $0[8].hasPrefix("›   Fruit & Fuse") }
      try await terminal.run("send-keys f")
      _ = try await terminal.screen {
        $0[7] == "› ▸ 9 Volt Orchard, 2016–2021 (2)"
          && $0[8] == "  ▾ Amber Tollgate, 1998–2009 (3)"
      }
      try await terminal.run("send-keys / Zo")
      _ = try await terminal.screen {
        $0[0].hasPrefix("  Search: Zo▏")
          && $0[8]
            == "    Eins                                                                    1999"
      }
      try await terminal.run("resize-window -x 60 -y 12")
      lines = try await terminal.screen { $0.count == 12 && $0[0].hasPrefix("  Search: Zo▏") }
      #expect(lines[0].hasSuffix("1 cover by 1 artist"))
      #expect(lines[0].count == 60)
      #expect(lines[11].hasPrefix("  type to search"))

      try await terminal.run("send-keys Escape q")
      lines = try await terminal.screen { $0.contains("after 0") }
      #expect(lines.filter { !$0.isEmpty } == ["before", "after 0"])
    }
    let left = try Connection(path: folder.file("a.db"), access: .readOnly).rows(
      "SELECT label FROM cover WHERE artist_id = 1 OR id > 41 ORDER BY artist_id, position"
    ).map { $0.values[0] }
    #expect(left == ["Fruit & Fuse", "Orchard Lights", "Eins"])
  }
}
