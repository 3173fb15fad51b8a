import TableData
import Testing

struct SectionIndexTests {
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
    #expect(error?.message == "no section has the index title \"Q\"; the titles are: A B")
  }

  @Test func noSectionsHaveNoTitles() {
    #expect(index([]).titles.isEmpty)
    #expect(index([nil, nil]).titles.isEmpty)
    let error = #expect(throws: TableDataError.self) {
      try index([nil]).section(forTitle: "A", at: 0)
    }
    #expect(error?.message == "no section has the index title \"A\"; there are no titles")
  }

  @Test func equalIndexesAreEqual() {
    #expect(index(["A", "B"]) == index(["A", "B", "A"]))
    #expect(index(["A", "B"]) != index([nil, "A", "B"]))
  }
}
