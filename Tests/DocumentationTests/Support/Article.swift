import Foundation
import Testing

/// A Markdown file, and the Swift in it.
struct Article: CustomTestStringConvertible {
  /// A fenced block of Swift.
  struct Sample {
    /// The number of its first line in the article.
    let line: Int
    let lines: [Substring]

    var text: String { lines.joined(separator: "\n") }
    /// The lines that are not imports.
    var code: [Substring] {
      Array(lines.filter { $0.importedModule == nil }.drop { $0.isEmpty })
    }
  }

  /// Where the file is in the project.
  let path: String
  let samples: [Sample]
  /// The whole text.
  let text: String
  /// The text before the first sample.
  let introduction: String

  init(path: String, text: String) {
    self.path = path
    self.text = text
    var samples: [Sample] = []
    var open: (line: Int, lines: [Substring])?
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line == "```swift" {
        open = (number + 2, [])
      } else if line == "```", let block = open {
        samples.append(Sample(line: block.line, lines: block.lines))
        open = nil
      } else {
        open?.lines.append(line)
      }
    }
    self.samples = samples
    introduction = String(text[..<(text.firstRange(of: "```swift")?.lowerBound ?? text.endIndex)])
  }

  /// The modules that its samples import.
  var imports: Set<String> { Set(samples.flatMap(\.lines).compactMap(\.importedModule)) }

  var testDescription: String { path }
}

extension Article {
  private static let project = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The README, and every article of the documentation catalogues.
  static func all() throws -> [Article] {
    let paths = ["README.md"] + files(in: "Sources", "md").filter { $0.contains(".docc/") }
    return try paths.map { path in
      let file = project.appending(path: path)
      return Article(path: path, text: try String(contentsOf: file, encoding: .utf8))
    }
  }

  /// The sources of these tests, which the compiler has seen, and those of `make adoption`, which
  /// need settings of their own.
  static func compiledFiles() throws -> [CompiledFile] {
    let paths = ["Tests/DocumentationTests", "Tests/Adoption/Sources"].flatMap {
      files(in: $0, "swift")
    }
    return try paths.map { path in
      CompiledFile(try String(contentsOf: project.appending(path: path), encoding: .utf8))
    }
  }

  /// The sources of all other tests.
  static func testSources() throws -> [String] {
    try files(in: "Tests", "swift")
      .filter { !$0.contains("/.build/") && !$0.hasPrefix("Tests/DocumentationTests/") }
      .map { try String(contentsOf: project.appending(path: $0), encoding: .utf8) }
  }

  private static func files(in folder: String, _ pathExtension: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: project.appending(path: folder).path)
    return (names?.allObjects ?? []).compactMap { $0 as? String }
      .filter { $0.hasSuffix("." + pathExtension) }.sorted().map { "\(folder)/\($0)" }
  }
}
