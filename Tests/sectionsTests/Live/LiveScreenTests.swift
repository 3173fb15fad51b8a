import Covers
import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import sections

/// The demo's screen, without a terminal: keys go in, lines come out, and the store is changed.
@Suite(.timeLimit(.minutes(5))) @MainActor struct LiveScreenTests {
  private let database: Database
  private let screen: LiveScreen
  private let changes: AsyncStream<Void>

  init() throws {
    database = try Database.inMemory()
    _ = try Migrator(folder: Migrations.path).up(database)
    let (changes, change) = AsyncStream<Void>.makeStream()
    self.changes = changes
    screen = try LiveScreen(DataController(database)) { change.yield() }
    try screen.start(isolation: MainActor.shared)
  }

  private func draw(width: Int = 80, height: Int = 24) throws -> [String] {
    try screen.draw(width: width, height: height, usesColor: false)
  }

  private func press(_ keys: Key...) { for key in keys { #expect(screen.press(key)) } }

  private func type(_ text: String) { for character in text { press(.character(character)) } }

  /// Does something to the store, and waits until it comes back.
  private func afterChange(_ body: () throws -> Void) async throws {
    let count = try logged().count
    try body()
    for await _ in changes where try logged().count > count { break }
  }

  /// What the log says, the newest first.
  private func logged() throws -> [String] {
    let section = screen.list.source.numberOfSections - 1
    return try (0..<screen.list.source.numberOfRows(inSection: section)).compactMap {
      (try screen.list.source.row(at: [section, $0]).viewModel as? LogEntry)?.text
    }
  }

  private func labels(of artist: Int) throws -> [Value] {
    try database.read { connection in
      try connection.rows(
        "SELECT label FROM cover WHERE artist_id = ? ORDER BY position, id",
        [.integer(Int64(artist))]
      ).map { $0.values[0] }
    }
  }

  /// The image of the selected cover is loaded once it is selected, and its size is on the page.
  @Test func thePageSaysWhatItsImageIs() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).png")
    try Data(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + "IHDR".utf8
        + [0, 0, 1, 0, 0, 0, 0, 64]
    ).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await database.write {
      try $0.execute("UPDATE cover SET large_image_url = \(file.absoluteString)")
    }
    let (changes, change) = AsyncStream<Void>.makeStream()
    let screen = try LiveScreen(
      DataController(database), images: CoverImages(ImageLoader(transport: URLTransport()))
    ) { change.yield() }
    try screen.start(isolation: MainActor.shared)
    func page() throws -> String {
      try screen.draw(width: 80, height: 24, usesColor: false).suffix(2).joined()
    }
    screen.selection.select(Int64(1))
    #expect(try page().contains("loading the image…"))
    for await _ in changes where try !page().contains("loading") { break }
    #expect(try page().contains("PNG, 256 × 64"))
    // The address of a cover without an image is shown as before.
    try await database.write { try $0.execute("UPDATE cover SET large_image_url = 'file:///none'") }
    screen.selection.select(Int64(2))
    for await _ in changes where try page().contains("cannot be read") { break }
  }

  @Test func itFitsEightyByTwentyFour() throws {
    #expect(
      try draw().joined(separator: "\n") == """
          Covers                                                 41 covers by 15 artists
        › Add a cover
            Artist  who made it
            Title   what it is called
            Year    four digits, or nothing
            [ ] Put it before the artist's others
            [ Add the cover ]
          ▾ 9 Volt Orchard, 2011–2021 (3)
            Orchard Lights                                                          2016
            Cables in the Grass                                                     2011
            Fruit & Fuse                                                            2021
          ▾ Amber Tollgate, 1998–2009 (3)
            Toll Free                                                               2004
            A Penny for the Bridge                                                  1998
            Night Shift at the Booth                                                2009
          ▾ Ana Belmonte Trío, 2007–2019 (3)
            Corazón de Papel                                                        2013
            Siete Patios                                                            2007
            Después de la Siesta                                                    2019
          ▾ Brass Meridian Club, 1959–1962 (2)
            Zero Longitude                                                          1962
                                                                               ↓ 45 more
        \("  ")
          ↑↓ go  ⏎ do  a actions  x mark  d delete  f/F fold  J/K move  / find  q quit
        """)
  }

  @Test func itFitsSmallTerminalsAsWell() throws {
    press(.end)
    #expect(
      try draw(width: 30, height: 9).joined(separator: "\n") == """
          Covers 41 covers by 15 arti…
          ▾ 한겨울 정류장, 2024 (1)
            막차를 기다리며       2024
          Tracks
            loading…
        › What changed
          ↑ 60 more
        \("  ")
          ↑↓ go  ⏎ do  a actions  x m…
        """)
    for height in 1...30 {
      for width in [1, 2, 7, 80] {
        let lines = try draw(width: width, height: height)
        #expect(lines.count <= height)
        #expect(lines.allSatisfy { DisplayText($0).width <= width })
      }
    }
  }

  @Test func whereThereIsRoomThePageIsBesideTheList() throws {
    for _ in 0..<8 { press(.down) }
    #expect(
      try draw(width: 100, height: 14)[..<11].joined(separator: "\n") == """
          Covers                                                                     41 covers by 15 artists
          Add a cover                                                       │  Cables in the Grass
            Artist  who made it                                             │  by 9 Volt Orchard
            Title   what it is called                                       │  2011
            Year    four digits, or nothing                                 │\("  ")
            [ ] Put it before the artist's others                           │  https://example.com/covers/2…
            [ Add the cover ]                                               │
          ▾ 9 Volt Orchard, 2011–2021 (3)                                   │
            Orchard Lights                                             2016 │
        ›   Cables in the Grass                                        2011 │
            Fruit & Fuse                                               2021 │
        """)
    #expect(try draw(width: 100, height: 14)[12] == "  ")
    #expect(try draw(width: 99, height: 14)[12].hasPrefix("  Cables in the Grass (2011)"))
    // A line of the list is not longer for it: the page begins in one column.
    let columns = try draw(width: 140, height: 24)[1..<21].map { line in
      DisplayText(String(line.prefix { $0 != "│" })).width
    }
    #expect(Set(columns) == [95])
  }

  @Test func aCoverIsAddedByTheForm() async throws {
    press(.down, .enter)
    type("Zoë Zett")
    press(.enter)
    type("Einsx")
    press(.backspace, .enter)
    type("1999")
    #expect(
      try draw()[3...5].map { $0 }
        == [
          "    Title   Eins", "›   Year    1999▏", "    [ ] Put it before the artist's others",
        ].map { $0 })
    press(.enter, .character(" "))
    #expect(try draw()[5] == "›   [x] Put it before the artist's others")
    try await afterChange { press(.down, .enter) }
    let lines = try draw()
    #expect(lines[0].hasSuffix("42 covers by 16 artists"))
    #expect(lines[2] == "    Artist  who made it")
    #expect(lines[22] == "  Eins by Zoë Zett was added.")
    #expect(try logged() == ["1 inserted   +[11] +[11,0]"])
    let row = try await database.read {
      try $0.rows("SELECT artist, label, release_year FROM cover_list WHERE id > 41").map(\.values)
    }
    #expect(row == [["Zoë Zett", "Eins", 1999]])
  }

  /// The action of a field had the field itself.
  @Test func theFormIsReleasedWithItsFields() throws {
    weak var field: FieldGenerator?
    do {
      let form = try CoverForm { _ in }
      field = form.rows.cellGenerators.lazy.compactMap { $0 as? FieldGenerator }.first
      #expect(field != nil)
    }
    #expect(field == nil)
  }

  @Test func theFormSaysWhatIsWrong() throws {
    press(.down, .down, .down, .down, .down, .enter)
    #expect(try draw()[7] == "    ! an artist and a title are needed")
    press(.up, .up, .enter)
    type("12")
    press(.enter, .down, .enter)
    #expect(try draw()[7] == "    ! an artist and a title are needed")
    press(.home, .down, .enter)
    type("A")
    press(.enter)
    type("B")
    press(.escape, .down, .down, .down, .enter)
    // What the database refuses is said as well.
    #expect(try draw()[7].contains("release_year"))
    #expect(try logged() == [])
  }

  @Test func aDeletedCoverIsReportedOnceAndTheNextOneIsSelected() async throws {
    for _ in 0..<8 { press(.down) }
    #expect(try draw()[9].hasPrefix("›   Cables in the Grass"))
    #expect(try draw()[22].hasPrefix("  Cables in the Grass (2011) by 9 Volt Orchard"))
    try await afterChange { press(.character("d")) }
    let lines = try draw()
    #expect(lines[9].hasPrefix("›   Fruit & Fuse"))
    #expect(lines[22].hasPrefix("  Fruit & Fuse (2021)"))
    #expect(try logged() == ["1 deleted   [0]=[0] -[0,1]"])
    #expect(try labels(of: 1) == ["Orchard Lights", "Fruit & Fuse"])
  }

  @Test func aMovedCoverIsReportedOnceAndStaysSelected() async throws {
    for _ in 0..<9 { press(.down) }
    try await afterChange { press(.character("K")) }
    #expect(try draw()[9].hasPrefix("›   Fruit & Fuse"))
    #expect(try logged().first?.hasPrefix("1 moved") == true)
    try await afterChange { press(.shiftDown) }
    // At the end of its artist's it goes to the next artist's.
    try await afterChange { press(.shiftDown) }
    #expect(try draw()[11].hasPrefix("›   Fruit & Fuse"))
    #expect(try logged().first == "1 moved   [0]=[0] [1]=[1] [0,2]>[1,0]")
    #expect(try logged().count == 3)
    #expect(try labels(of: 1) == ["Orchard Lights", "Cables in the Grass"])
    #expect(try labels(of: 2).first == "Fruit & Fuse")
    press(.home, .down, .character("K"))
    #expect(try draw()[22] == "  ! only covers can be moved")
  }

  @Test func searchingShowsWhatFitsAsItIsTyped() throws {
    press(.end, .character("/"))
    type("no")
    var lines = try draw()
    #expect(lines[0].hasPrefix("  Search: no▏"))
    #expect(lines[0].hasSuffix("1 cover by 1 artist"))
    #expect(lines[7...8] == ["  ▾ Žofie Nebeská, 2009 (1)", lines[8]])
    press(.backspace, .enter)
    #expect(try draw()[0].hasPrefix("  Search: n   "))
    // A key of the search is one of the list again.
    press(.escape)
    lines = try draw()
    #expect(lines[0].hasPrefix("  Covers"))
    #expect(lines[0].hasSuffix("41 covers by 15 artists"))
  }

  // MARK: Marks, actions, pages, totals

  @Test func markedCoversAreDeletedTogether() async throws {
    for _ in 0..<7 { press(.down) }
    press(.character("x"), .down, .down, .character("x"))
    var lines = try draw()
    #expect(lines[0].hasSuffix("2 marked of 41 covers by 15 artists"))
    #expect(lines[8...10].map { $0.prefix(5) } == ["  ✓ O", "    C", "› ✓ F"])
    // A mark stays on its cover wherever it goes, and while a search hides it.
    try await afterChange { press(.character("K")) }
    press(.character("/"))
    type("t")
    press(.escape)
    lines = try draw()
    #expect(lines[8...10].map { $0.prefix(5) } == ["  ✓ O", "› ✓ F", "    C"])
    press(.character("x"), .character("x"))
    try await afterChange { press(.character("d")) }
    #expect(try draw()[0].hasSuffix("  39 covers by 15 artists"))
    #expect(try labels(of: 1) == ["Cables in the Grass"])
    #expect(try logged().first?.hasPrefix("2 deleted") == true)
    press(.home, .character("x"))
    #expect(try draw()[22] == "  ! only covers can be marked")
  }

  @Test func aMarkEndsWithItsCover() async throws {
    for _ in 0..<7 { press(.down) }
    press(.character("x"))
    try await afterChange {
      try database.write { try $0.execute("DELETE FROM cover WHERE id = 1") }
    }
    #expect(try draw()[0].hasSuffix("  40 covers by 15 artists"))
    // The next cover of this number is another one.
    #expect(screen.marked.identities.isEmpty)
  }

  @Test func theActionsOfARowAreChosenByNumber() async throws {
    for _ in 0..<9 { press(.down) }
    press(.character("a"))
    #expect(try draw().suffix(2) == ["  1 Put first   2 Delete", "  1–9 do it  Esc do nothing"])
    press(.character("3"), .character("q"), .escape)
    #expect(try logged().isEmpty)
    try await afterChange { press(.character("a"), .character("1")) }
    #expect(try draw()[8].hasPrefix("›   Fruit & Fuse"))
    try await afterChange { press(.character("a"), .character("2")) }
    #expect(try labels(of: 1) == ["Orchard Lights", "Cables in the Grass"])
    press(.home, .down, .character("a"))
    #expect(try draw()[22] == "  ! this row has no actions")
  }

  @Test func tracksAreLoadedAsTheirEndIsShown() async throws {
    press(.end)
    #expect(try draw().contains("    loading…"))
    for await _ in changes {
      if try draw().contains("    no more") { break }
      press(.end)
    }
    let lines = try draw()
    #expect(lines[18].hasPrefix("    입김   ") && lines[18].hasSuffix("   4:50"))
    #expect(lines[19...20] == ["    no more", "› What changed"])
    // The tracks are those of the store.
    try await database.write {
      try $0.execute("UPDATE track SET name = 'Breath' WHERE name = '입김'")
      try $0.execute("INSERT INTO track VALUES (9000, 1, 9, 'Encore', 61000, NULL)")
    }
    for await _ in changes where try draw()[18].hasPrefix("    Encore") { break }
    #expect(try draw()[17].hasPrefix("    Breath"))
    // The action of the last row looks for more.
    press(.up, .enter)
    #expect(try draw()[19] == "›   loading…")
  }

  @Test func aHeadingHasTheYearsOfItsCovers() async throws {
    for _ in 0..<6 { press(.down) }
    #expect(try draw()[7] == "› ▾ 9 Volt Orchard, 2011–2021 (3)")
    try await afterChange {
      try database.write { try $0.execute("UPDATE cover SET release_year = 2030 WHERE id = 1") }
    }
    // The cursor is on the heading, whatever its title.
    #expect(try draw()[7] == "› ▾ 9 Volt Orchard, 2011–2030 (3)")
    try await afterChange {
      try database.write { try $0.execute("UPDATE cover SET release_year = NULL") }
    }
    #expect(try draw()[7] == "› ▾ 9 Volt Orchard (3)")
  }

  @Test func anArtistIsFoldedAndWhatHappensBelowStaysHidden() async throws {
    for _ in 0..<8 { press(.down) }
    press(.character("f"))
    #expect(
      try draw()[7...8] == [
        "› ▸ 9 Volt Orchard, 2011–2021 (3)", "  ▾ Amber Tollgate, 1998–2009 (3)",
      ])
    try await afterChange {
      try database.write { try $0.execute("DELETE FROM cover WHERE id = 2") }
    }
    #expect(
      try draw()[7...8] == [
        "› ▸ 9 Volt Orchard, 2016–2021 (2)", "  ▾ Amber Tollgate, 1998–2009 (3)",
      ])
    press(.enter)
    #expect(try draw()[8].hasPrefix("    Orchard Lights"))
    press(.character("F"))
    #expect(try draw()[7...9].map { $0.prefix(4) } == ["› ▸ ", "  ▸ ", "  ▸ "])
    press(.character("F"))
    #expect(try draw()[8].hasPrefix("    Orchard Lights"))
  }

  @Test func theCursorStaysOnItsCoverWhateverOthersWrite() async throws {
    for _ in 0..<8 { press(.down) }
    try await afterChange {
      try database.write {
        try $0.execute(
          "UPDATE cover SET position = -1, label = 'It\u{1B}[31m' || label WHERE id = 3")
        try $0.execute("INSERT INTO artist VALUES (99, '1st')")
        try $0.execute("UPDATE cover SET artist_id = 99 WHERE id = 41")
      }
    }
    let lines = try draw()
    #expect(lines[7...8].map { $0.prefix(11) } == ["  ▾ 1st, 20", "    막차를 기다리"])
    #expect(lines[10].hasPrefix("    It␛[31mFruit & Fuse"))
    #expect(lines[12].hasPrefix("›   Cables in the Grass"))
  }

  @Test func onlyQEnds() {
    #expect(!screen.press(.character("q")))
    press(.character("/"), .character("q"))
    #expect(screen.list.covers.searchText == "q")
  }
}
