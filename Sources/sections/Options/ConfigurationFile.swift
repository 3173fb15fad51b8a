/// Tables with keys and values, in the part of TOML 1.0 that lists need: tables, strings, integers, arrays of
/// them and comments. Everything else is an error.
///
/// <https://toml.io/en/v1.0.0>
struct ConfigurationFile {
  struct Table: Equatable {
    let name: String
    let line: Int
    var entries: [Entry] = []
  }

  struct Entry: Equatable {
    let key: String
    /// The elements of an array, or the one value.
    let values: [String]
    let line: Int
  }

  struct Error: Swift.Error {
    /// The number of the line, from 1.
    let line: Int
    let message: String

    init(line: Int, _ message: String) {
      self.line = line
      self.message = message
    }
  }

  /// The tables, in the order of the file.
  private(set) var tables: [Table] = []
  private var rest: Substring
  private var line = 1

  /// Reads a file.
  init(_ text: String) throws {
    // TOML lets CR LF end a line, which Swift reads as one character.
    let text = text.replacing("\r\n", with: "\n")
    rest = text[...]
    skipEmptyLines()
    while let first = rest.first {
      if first == "[" { try readHeader() } else { try readEntry() }
      try endLine()
      skipEmptyLines()
    }
  }

  private mutating func readHeader() throws {
    rest.removeFirst()
    guard rest.first != "[" else { throw error("an array of tables is not known here: use [name]") }
    let name = try readKey()
    guard !tables.contains(where: { $0.name == name }) else {
      throw error("there are two lists [\(name)]")
    }
    guard rest.popFirst() == "]" else { throw error("a ] is missing after [\(name)") }
    tables.append(Table(name: name, line: line))
  }

  private mutating func readEntry() throws {
    let (key, start) = (try readKey(), line)
    guard rest.popFirst() == "=" else { throw error("an = is missing after \(key)") }
    guard let table = tables.indices.last else {
      throw error("\(key) is in no list. Begin the list with its name, such as [orders]")
    }
    guard !tables[table].entries.contains(where: { $0.key == key }) else {
      throw error("\(key) is given twice")
    }
    skipSpaces()
    let values = rest.first == "[" ? try readArray() : [try readValue()]
    tables[table].entries.append(Entry(key: key, values: values, line: start))
  }

  /// Reads a key, with the spaces around it.
  private mutating func readKey() throws -> String {
    skipSpaces()
    defer { skipSpaces() }
    if rest.first == "\"" || rest.first == "'" { return try readString() }
    let key = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    guard !key.isEmpty else {
      throw error("a name is missing. Names with other characters are in \"quotes\"")
    }
    rest = rest[key.endIndex...]
    return String(key)
  }

  private mutating func readArray() throws -> [String] {
    rest.removeFirst()
    var values: [String] = []
    while true {
      skipEmptyLines()
      if rest.first == "]" { break }
      values.append(try readValue())
      skipEmptyLines()
      if rest.first == "]" { break }
      guard rest.popFirst() == "," else { throw error("a , or ] is missing in an array") }
    }
    rest.removeFirst()
    return values
  }

  private mutating func readValue() throws -> String {
    if rest.first == "\"" || rest.first == "'" { return try readString() }
    let word = rest.prefix { !$0.isWhitespace && !",]#".contains($0) }
    guard let number = Int(word), "\(number)" == word else {
      throw error("\(word.isEmpty ? "a value" : "\(word)") must be an integer or in \"quotes\"")
    }
    rest = rest[word.endIndex...]
    return String(word)
  }

  /// Reads a string: in "quotes" with escapes, in 'quotes' without, or on several lines in three quotes.
  private mutating func readString() throws -> String {
    let start = line
    let quote = rest.removeFirst()
    let isLong = rest.hasPrefix("\(quote)\(quote)")
    let end = isLong ? "\(quote)\(quote)\(quote)" : "\(quote)"
    if isLong {
      rest.removeFirst(2)
      // The line end after the opening quotes is no part of the string.
      if rest.first == "\n" { advance() }
    }
    var text = ""
    while !rest.hasPrefix(end) {
      guard let character = rest.first, isLong || character != "\n" else {
        throw Error(line: start, "a string has no end: \(end) is missing")
      }
      if quote == "\"", character == "\\" {
        text += try readEscape()
      } else {
        text.append(character)
        advance()
      }
    }
    rest.removeFirst(end.count)
    return text
  }

  private mutating func readEscape() throws -> String {
    rest.removeFirst()
    guard let letter = rest.first else { throw error("a string ends in \\") }
    rest.removeFirst()
    let plain: [Character: String] = [
      "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "\"": "\"", "\\": "\\",
    ]
    if let text = plain[letter] { return text }
    let length = letter == "u" ? 4 : 8
    let digits = rest.prefix(length)
    guard letter == "u" || letter == "U", digits.count == length,
      digits.allSatisfy(\.isHexDigit), let code = UInt32(digits, radix: 16),
      let scalar = Unicode.Scalar(code)
    else { throw error("\\\(letter) is no escape. Write \\\\ for a \\, or use 'quotes'") }
    rest = rest[digits.endIndex...]
    return String(scalar)
  }

  // MARK: Lines

  private mutating func advance() {
    if rest.removeFirst() == "\n" { line += 1 }
  }

  private mutating func skipSpaces() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  private mutating func skipComment() {
    skipSpaces()
    if rest.first == "#" { rest = rest.drop { $0 != "\n" } }
  }

  private mutating func skipEmptyLines() {
    skipComment()
    while rest.first == "\n" {
      advance()
      skipComment()
    }
  }

  private mutating func endLine() throws {
    skipComment()
    guard rest.isEmpty || rest.first == "\n" else {
      throw error("there is more after the value: \(rest.prefix { $0 != "\n" })")
    }
  }

  private func error(_ message: String) -> Error { Error(line: line, message) }
}
