/// The width of text on a terminal, in cells.
///
/// By UAX 11 (East Asian width), with grapheme clusters as the unit: a cluster is as wide as its
/// scalars together, but never wider than two cells. So an emoji joined of four is 2, a letter with
/// any number of marks 1, and a flag 2. Ambiguous characters are narrow, as they are outside legacy
/// CJK locales. U+FE0E is ignored, as by most terminals.
enum DisplayWidth {
  /// The width of `character`: 0, 1 or 2. Control characters are not measured, but escaped.
  static func of(_ character: Character) -> Int {
    var total = 0
    var previous = ScalarClass.narrow
    for scalar in character.unicodeScalars {
      if scalar == "\u{FE0F}", previous == .emojiCapable { total += 1 }
      previous = scalarClass(scalar)
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
    var low = 0
    var high = table.count
    while low + 1 < high {
      let middle = (low + high) / 2
      if table[middle] <= key { low = middle } else { high = middle }
    }
    return ScalarClass(rawValue: table[low] & 0xF) ?? .narrow
  }
}
