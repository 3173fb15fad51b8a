import TableData
import Testing

struct SectionInfoTests {
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

  @Test func aSectionTellsItsInfo() {
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
}
