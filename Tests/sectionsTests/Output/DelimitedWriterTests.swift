import SQLiteStorage
import Testing

@testable import sections

@Suite struct CSVWriterTests {
  @Test func theFirstColumnIsTheSection() throws {
    #expect(
      try render(.albums, as: .csv) == """
        section,id,title
        Jazz,1,Kind of Blue
        Jazz,2,Blue Train
        Rock,30,Let It Be

        """)
  }

  @Test func withoutRowsThereIsAHeader() throws {
    #expect(try render(.noRows, as: .csv) == "id,title\n")
    #expect(try render(.noSections, as: .csv) == "section,id,title\n")
  }

  @Test func withoutColumnsThereAreEmptyLines() throws {
    #expect(try render(.noColumns, as: .csv) == "\n\n\n")
  }

  @Test func nullAndEmptyAndBlankKeysDiffer() throws {
    #expect(
      try render(.awkwardKeys, as: .csv) == """
        section,id
        ,1
        "",2
         ,3
        "A|<b>
        ",4
        7,5

        """)
  }

  @Test func fieldsAreQuotedWhereTheyMustBe() throws {
    #expect(
      try render(.awkwardTexts, as: .csv) == """
        name,text
        null,
        empty,""
        space,\u{20}
        quotes,"say ""hi"", it's"
        lines,"a
        b\r
        c\rd"
        tab,a\tb
        backslash,C:\\new
        comma,"a,b"
        pipe,a|b
        markup,"<a href=""x"">&amp;</a>"
        markdown,*a* _b_ snake_case `c` [d]
        emoji,👩‍👩‍👧 🇩🇪 ❤️
        wide,日本語
        marks,e\u{301}a
        override,abc\u{202E}def\u{2066}
        nul,a\u{0}b
        controls,\u{1}\u{8}\u{C}\u{1B}[31m\u{7F}\u{85}
        separator,a\u{2028}b

        """)
  }

  @Test func valuesKeepAllTheirDigits() throws {
    #expect(
      try render(.awkwardValues, as: .csv) == """
        name,value
        min,-9223372036854775808
        max,9223372036854775807
        zero,0
        tenth,0.1
        one,1.0
        huge,1e+300
        tiny,5e-324
        minus zero,-0.0
        infinity,Inf
        minus infinity,-Inf
        nan,
        blob,AP8QgA==
        empty blob,""

        """)
  }

  @Test func columnNamesAreQuotedAndMayRepeat() throws {
    let result = SampleResult.unsectioned(["a", "a", "x,\"y\"", ""], [[1, 2, 3, 4]])
    #expect(try render(result, as: .csv) == "a,a,\"x,\"\"y\"\"\",\"\"\n1,2,3,4\n")
  }

  @Test func aFieldOfOnlyQuotesIsDoubled() throws {
    let result = SampleResult.unsectioned(["a"], [["\""], ["\"\""]])
    #expect(try render(result, as: .csv) == "a\n\"\"\"\"\n\"\"\"\"\"\"\n")
  }
}

extension CSVWriterTests {
  @Test func aLineIsNeverEmpty() throws {
    let values: [Value] = [nil, "x", .real(.nan), "", .blob([])]
    #expect(
      try render(.unsectioned(["a"], values.map { [$0] }), as: .csv)
        == "a\n\"\"\nx\n\"\"\n\"\"\n\"\"\n")
    #expect(try render(.unsectioned(["a", "b"], [[nil, nil]]), as: .csv) == "a,b\n,\n")
  }
}

@Suite struct TSVWriterTests {
  @Test func theFirstColumnIsTheSection() throws {
    #expect(
      try render(.albums, as: .tsv) == """
        section\tid\ttitle
        Jazz\t1\tKind of Blue
        Jazz\t2\tBlue Train
        Rock\t30\tLet It Be

        """)
  }

  @Test func textIsEscapedAndNeverQuoted() throws {
    #expect(
      try render(.awkwardTexts, as: .tsv) == """
        name\ttext
        null\t
        empty\t
        space\t\u{20}
        quotes\tsay "hi", it's
        lines\ta\\nb\\r\\nc\\rd
        tab\ta\\tb
        backslash\tC:\\\\new
        comma\ta,b
        pipe\ta|b
        markup\t<a href="x">&amp;</a>
        markdown\t*a* _b_ snake_case `c` [d]
        emoji\t👩‍👩‍👧 🇩🇪 ❤️
        wide\t日本語
        marks\te\u{301}a
        override\tabc\u{202E}def\u{2066}
        nul\ta\u{0}b
        controls\t\u{1}\u{8}\u{C}\u{1B}[31m\u{7F}\u{85}
        separator\ta\u{2028}b

        """)
  }

  @Test func valuesAreThoseOfCSV() throws {
    let tsv = try render(.awkwardValues, as: .tsv)
    let csv = try render(.awkwardValues, as: .csv)
    #expect(
      tsv.replacing("\t", with: ",") == csv.replacing("\"", with: ""))
  }

  @Test func columnNamesAreEscaped() throws {
    #expect(try render(.unsectioned(["a\tb"], []), as: .tsv) == "a\\tb\n")
  }
}
