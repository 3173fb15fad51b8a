public import SQLiteStorage

/// The place of a row in a list that the user orders: a text between those of its neighbours.
///
/// There is always room for another one between two positions, so that a row can be put anywhere
/// without touching the others.
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
/// It is made of digits and small letters and begins with a letter. So it sorts the same under
/// `BINARY`, `NOCASE` and `RTRIM`, and stays text in a column of any type. Declare the column `TEXT`,
/// and give it an index behind the column of the sections.
///
/// Sendable: a plain value. The order is that of the text.
public struct Position: RawRepresentable, ColumnValue, Hashable, Comparable, Sendable {
  /// The text that is stored.
  public let rawValue: String

  /// The position that is stored as a text; nil where the text is none.
  ///
  /// The first letter says how many digits the whole number that follows has: `n` one, `z` 13, and
  /// for numbers below 0 `m` one, `a` 13. What follows is a fraction, which does not end in 0.
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

  /// Whether a position is before another.
  public static func < (lhs: Position, rhs: Position) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension Position: CustomStringConvertible {
  /// The text that is stored.
  public var description: String { rawValue }
}

extension Position {
  /// The first position, for a list without rows.
  public static let first = between(nil, nil)

  /// A position between two others. It gets longer by one character each time about five rows are put
  /// at one spot; at the ends of a list it hardly grows.
  ///
  /// - Parameters:
  ///   - lower: nil for one before all others.
  ///   - upper: nil for one after all others. It must be greater than `lower`.
  public static func between(_ lower: Position?, _ upper: Position?) -> Position {
    if let lower, let upper {
      precondition(lower < upper, "there is no position between \(lower) and \(upper)")
    }
    return Position(digits(between: lower?.digits, and: upper?.digits))
  }

  /// Positions in ascending order between two others: for the rows of a list that had none, say.
  ///
  /// Their lengths grow with the logarithm of their number.
  ///
  /// - Parameters:
  ///   - count: how many; below 0 counts as 0.
  ///   - lower: nil for no bound.
  ///   - upper: nil for no bound. It must be greater than `lower`.
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
      // In halves, which keeps them short; `between` would otherwise creep along to one side.
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
