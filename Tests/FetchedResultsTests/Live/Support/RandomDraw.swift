import TableDataTesting

/// Draws from lists and by chances.
struct RandomDraw {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }

  mutating func one<Element>(of list: [Element]) -> Element { list[number(0...list.count - 1)] }

  /// One of the elements for which a condition is true; nil if there is none.
  mutating func one<Element>(
    of list: [Element], where isWanted: (Element) -> Bool
  ) -> Element? {
    let wanted = list.filter(isWanted)
    return wanted.isEmpty ? nil : one(of: wanted)
  }

  /// Each element with a chance, at least one of them, in their order.
  mutating func some<Element>(of list: [Element], _ percent: Int = 60) -> [Element] {
    let some = list.filter { _ in chance(percent) }
    return some.isEmpty ? [one(of: list)] : some
  }

  // MARK: Values

  /// SQL of a value, mostly of the type that a column is for. There are few, so that many are equal; no
  /// sum of them depends on their order.
  mutating func value(for type: String) -> String {
    guard !chance(12) else { return "NULL" }
    guard chance(80) else { return one(of: Self.values) }
    switch Affinity(type) {
    case .integer: return "\(number(0...5))"
    case .real: return one(of: ["0.0", "0.5", "1.0", "1.5", "2", "-2.5"])
    case .text: return one(of: ["'a'", "'A'", "'b'", "'B'", "'a '", "'c'", "'1'", "''"])
    case .numeric: return one(of: ["0", "1", "1.0", "1.5", "2", "'a'", "'2'"])
    case .none: return one(of: Self.values)
    }
  }

  private static let values = [
    "0", "1", "2", "3", "-1", "1.0", "1.5", "2.0", "'a'", "'A'", "'a '", "'b'", "'1'", "'2'",
    "'1.0'", "''", "x'61'", "x''", "'[1,2]'", "'[\"a\"]'",
  ]
}

/// What SQLite makes of the values of a column, by its declared type.
enum Affinity {
  case integer, real, text, numeric, none

  init(_ type: String) {
    let type = type.uppercased()
    self =
      if type.contains("INT") {
        .integer
      } else if type.contains("CHAR") || type.contains("TEXT") {
        .text
      } else if type.isEmpty || type == "BLOB" || type == "ANY" {
        .none
      } else if type.contains("REAL") || type.contains("DOUB") {
        .real
      } else {
        .numeric
      }
  }
}
