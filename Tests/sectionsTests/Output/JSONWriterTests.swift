import Foundation
import RowQueries
import SQLiteStorage
import Testing

@testable import sections

@Suite struct JSONWriterTests {
  @Test func sectionsAreObjectsInAnArrayWithARowALine() throws {
    #expect(
      try render(.albums, as: .json) == """
        [
        {"section":"Jazz","title":"Jazz","indexTitle":"J","count":2,"rows":[
        {"id":1,"title":"Kind of Blue"},
        {"id":2,"title":"Blue Train"}
        ]},
        {"section":"Rock","title":"Rock","indexTitle":"R","count":1,"rows":[
        {"id":30,"title":"Let It Be"}
        ]}
        ]

        """)
  }

  @Test func noSectionsAreAnEmptyArray() throws {
    #expect(try render(.noSections, as: .json) == "[]\n")
  }

  @Test func aResultWithoutSectionsIsOneElementEvenWithoutRows() throws {
    #expect(
      try render(.noRows, as: .json) == """
        [
        {"section":null,"title":null,"indexTitle":null,"count":0,"rows":[]}
        ]

        """)
  }

  @Test func rowsWithoutColumnsAreEmptyObjects() throws {
    #expect(
      try render(.noColumns, as: .json) == """
        [
        {"section":null,"title":null,"indexTitle":null,"count":2,"rows":[
        {},
        {}
        ]}
        ]

        """)
  }

  @Test func keysKeepTheirTypeAndNullIsNotTheEmptyString() throws {
    #expect(
      try render(.awkwardKeys, as: .json) == #"""
        [
        {"section":null,"title":"","indexTitle":"","count":1,"rows":[
        {"id":1}
        ]},
        {"section":"","title":"","indexTitle":"","count":1,"rows":[
        {"id":2}
        ]},
        {"section":" ","title":" ","indexTitle":" ","count":1,"rows":[
        {"id":3}
        ]},
        {"section":"A|<b>\n","title":"A|<b>\n","indexTitle":"A","count":1,"rows":[
        {"id":4}
        ]},
        {"section":7,"title":"7","indexTitle":"7","count":1,"rows":[
        {"id":5}
        ]}
        ]

        """#)
  }

  @Test func textIsEscapedAsFarAsItMustBe() throws {
    #expect(
      try render(.awkwardTexts, as: .json) == #"""
        [
        {"section":null,"title":null,"indexTitle":null,"count":18,"rows":[
        {"name":"null","text":null},
        {"name":"empty","text":""},
        {"name":"space","text":" "},
        {"name":"quotes","text":"say \"hi\", it's"},
        {"name":"lines","text":"a\nb\r\nc\rd"},
        {"name":"tab","text":"a\tb"},
        {"name":"backslash","text":"C:\\new"},
        {"name":"comma","text":"a,b"},
        {"name":"pipe","text":"a|b"},
        {"name":"markup","text":"<a href=\"x\">&amp;</a>"},
        {"name":"markdown","text":"*a* _b_ snake_case `c` [d]"},
        {"name":"emoji","text":"👩‍👩‍👧 🇩🇪 ❤️"},
        {"name":"wide","text":"日本語"},
        {"name":"marks","text":"e\#u{301}a"},
        {"name":"override","text":"abc\#u{202E}def\#u{2066}"},
        {"name":"nul","text":"a\u0000b"},
        {"name":"controls","text":"\u0001\b\f\u001b[31m\#u{7F}\#u{85}"},
        {"name":"separator","text":"a\#u{2028}b"}
        ]}
        ]

        """#)
  }

  @Test func numbersAreExactAndWhatIsNoneIsNull() throws {
    #expect(
      try render(.awkwardValues, as: .json) == """
        [
        {"section":null,"title":null,"indexTitle":null,"count":13,"rows":[
        {"name":"min","value":-9223372036854775808},
        {"name":"max","value":9223372036854775807},
        {"name":"zero","value":0},
        {"name":"tenth","value":0.1},
        {"name":"one","value":1.0},
        {"name":"huge","value":1e+300},
        {"name":"tiny","value":5e-324},
        {"name":"minus zero","value":-0.0},
        {"name":"infinity","value":null},
        {"name":"minus infinity","value":null},
        {"name":"nan","value":null},
        {"name":"blob","value":{"base64":"AP8QgA=="}},
        {"name":"empty blob","value":{"base64":""}}
        ]}
        ]

        """)
  }

  @Test(arguments: [SampleResult.awkwardTexts, .awkwardValues, .awkwardKeys, .noColumns, .noRows])
  func aParserReadsBackWhatWasWritten(_ result: SampleResult) throws {
    let text = try render(result, as: .json)
    let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let sections = try #require(parsed as? [[String: Any]])
    #expect(sections.count == result.sections.count)
    for (section, (header, rows)) in zip(sections, result.sections) {
      #expect(try matches(section["section"], header.section))
      #expect(section["count"] as? Int == header.count)
      let objects = try #require(section["rows"] as? [[String: Any]])
      #expect(objects.count == rows.count)
      for (object, row) in zip(objects, rows) {
        for (name, value) in zip(result.columns, row) {
          #expect(try matches(object[name], value), "\(row)")
        }
      }
    }
  }

  private func matches(_ parsed: Any?, _ value: Value) throws -> Bool {
    switch value {
    case .null: return parsed is NSNull
    case .real(let real) where !real.isFinite: return parsed is NSNull
    case .integer(let integer): return (parsed as? NSNumber)?.int64Value == integer
    case .real(let real): return (parsed as? NSNumber)?.doubleValue == real
    // By scalars, as `==` of strings would not notice a changed composition.
    case .text(let text): return (parsed as? String).map { Array($0.utf8) } == Array(text.utf8)
    case .blob(let bytes):
      let text = try #require((parsed as? [String: String])?["base64"])
      return Data(base64Encoded: text).map(Array.init) == bytes
    }
  }
}
