import Testing

@testable import SQLiteStorage

struct ExactTextTests {
  @Test func textsAreComparedByTheirBytes() {
    let texts = ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}", "cafe"].exact
    #expect(texts[0] == texts[2])
    #expect(texts[0] != texts[1])
    #expect(Set(texts).count == 3)
    #expect(texts.firstIndex(of: "cafe\u{301}") == 1)
    #expect(texts.sorted().map(\.text.utf8.count) == [4, 6, 5, 5])
  }

  @Test func aPrefixNeedNotEndACharacter() {
    #expect("cafe\u{301}".exact.hasPrefix("cafe"))
    #expect("cafe\u{301}".exact.hasSuffix("\u{301}"))
    #expect(!"caf\u{E9}".exact.hasPrefix("cafe\u{301}"))
  }

  @Test func aPropertyIsComparedByItsBytes() {
    struct Name: Hashable { @ExactText var text: String }
    #expect(Name(text: "\u{E9}") != Name(text: "e\u{301}"))
    #expect(Set([Name(text: "\u{E9}"), Name(text: "e\u{301}")]).count == 2)
  }

  @Test func tablesOfOtherNamesAreOthers() throws {
    let store = try TestConnection("CREATE TABLE \"\u{E9}\"(a); CREATE TABLE \"e\u{301}\"(a)")
    #expect(Set(try store.connection.tables()).count == 2)
    let region = try store.connection.readRegion(of: "SELECT * FROM \"\u{E9}\", \"e\u{301}\"")
    #expect(region.columns.count == 2)
    #expect(region.foldedNames.count == 2)
  }
}
