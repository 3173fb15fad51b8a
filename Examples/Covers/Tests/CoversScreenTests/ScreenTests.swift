import Covers
import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import CoversScreen

/// The screen, without a terminal: commands go in, lines come out, and the store is changed.
@Suite(.timeLimit(.minutes(2))) @MainActor struct ScreenTests {
  private let database: Database
  private let screen: Screen

  init() throws {
    var root = URL(filePath: #filePath)
    for _ in 0..<5 { root.deleteLastPathComponent() }
    database = try Database.inMemory()
    _ = try Migrator(folder: root.appending(path: "Migrations").path).up(database)
    screen = try Screen(DataController(database))
    try screen.start(isolation: MainActor.shared)
  }

  private func enter(_ lines: String...) { for line in lines { #expect(screen.enter(line)) } }

  private func lines() throws -> [String] { try screen.lines() }

  /// Waits until the screen has a line that contains a text.
  private func wait(for text: String) async throws {
    while try !lines().contains(where: { $0.contains(text) }) {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test func theListIsComposedOfAFormAndCoversInSections() throws {
    #expect(
      try lines().joined(separator: "\n") == """
        41 covers by 15 artists
          Add a cover
           1 Artist: who made it
           2 Title: what it is called
           3 Year: four digits, or nothing
           4 [ ] Put it before the artist's others
           5 [ Add the cover ]
          9 Volt Orchard, 2011–2021
           6 Orchard Lights (2016)
           7 Cables in the Grass (2011)
           8 Fruit & Fuse (2021)
          Amber Tollgate, 1998–2009
           9 Toll Free (2004)
          10 A Penny for the Bridge (1998)
          11 Night Shift at the Booth (2009)
          Ana Belmonte Trío, 2007–2019
          12 Corazón de Papel (2013)
          13 Siete Patios (2007)
          14 Después de la Siesta (2019)
          Brass Meridian Club, 1959–1962
          15 Zero Longitude (1962)
          16 Club Hours (1959)

        """)
  }

  @Test func thePageFollowsTheSelectionAndOtherPrograms() async throws {
    enter("7")
    #expect(try lines().contains("›  7 Cables in the Grass (2011)"))
    #expect(try lines().contains("Cables in the Grass by 9 Volt Orchard, 2011"))
    try await database.write {
      try $0.execute("UPDATE cover SET release_year = 1999 WHERE label = 'Cables in the Grass'")
    }
    try await wait(for: "Cables in the Grass by 9 Volt Orchard, 1999")
    try await database.write {
      try $0.execute("DELETE FROM cover WHERE label = 'Cables in the Grass'")
    }
    try await wait(for: "This cover was deleted.")
    try await wait(for: "40 covers by 15 artists")
  }

  @Test func aCoverIsAddedByTheForm() async throws {
    enter("5")
    #expect(try lines().contains { $0.contains("! an artist and a title are needed") })
    enter("1", "Zoë Zett", "Eins", "1999")
    #expect(try lines().contains("   3 Year: 1999"))
    enter("4", "5")
    #expect(try lines().last == "Eins by Zoë Zett was added.")
    try await wait(for: "42 covers by 16 artists")
    #expect(try lines().contains("   1 Artist: who made it"))
    #expect(try !lines().contains { $0.contains("are needed") })
  }

  @Test func coversAreDeletedMovedAndFolded() async throws {
    enter("d 7")
    try await wait(for: "40 covers")
    enter("f 7")
    try await wait(for: " 6 Fruit & Fuse (2021)")
    enter("x 6")
    #expect(try lines().contains("   6 Toll Free (2004)"))
  }

  @Test func changesAreLoggedAtTheEnd() async throws {
    enter("d 7")
    try await wait(for: "40 covers")
    for _ in 0..<4 { enter("+") }
    try await wait(for: "1 deleted   [0]=[0] -[0,1]")
  }

  @Test func tracksAreLoadedPageByPage() async throws {
    enter("/orchard lights")
    #expect(try lines()[0] == "1 cover by 1 artist with “orchard lights”")
    // The first page is loaded since its place is visible.
    try await wait(for: "  Tracks")
    let length = /\d:\d\d$/
    while try !lines().contains(where: { $0.contains(length) }) {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  @Test func aWrongCommandIsExplained() throws {
    enter("99")
    #expect(try lines().last == Screen.help)
    #expect(!screen.enter("q"))
  }
}
