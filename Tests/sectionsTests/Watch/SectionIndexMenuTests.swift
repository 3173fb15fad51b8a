import TableData
import Testing

@testable import sections

@Suite struct SectionIndexMenuTests {
  private func menu() throws -> SectionIndexMenu {
    let infos = ["Ada", "Bea", "Bob", "Cy"].map { SectionInfo(name: $0, numberOfRows: 1) }
    return try #require(SectionIndexMenu(SectionIndex(sections: infos)))
  }

  private func draw(_ menu: inout SectionIndexMenu, height: Int = 9) -> [String] {
    menu.draw(height: height, options: TerminalOptions(width: 20, usesColor: false)) {
      "section \($0)"
    }
  }

  @Test func arrowsAndLettersSelectATitle() throws {
    var menu = try menu()
    #expect(draw(&menu) == ["› A  section 0", "  B  section 1", "  C  section 3"])
    #expect(menu.press(.character("c")) == .none)
    #expect(draw(&menu)[2] == "› C  section 3")
    #expect(menu.press(.down) == .none)
    #expect(menu.press(.enter) == .section(3))
    #expect(menu.press(.up) == .none)
    #expect(menu.press(.enter) == .section(1))
    #expect(menu.press(.escape) == .closed)
  }

  @Test func theSelectedTitleIsOnTheScreen() throws {
    var menu = try menu()
    _ = draw(&menu, height: 2)
    #expect(menu.press(.end) == .none)
    #expect(draw(&menu, height: 2) == ["  B  section 1", "› C  section 3"])
    #expect(menu.press(.home) == .none)
    #expect(draw(&menu, height: 2) == ["› A  section 0", "  B  section 1"])
  }

  @Test func withoutTitlesThereIsNone() {
    #expect(SectionIndexMenu(SectionIndex(sections: [])) == nil)
  }
}
