import RowQueries
import SQLiteStorage
import Testing

@testable import sections

@Suite struct JSONObjectTemplateTests {
  @Test(
    arguments: [
      (["a", "b"], ["a", "b"]),
      (["a", "a", "a"], ["a", "a:1", "a:2"]),
      (["a", "a", "a:1", "a"], ["a", "a:2", "a:1", "a:3"]),
      (["a", "a:1", "a", "a:1"], ["a", "a:1", "a:2", "a:1:1"]),
      (["", ""], ["", ":1"]),
      ([], []),
    ] as [([String], [String])])
  func aNameThatIsTakenGetsANumber(_ names: [String], _ expected: [String]) {
    #expect(JSONObjectTemplate.distinctNames(names) == expected)
  }

  @Test func namesOfOtherBytesAreNotTaken() {
    let names = ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"]
    let distinct = JSONObjectTemplate.distinctNames(names)
    #expect(distinct.exact == ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}:1"])
  }

  @Test func keysAreEscapedAndInTheOrderOfTheColumns() throws {
    let output = OutputBuffer()
    let template = JSONObjectTemplate(columns: ["z", "a\"b\n", "count(*)"])
    try template.append([1, "x", nil], to: output)
    #expect(output.contents == #"{"z":1,"a\"b\n":"x","count(*)":null}"#)
  }

  @Test func noColumnsAreAnEmptyObject() throws {
    let output = OutputBuffer()
    try JSONObjectTemplate(columns: []).append([], to: output)
    #expect(output.contents == "{}")
  }
}
