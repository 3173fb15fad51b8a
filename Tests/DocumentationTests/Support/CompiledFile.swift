/// A source file of these tests, in which samples are looked for.
struct CompiledFile {
  private let lines: [Substring]

  init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false) }

  /// Whether the file has the sample: its lines one after the other, indented alike, and its imports
  /// wherever they are.
  func contains(_ sample: [Substring]) -> Bool {
    let imports = sample.filter { $0.hasPrefix("import ") }
    let code = sample.filter { !$0.hasPrefix("import ") }.drop { $0.isEmpty }
    guard imports.allSatisfy(lines.contains), let first = code.first else { return false }
    return lines.indices.contains { start in
      guard lines[start].hasSuffix(first), start + code.count <= lines.count else { return false }
      let indentation = lines[start].dropLast(first.count)
      return indentation.allSatisfy { $0 == " " }
        && zip(lines[start...], code).allSatisfy { line, sample in
          line == (sample.isEmpty ? "" : indentation + sample)
        }
    }
  }
}
