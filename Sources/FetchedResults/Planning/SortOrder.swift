internal import SQLiteStorage

/// The order of a result, term by term. It compares sort keys exactly as SQLite's `ORDER BY` does.
///
/// Source: [Datatypes in SQLite, Sort Order](https://www.sqlite.org/datatype3.html#sort_order).
struct SortOrder: Sendable {
  struct Term: Sendable {
    let comparator: TextComparator
    let isDescending: Bool
    let areNullsFirst: Bool
  }

  let terms: [Term]

  /// Negative, 0 or positive, if the first key sorts before, with or after the second.
  func compare(_ lhs: KeyTuple, _ rhs: KeyTuple) -> Int {
    lhs.withReader { lhs in
      rhs.withReader { rhs in
        for term in terms {
          guard let left = lhs.next(), let right = rhs.next() else { return 0 }
          let order = term.compare(left, right)
          if order != 0 { return order }
        }
        return 0
      }
    }
  }
}

extension SortOrder.Term {
  /// Negative, 0 or positive, according to the direction and the position of NULL.
  func compare(_ lhs: ColumnContent, _ rhs: ColumnContent) -> Int {
    switch (lhs, rhs) {
    case (.null, .null): return 0
    case (.null, _): return areNullsFirst ? -1 : 1
    case (_, .null): return areNullsFirst ? 1 : -1
    default:
      let order = SortOrder.compare(lhs, rhs, comparator)
      return isDescending ? -order : order
    }
  }
}

extension SortOrder {
  /// Negative, 0 or positive in ascending order: NULL, numbers, text, blobs.
  static func compare(
    _ lhs: ColumnContent, _ rhs: ColumnContent, _ comparator: TextComparator
  ) -> Int {
    switch (lhs, rhs) {
    case (.integer(let lhs), .integer(let rhs)): compare(lhs, rhs)
    case (.real(let lhs), .real(let rhs)): compare(lhs, rhs)
    case (.integer(let lhs), .real(let rhs)): compare(lhs, rhs)
    case (.real(let lhs), .integer(let rhs)): -compare(rhs, lhs)
    case (.text(let lhs), .text(let rhs)): comparator.compare(lhs, rhs)
    case (.blob(let lhs), .blob(let rhs)): lhs.compare(to: rhs)
    default: rank(lhs) - rank(rhs)
    }
  }

  private static func compare<Number: Comparable>(_ lhs: Number, _ rhs: Number) -> Int {
    lhs < rhs ? -1 : lhs > rhs ? 1 : 0
  }

  /// Compares exactly: converting the integer to a real could lose its last digits.
  private static func compare(_ lhs: Int64, _ rhs: Double) -> Int {
    if rhs < -0x1p63 { return 1 }
    if rhs >= 0x1p63 { return -1 }
    let whole = Int64(rhs)
    return lhs == whole ? compare(Double(whole), rhs) : compare(lhs, whole)
  }

  private static func rank(_ content: ColumnContent) -> Int {
    switch content {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}
