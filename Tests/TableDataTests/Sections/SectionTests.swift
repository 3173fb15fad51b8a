import TableData
import Testing

struct SectionTests {
  @Test(arguments: [
    ("Rock", "R"), ("rock", "R"), ("é", "É"), ("e\u{301}t", "E\u{301}"), ("1999", "1"), (" x", " "),
    ("ǆ", "Ǆ"), ("ß", "SS"), ("👩‍👩‍👧 family", "👩‍👩‍👧"), ("中文", "中"), ("\0a", "\0"),
  ])
  func theDefaultIndexTitleIsTheCapitalisedFirstCharacter(name: String, title: String) {
    #expect(SectionInfo(name: name, numberOfRows: 1).indexTitle == title)
    #expect(Section(name: name, items: [1]).indexTitle == title)
  }

  @Test(arguments: [nil, ""])
  func aSectionWithoutANameHasNoIndexTitle(name: String?) {
    #expect(SectionInfo(name: name, numberOfRows: 1).indexTitle == nil)
    #expect(Section(name: name, items: [1]).indexTitle == nil)
  }

  @Test func anIndexTitleOfItsOwnIsTakenAsItIs() {
    #expect(SectionInfo(name: "Rock", indexTitle: nil, numberOfRows: 1).indexTitle == nil)
    #expect(SectionInfo(name: nil, indexTitle: "★", numberOfRows: 1).indexTitle == "★")
  }

  @Test func aSectionHasItsInfo() {
    let section = Section(name: "Fruit", indexTitle: "f", items: ["apple", "pear"])
    #expect(section.info == SectionInfo(name: "Fruit", indexTitle: "f", numberOfRows: 2))
    #expect(Section(name: nil, items: [Int]()).info == SectionInfo(name: nil, numberOfRows: 0))
  }

  @Test func sectionsAreValues() {
    var section = Section(name: "Fruit", items: ["apple"])
    let copy = section
    section.items.append("pear")
    #expect(copy.items == ["apple"])
    #expect(copy != section)
    #expect(Set([copy, section, copy]).count == 2)
  }

  private func index(_ titles: [String?]) -> SectionIndex {
    SectionIndex(sections: titles.map { SectionInfo(name: $0, indexTitle: $0, numberOfRows: 1) })
  }

  @Test func titlesAreListedOnceInTheOrderOfTheirFirstSections() {
    let index = index(["B", nil, "A", "B", nil, "A", "C"])
    #expect(index.titles == ["B", "A", "C"])
    #expect(index.sections == [0, 2, 6])
  }

  @Test func aTitleLeadsToItsFirstSection() throws {
    let index = index([nil, nil, "A", "A", "B"])
    #expect(try index.section(forTitle: "A", at: 0) == 2)
    #expect(try index.section(forTitle: "B", at: 1) == 4)
  }

  @Test(arguments: [-1, 0, 2, 99, Int.max, Int.min])
  func aTitleAtAStalePositionIsFoundByItsText(position: Int) throws {
    #expect(try index(["A", "B", "C"]).section(forTitle: "B", at: position) == 1)
  }

  @Test func anUnknownTitleThrowsAndListsTheTitlesThereAre() {
    let error = #expect(throws: TableDataError.self) {
      try index(["A", nil, "B"]).section(forTitle: "Q", at: 0)
    }
    #expect(error?.code == .unknownIndexTitle)
    #expect(error?.message == "no section has the index title \"Q\"")
    #expect(error?.nextStep == "The titles are: A B")
  }

  @Test func noSectionsHaveNoTitles() {
    #expect(index([]).titles.isEmpty)
    #expect(index([nil, nil]).titles.isEmpty)
    let error = #expect(throws: TableDataError.self) {
      try index([nil]).section(forTitle: "A", at: 0)
    }
    #expect(error?.message == "no section has the index title \"A\"")
    #expect(error?.nextStep == "The list has no index titles")
  }

  @Test func equalIndexesAreEqual() {
    #expect(index(["A", "B"]) == index(["A", "B", "A"]))
    #expect(index(["A", "B"]) != index([nil, "A", "B"]))
  }
}
