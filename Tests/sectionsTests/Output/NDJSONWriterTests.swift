import SQLiteStorage
import Testing

@testable import sections

@Suite struct NDJSONWriterTests {
  @Test func eachLineIsARowWithItsSection() throws {
    #expect(
      try render(.albums, as: .ndjson) == """
        {"section":"Jazz","row":{"id":1,"title":"Kind of Blue"}}
        {"section":"Jazz","row":{"id":2,"title":"Blue Train"}}
        {"section":"Rock","row":{"id":30,"title":"Let It Be"}}

        """)
  }

  @Test func withoutSectionsTheSectionIsNull() throws {
    let result = SampleResult.unsectioned(["a", "a"], [[1, "x\ny"], [nil, .blob([1])]])
    #expect(
      try render(result, as: .ndjson) == #"""
        {"section":null,"row":{"a":1,"a:1":"x\ny"}}
        {"section":null,"row":{"a":null,"a:1":{"base64":"AQ=="}}}

        """#)
  }

  @Test func noRowsAreNoLines() throws {
    #expect(try render(.noRows, as: .ndjson) == "")
    #expect(try render(.noSections, as: .ndjson) == "")
  }

  @Test func anyTextStaysOnOneLine() throws {
    let text = try render(.awkwardTexts, as: .ndjson)
    #expect(text.utf8.count { $0 == 0x0A } == 18)
    #expect(!text.utf8.contains(0x0D))
  }
}
