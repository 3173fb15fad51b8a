import Testing

/// Each Swift sample of the README and the articles occurs in a file of these tests, literally: so the
/// compiler has seen it, and where it can run, a test runs it.
struct SamplesTests {
  @Test(arguments: try Article.all())
  func everySampleIsCompiled(of article: Article) throws {
    let files = try Article.compiledFiles()
    for sample in article.samples {
      #expect(
        files.contains { $0.contains(sample.lines) },
        """
        \(article.path):\(sample.line): no file in Tests/DocumentationTests has this sample. Change \
        it there too, or add it:
        \(sample.text)
        """)
    }
  }

  @Test func theArticlesAreFound() throws {
    let articles = try Article.all()
    #expect(articles.filter { $0.path.hasSuffix(".docc/FetchedResults.md") }.count == 1)
    #expect(articles.flatMap(\.samples).count > 50)
  }

  @Test func aSampleIsFoundAtAnyIndentation() {
    let file = CompiledFile("import A\nimport B\n\nfunc f() {\n  if x {\n    y()\n\n  }\n}\n")
    #expect(file.contains(["if x {", "  y()", "", "}"]))
    #expect(file.contains(["import B", "", "if x {", "  y()"]))
  }

  @Test func aSampleThatNobodyCompilesIsNotFound() {
    let file = CompiledFile("import A\n\nfunc f() {\n  if x {\n    y()\n  }\n}\n")
    #expect(!file.contains(["if x {", "  z()"]))
    #expect(!file.contains(["if x {", "    y()"]))
    #expect(!file.contains(["x {", "  y()"]))
    #expect(!file.contains(["import B", "", "if x {"]))
    #expect(!file.contains(["}", "", "", "", "", ""]))
    #expect(!file.contains([]))
  }
}
