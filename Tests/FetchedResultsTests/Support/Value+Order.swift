import SQLiteStorage

@testable import FetchedResults

extension Value {
  /// Whether the value sorts before another in an ascending column without a collation.
  func precedes(_ other: Value) -> Bool {
    KeyTuple([self]).withReader { lhs in
      KeyTuple([other]).withReader { rhs in
        guard let lhs = lhs.next(), let rhs = rhs.next() else { return false }
        return FetchedResults.SortOrder.compare(lhs, rhs, .binary) < 0
      }
    }
  }
}
