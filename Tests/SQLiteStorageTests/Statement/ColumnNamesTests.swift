import SQLiteStorage
import Testing

@Suite struct ColumnNamesTests {
  @Test func aNameIsFoundWhateverTheCaseOfItsASCIILetters() {
    let names = ColumnNames(["Id", "NAME"])
    #expect(names.position(of: "id") == 0)
    #expect(names.position(of: "Name") == 1)
    #expect(names.position(of: "other") == nil)
    #expect(names.count == 2)
  }

  @Test func otherLettersDoNotFold() {
    let names = ColumnNames(["Ä", "ſ"])
    #expect(names.position(of: "ä") == nil)
    #expect(names.position(of: "s") == nil)
    #expect(names.position(of: "Ä") == 0)
  }

  @Test func ofEqualNamesTheFirstIsFound() {
    let names = ColumnNames(["id", "name", "ID"])
    #expect(names.position(of: "iD") == 0)
    #expect(names.names == ["id", "name", "ID"])
  }

  @Test func foldingLeavesEverythingButASCIICapitals() {
    #expect("AZ[@`az0Ä🙂".sqliteFolded == "az[@`az0Ä🙂")
    #expect("".sqliteFolded.isEmpty)
  }
}
