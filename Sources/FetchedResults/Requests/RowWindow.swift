internal import SQLiteStorage

/// The rows of the order that a request shows.
enum RowWindow: Hashable, Sendable {
  /// At most so many rows, after an offset; nil for all.
  case first(Int?, offset: Int)
  /// The first `shown` of the last rows, in ascending order; nil for all of them.
  case last(Int, shown: Int?)

  static let all = RowWindow.first(nil, offset: 0)

  /// The positions of the rows, of so many.
  func range(of rowCount: Int) -> Range<Int> {
    switch self {
    case .first(let limit, let offset):
      let lower = min(offset, rowCount)
      return lower..<(lower + min(rowCount - lower, limit ?? .max))
    case .last(let count, let shown):
      let lower = max(0, rowCount - count)
      return lower..<(lower + min(rowCount - lower, shown ?? .max))
    }
  }

  /// The positions of the rows as far as they are known before the number of rows is; nil if they are not.
  var rangeOfAnyCount: Range<Int>? {
    guard case .first(let limit, let offset) = self else { return nil }
    // The limit may be Int.max, which means all rows.
    let (end, isUnlimited) = offset.addingReportingOverflow(limit ?? .max)
    return offset..<(isUnlimited ? .max : end)
  }

  /// The values of the `LIMIT` clause.
  ///
  /// - Parameter conditions: the values of the conditions of the rows, which are counted for the last ones.
  func values(ofConditions conditions: [Value]) -> [Value] {
    func value(_ limit: Int?) -> Value { .integer(limit.map(Int64.init) ?? -1) }
    return switch self {
    case .all: []
    case .first(let limit, let offset): [value(limit), .integer(Int64(offset))]
    case .last(let count, let shown):
      [value(min(count, shown ?? .max))] + conditions + [.integer(Int64(count))]
    }
  }

  /// The first rows of these.
  func prefix(_ count: Int) -> RowWindow {
    switch self {
    case .first(let limit, let offset): .first(min(count, limit ?? .max), offset: offset)
    case .last(let all, let shown): .last(all, shown: min(count, shown ?? .max))
    }
  }
}
