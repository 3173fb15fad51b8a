import SQLiteStorage
import Testing

@testable import sections

@Suite struct MarkdownWriterTests {
  @Test func eachSectionIsAHeadingAndATable() throws {
    #expect(
      try render(.albums, as: .markdown) == """
        Index: J R

        ## Jazz (2)

        | id | title |
        | --- | --- |
        | 1 | Kind of Blue |
        | 2 | Blue Train |

        ## Rock (1)

        | id | title |
        | --- | --- |
        | 30 | Let It Be |

        """)
  }

  @Test(arguments: [SampleResult.noRows, .noSections])
  func withoutRowsThereIsAHead(_ result: SampleResult) throws {
    #expect(try render(result, as: .markdown) == "| id | title |\n| --- | --- |\n")
  }

  @Test func withoutColumnsThereIsNoTable() throws {
    #expect(try render(.noColumns, as: .markdown) == "")
  }

  @Test func titlesAreEscapedAndNullIsNoText() throws {
    let lines = try render(.awkwardKeys, as: .markdown).split(separator: "\n")
    #expect(
      lines.filter { $0.hasPrefix("## ") } == [
        "## *NULL* (1)", "## \"\" (1)", "## \" \" (1)", #"## A\|\<b\><br> (1)"#, "## 7 (1)",
      ])
  }

  @Test func textReadsAsItIs() throws {
    #expect(
      try render(.awkwardTexts, as: .markdown) == #"""
        | name | text |
        | --- | --- |
        | null | *NULL* |
        | empty |  |
        | space |   |
        | quotes | say "hi", it's |
        | lines | a<br>b<br>c<br>d |
        | tab | a\#tb |
        | backslash | C:\\new |
        | comma | a,b |
        | pipe | a\|b |
        | markup | \<a href="x"\>\&amp;\</a\> |
        | markdown | \*a\* \_b\_ snake_case \`c\` \[d\] |
        | emoji | 👩‍👩‍👧 🇩🇪 ❤️ |
        | wide | 日本語 |
        | marks | e\#u{301}a |
        | override | abc\\u{202E}def\\u{2066} |
        | nul | a␀b |
        | controls | ␁␈␌␛\[31m␡\\u{85} |
        | separator | a\\u{2028}b |

        """#)
  }

  @Test func blobsAreTheirSize() throws {
    let result = SampleResult.unsectioned(["a_b", "_c_"], [[.blob([1]), 1e300]])
    #expect(
      try render(result, as: .markdown) == #"""
        | a_b | \_c\_ |
        | --- | --- |
        | *\<blob 1 byte\>* | 1e+300 |

        """#)
  }
}
