/// A source file of these tests, in which samples are looked for.
struct CompiledFile {
  /// The modules that it imports, apart from the one that makes it a test.
  ///
  /// The compiler lets a file use no name and no member of a module that it does not import
  /// (`MemberImportVisibility`). So this is all that its samples need.
  let imports: Set<String>
  private let lines: [Substring]

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    imports = Set(lines.compactMap(\.importedModule)).subtracting(["Testing"])
  }

  /// Whether the file has this code: its lines one after the other, indented alike.
  func contains(_ code: [Substring]) -> Bool {
    guard let first = code.first else { return false }
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

extension Substring {
  /// The module that this line imports.
  var importedModule: String? {
    let words = split(separator: " ")
    return words.count == 2 && words[0] == "import" ? String(words[1]) : nil
  }
}
