import SQLiteStorage
import Testing

@testable import FetchedResults

struct SectionEntryTests {
  @Test(arguments: [
    (Value.null, ""), ("", ""), (" ", " "), (-5, "-5"), (.real(1.5), "1.5"),
    (.blob([0, 0xAB]), "00ab"), ("é", "é"),
  ])
  func theNameIsTheKeyAsText(key: Value, name: String) {
    #expect(SectionEntry(key: KeyTuple([key]), rowCount: 1).name == name)
  }

  @Test func aResultThatIsNotDividedHasASectionWithoutAName() {
    #expect(SectionEntry(key: nil, rowCount: 0).name == nil)
  }
}
