import Testing

/// Each Swift sample of the README and the articles occurs in a file of these tests, literally: so the
/// compiler has seen it, and where it can run, a test runs it. The file imports what the article says, and
/// nothing else: so the sample compiles for a reader, too.
struct SamplesTests {
  @Test(arguments: try Article.all())
  func everySampleIsCompiledWithTheImportsOfItsArticle(_ article: Article) throws {
    let files = try Article.compiledFiles()
    var needed: Set<String> = []
    for sample in article.samples where !sample.code.isEmpty {
      let file = files.first { file in
        file.contains(sample.code) && file.imports.isSubset(of: article.imports)
      }
      #expect(
        file != nil,
        """
        \(article.path):\(sample.line): no file in Tests/DocumentationTests has this sample and only \
        the imports of the article, which are \(article.imports.sorted()). Change it there too, or \
        add it:
        \(sample.text)
        """)
      needed.formUnion(file?.imports ?? [])
    }
    #expect(
      article.imports == needed,
      "\(article.path) shows imports that none of its samples needs, or not all that they need")
  }

  @Test func theArticlesAreFound() throws {
    let articles = try Article.all()
    #expect(articles.filter { $0.path.hasSuffix(".docc/FetchedResults.md") }.count == 1)
    #expect(articles.flatMap(\.samples).count > 50)
  }

  /// A reader must know which products to depend on before the first sample.
  @Test func gettingStartedNamesTheProductsThatItImports() throws {
    let article = try #require(
      try Article.all().first { $0.path.hasSuffix("/GettingStarted.md") })
    #expect(article.imports.contains("FetchedResults"))
    for module in article.imports.subtracting(["Foundation"]) {
      #expect(article.introduction.contains("`\(module)`"), "\(module)")
    }
  }

  @Test func aSampleIsFoundAtAnyIndentation() {
    let file = CompiledFile("import A\n\nfunc f() {\n  if x {\n    y()\n\n  }\n}\n")
    #expect(file.contains(["if x {", "  y()", "", "}"]))
  }

  @Test func aSampleThatIsNotCompiledIsNotFound() {
    let file = CompiledFile("import A\n\nfunc f() {\n  if x {\n    y()\n  }\n}\n")
    #expect(!file.contains(["if x {", "  z()"]))
    #expect(!file.contains(["if x {", "    y()"]))
    #expect(!file.contains(["x {", "  y()"]))
    #expect(!file.contains(["}", "", "", "", "", ""]))
    #expect(!file.contains([]))
  }

  @Test func importsAreNoCode() {
    let text = "```swift\nimport A\nimport B\n\nlet x = 1\n```\n```swift\nimport C\n```\n"
    let article = Article(path: "", text: text)
    #expect(article.imports == ["A", "B", "C"])
    #expect(article.samples.map(\.code) == [["let x = 1"], []])
    let file = CompiledFile("import A\nimport Testing\n#if D\n  import B\n#endif\n")
    #expect(file.imports == ["A", "B"])
  }
}
