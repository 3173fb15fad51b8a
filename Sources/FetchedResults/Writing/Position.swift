public import SQLiteStorage

/// The position of a row in a list that the user orders: a string between those of its neighbours.
///
/// There is a position between any two positions, so a row can be moved without writing other rows.
///
/// ```swift
/// struct Task: FetchableRecord {
///   let id: Int64?
///   let title: String
///   let position: Position
///
///   static let recordDescription = RecordDescription(
///     table: "task", key: \.id, making: Task.init,
///     Column("id", \.id), Column("title", \.title), Column("position", \.position))
/// }
///
/// try provider.move(from: [0, 4], to: [0, 1], by: \.position)
/// ```
///
/// A position consists of digits and lowercase letters and begins with a letter. So it sorts the same under `BINARY`,
/// `NOCASE` and `RTRIM`, and stays text in a column of any type. Declare the column `TEXT`, and create an index of the
/// section column and this column.
///
/// Sendable: a plain value, ordered as its text.
public struct Position: RawRepresentable, ColumnValue, Codable, Hashable, Comparable, Sendable {
  /// The stored text.
  public let rawValue: String

  /// Makes the position with a stored text; nil if the text is not a position.
  ///
  /// The first letter gives the number of digits of the whole part: `n` to `z` for 1 to 13, and for negative numbers
  /// `m` down to `a`. The rest is a fraction, which does not end in 0.
  public init?(rawValue: String) {
    let bytes = Array(rawValue.utf8)
    guard let head = bytes.first, 97...122 ~= head,
      bytes.allSatisfy({ 48...57 ~= $0 || 97...122 ~= $0 })
    else { return nil }
    let whole = Position.wholeCount(head: head)
    guard bytes.count >= whole, bytes.count == whole || bytes.last != Position.zero,
      bytes != Position.leastWhole
    else { return nil }
    self.rawValue = rawValue
  }

  init(_ digits: [UInt8]) { rawValue = String(decoding: digits, as: UTF8.self) }

  /// Whether a position precedes another one.
  public static func < (lhs: Position, rhs: Position) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension Position: SampledValue {
  static var samples: (first: Position, second: Position) { (.first, between(.first, nil)) }
}

extension Position: CustomStringConvertible {
  /// The stored text.
  public var description: String { rawValue }
}

extension Position {
  /// The position for the first row of an empty list.
  public static let first = between(nil, nil)

  /// A position between two positions. It gets one character longer for about every five rows inserted at the same
  /// place. At the ends of a list it hardly grows.
  ///
  /// - Parameters:
  ///   - lower: the position before; nil for a position before all others.
  ///   - upper: the position after; nil for a position after all others. It must be greater than
  ///     `lower`.
  public static func between(_ lower: Position?, _ upper: Position?) -> Position {
    if let lower, let upper {
      precondition(lower < upper, "lower (\(lower)) must be less than upper (\(upper))")
    }
    return Position(digits(between: lower?.digits, and: upper?.digits))
  }

  /// Positions in ascending order between two positions, for example for rows that had none.
  ///
  /// Their lengths grow with the logarithm of the count.
  ///
  /// - Parameters:
  ///   - count: the number of positions; negative counts as 0.
  ///   - lower: the position before all of them; nil for none.
  ///   - upper: the position after all of them; nil for none. It must be greater than `lower`.
  public static func series(
    _ count: Int, between lower: Position? = nil, and upper: Position? = nil
  ) -> [Position] {
    guard count > 0 else { return [] }
    var positions: [Position] = []
    positions.reserveCapacity(count)
    switch (lower, upper) {
    case (nil, let upper?):
      var next = upper
      for _ in 0..<count {
        next = between(nil, next)
        positions.append(next)
      }
      positions.reverse()
    case (let lower, nil):
      var last = lower
      for _ in 0..<count {
        let next = between(last, nil)
        positions.append(next)
        last = next
      }
    case (let lower?, let upper?):
      // Halving keeps the positions short. Repeated `between` would approach one end.
      let middle = between(lower, upper)
      let half = count / 2
      positions += series(half, between: lower, and: middle)
      positions.append(middle)
      positions += series(count - 1 - half, between: middle, and: upper)
    }
    return positions
  }

  private var digits: [UInt8] { Array(rawValue.utf8) }
}
