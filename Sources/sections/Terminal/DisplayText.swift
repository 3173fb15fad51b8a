import CountedTrees

/// Text that is safe on a terminal: characters that would control the terminal are escaped, and the
/// width of each piece is known.
struct DisplayText: Sequence {
  /// A piece that is never cut, or a run of plain characters.
  struct Element: Equatable {
    var text: String
    /// In cells.
    var width: Int
    /// Whether `text` replaces another scalar, by `Unicode.Scalar.visibleEscape`.
    var isEscape: Bool
  }

  private let text: String
  /// Whether each byte is a piece one cell wide: true for most text, and much cheaper to handle.
  let isPlain: Bool

  init(_ text: String) {
    self.text = text
    isPlain = text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
  }

  /// Whether some of the text is shown escaped.
  var hasEscapes: Bool {
    !isPlain && text.unicodeScalars.contains(where: \.needsVisibleEscape)
  }

  /// The width of the whole text, in cells.
  var width: Int { width(upTo: .max) }

  /// The width of the whole text, in cells; if it is more than `limit`, any number above `limit`.
  ///
  /// To measure the rest of a novel costs far more than to show its first line.
  func width(upTo limit: Int) -> Int {
    if isPlain { return text.utf8.count }
    var width = 0
    for element in self {
      width += element.width
      if width > limit { break }
    }
    return width
  }

  /// As much of the start as fits in `limit` cells, which must not be negative, and its width in
  /// cells: less than `limit` if a wide character or an escape is next.
  func prefix(width limit: Int) -> (elements: [Element], width: Int) {
    if isPlain {
      let start = text.utf8.prefix(limit)
      let element = Element(text: String(Substring(start)), width: start.count, isEscape: false)
      return ([element], element.width)
    }
    var elements: [Element] = []
    var width = 0
    for element in self {
      guard width + element.width <= limit else { break }
      elements.append(element)
      width += element.width
    }
    return (elements, width)
  }

  func makeIterator() -> Iterator {
    Iterator(text)
  }

  struct Iterator: IteratorProtocol {
    private var characters: String.Iterator
    /// The scalars of a cluster that must be escaped, in reverse order.
    private var scalars: [Unicode.Scalar] = []

    init(_ text: String) {
      characters = text.makeIterator()
    }

    mutating func next() -> Element? {
      if let scalar = scalars.popLast() { return element(scalar) }
      guard let character = characters.next() else { return nil }
      guard character.unicodeScalars.contains(where: \.needsVisibleEscape) else {
        let width = character.displayWidth
        return Element(text: String(character), width: width, isEscape: false)
      }
      // Almost always one scalar. CR LF is two.
      scalars = character.unicodeScalars.reversed()
      return scalars.popLast().map(element)
    }

    private func element(_ scalar: Unicode.Scalar) -> Element {
      guard scalar.needsVisibleEscape else {
        let width = Character(scalar).displayWidth
        return Element(text: String(scalar), width: width, isEscape: false)
      }
      let escape = scalar.visibleEscape
      return Element(text: escape, width: escape.count, isEscape: true)
    }
  }
}

extension String {
  /// The noun after a number, such as "1 row" or "2 rows".
  func counted(_ count: Int) -> String { "\(count) \(self)\(count == 1 ? "" : "s")" }
}

// MARK: - Width

extension Character {
  /// The width on a terminal, in cells: 0, 1 or 2. Control characters are not measured, but escaped.
  ///
  /// By UAX 11 (East Asian width), with grapheme clusters as the unit: a cluster is as wide as its
  /// scalars together, but never wider than two cells. So an emoji joined of four is 2, a letter with
  /// any number of marks 1, and a flag 2. Ambiguous characters are narrow, as they are outside legacy
  /// CJK locales. U+FE0E is ignored, as by most terminals.
  var displayWidth: Int {
    var total = 0
    var previous = ScalarClass.narrow
    for scalar in unicodeScalars {
      if scalar == "\u{FE0F}", previous == .emojiCapable { total += 1 }
      previous = Self.scalarClass(scalar)
      total += previous.width
    }
    return min(total, 2)
  }

  private enum ScalarClass: UInt32 {
    case zero, narrow, wide
    /// Narrow, but wide before U+FE0F.
    case emojiCapable

    var width: Int {
      switch self {
      case .zero: 0
      case .narrow, .emojiCapable: 1
      case .wide: 2
      }
    }
  }

  private static func scalarClass(_ scalar: Unicode.Scalar) -> ScalarClass {
    let table = DisplayWidthTable.transitions
    // The last entry that is not above the scalar. It always exists: the table starts at 0.
    let key = scalar.value << 4 | 0xF
    let index = table.partitionPoint { $0 <= key } - 1
    return ScalarClass(rawValue: table[index] & 0xF) ?? .narrow
  }
}
