internal import LiveQueries
internal import SQLiteStorage

/// A total of the rows of a group, of which ``GroupCounters`` has one for each term: what it is, and when it must be
/// read from the database.
struct TotalCounter: Sendable {
  private let function: TotalFunction
  /// The number of values that are not NULL; without an argument, of rows.
  private var count = 0
  /// Of a sum: the number of values that are neither NULL nor INTEGER.
  private var otherCount = 0
  /// Of a sum: the sum of the INTEGERs.
  private var sum: Int128 = 0
  /// Of a sum: the sum of the magnitudes of the INTEGERs. No sum of some of them is larger.
  private var magnitude: Int128 = 0
  /// Of a sum: the value that the database had, if it was read. Of an extreme: the extreme, or one that was removed, so
  /// that no value is beyond it; nil if there are no values.
  private(set) var known: TotalArgument?
  /// Of an extreme: at least so many values are exactly ``known``.
  private var knownCount = 0
  /// Of a sum: the hashes of the values added since ``known`` was read, without those of the values removed. 0 if the
  /// same values were added and removed, as by an update of another column.
  private var moved = 0

  /// The counter for no rows.
  init(_ function: TotalFunction) { self.function = function }

  /// The counter for rows that the database has counted.
  ///
  /// - Parameter column: the first of the columns of a term of ``HeldAggregates/counters``.
  init(_ function: TotalFunction, countedIn row: borrowing RowView, from column: Int) {
    self.function = function
    count = Int(row.int64(at: column))
    switch function {
    case .count: break
    case .sum, .total, .average:
      otherCount = count - Int(row.int64(at: column + 1))
      sum = Int128(row.int64(at: column + 2))
      magnitude = Int128(row.int64(at: column + 3))
    case .minimum, .maximum:
      if count > 0 { set(row.withContent(at: column + 1) { TotalArgument($0) }) }
    }
  }

  /// Whether the value need not be read from the database.
  var isKnown: Bool {
    switch function {
    case .count: true
    case _ where count == 0: true
    case .minimum, .maximum: knownCount > 0
    case .sum, .total, .average: isExact || known != nil && moved == 0
    }
  }

  /// The value; nil if it must be read from the database.
  var value: Value? {
    if function == .count { return .integer(Int64(count)) }
    if count == 0 { return function == .total ? .real(0) : .null }
    guard isKnown else { return nil }
    guard !function.isExtreme, isExact, let sum = Int64(exactly: sum) else { return known?.value }
    return switch function {
    case .average: .real(Double(sum) / Double(count))
    case .total: .real(Double(sum))
    default: .integer(sum)
    }
  }

  /// Whether ``value`` has the bytes that the database has. It has not if they are not valid UTF-8.
  var isValueExact: Bool {
    guard case .text(let bytes) = known else { return true }
    return String(validating: bytes, as: UTF8.self) != nil
  }

  /// Whether SQLite could fail to add the INTEGERs in one order of the rows and not in another.
  var mayOverflow: Bool { function == .sum && magnitude > Int128(Int64.max) }

  /// Whether SQLite returns the same sum, in whatever order it adds. REALs hold each integer up to 2^53.
  private var isExact: Bool {
    guard otherCount == 0 else { return false }
    return function == .sum ? Int64(exactly: sum) != nil : magnitude <= 1 << 53
  }
}

extension TotalCounter {
  /// Adds a row (1), or removes one that was added (-1).
  ///
  /// - Parameter content: the argument of the total; without one, any value but NULL.
  mutating func move(_ content: ColumnContent, by sign: Int, _ comparator: TextComparator) {
    if case .null = content { return }
    count += sign
    switch function {
    case .count: break
    case .sum, .total, .average: moveSum(content, by: sign)
    case .minimum, .maximum:
      if sign > 0 {
        extend(to: content, 1, comparator)
      } else {
        removeFromExtreme(content, comparator)
      }
    }
  }

  /// Adds a row whose argument is an INTEGER. Most are, so a fetch does this for each row.
  @inline(__always)
  mutating func add(_ value: Int64) {
    count += 1
    switch function {
    case .count: break
    case .sum, .total, .average:
      sum += Int128(value)
      magnitude += Int128(value.magnitude)
      if known != nil { known = nil }
    case .minimum, .maximum:
      guard case .integer(let extreme)? = known else {
        return extend(to: .integer(value), 1, .binary)
      }
      if value == extreme {
        knownCount += 1
      } else if (value > extreme) == (function == .maximum) {
        (known, knownCount) = (.integer(value), 1)
      }
    }
  }

  mutating func add(_ other: TotalCounter, _ comparator: TextComparator) {
    count += other.count
    otherCount += other.otherCount
    sum += other.sum
    magnitude += other.magnitude
    if !function.isExtreme {
      known = nil
    } else if let extreme = other.known {
      extreme.withContent { extend(to: $0, other.knownCount, comparator) }
    }
  }

  mutating func set(_ value: TotalArgument) { (known, knownCount, moved) = (value, 1, 0) }

  private mutating func moveSum(_ content: ColumnContent, by sign: Int) {
    if case .integer(let value) = content {
      sum += Int128(sign) * Int128(value)
      magnitude += Int128(sign) * Int128(value.magnitude)
    } else {
      otherCount += sign
    }
    if known != nil { moved &+= sign &* TotalArgument(content).hashValue }
  }

  /// - Parameters:
  ///   - content: the extreme of the values that are added.
  ///   - valueCount: at least so many of them are exactly that.
  private mutating func extend(
    to content: ColumnContent, _ valueCount: Int, _ comparator: TextComparator
  ) {
    let order = known.map { compare(content, to: $0, comparator) } ?? 1
    // A value as extreme as one that was removed is the extreme now.
    if order > 0 || order == 0 && knownCount == 0 {
      (known, knownCount) = (TotalArgument(content), valueCount)
    } else if order == 0, known == TotalArgument(content) {
      knownCount += valueCount
    }
  }

  private mutating func removeFromExtreme(
    _ content: ColumnContent, _ comparator: TextComparator
  ) {
    if count == 0 { (known, knownCount) = (nil, 0) }
    guard let known, knownCount > 0 else { return }
    if known == TotalArgument(content) {
      knownCount -= 1
    } else if compare(content, to: known, comparator) > 0 || known.isNearly(content) {
      // The sum of a group of REALs, which depends on the order in which they were read.
      knownCount = 0
    }
  }

  /// Positive if `content` is beyond `extreme`, 0 if they are equal.
  private func compare(
    _ content: ColumnContent, to extreme: TotalArgument, _ comparator: TextComparator
  ) -> Int {
    let order = extreme.withContent { SortOrder.compare(content, $0, comparator) }
    return function == .maximum ? order : -order
  }
}

// MARK: - Values

/// A value that a total is computed from. Unlike in a ``KeyTuple``, a REAL that is a whole number stays one.
enum TotalArgument: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  init(_ content: ColumnContent) {
    switch content {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .real(value)
    case .text(let bytes): self = .text(Array(bytes))
    case .blob(let bytes): self = .blob(Array(bytes))
    }
  }

  /// Runs `body` with the value, which is valid only inside it.
  func withContent<Result>(_ body: (ColumnContent) -> Result) -> Result {
    switch self {
    case .null: body(.null)
    case .integer(let value): body(.integer(value))
    case .real(let value): body(.real(value))
    case .text(let bytes): bytes.withUnsafeBytes { body(.text($0)) }
    case .blob(let bytes): bytes.withUnsafeBytes { body(.blob($0)) }
    }
  }

  var value: Value { withContent { Value($0) } }

  /// Whether both are REAL and differ at most in their last digits.
  fileprivate func isNearly(_ other: ColumnContent) -> Bool {
    guard case .real(let value) = self, case .real(let other) = other else { return false }
    return abs(value - other) <= 1e-9 * max(abs(value), abs(other))
  }
}

extension [TotalArgument] {
  /// What the totals are computed from in one row.
  init(_ row: borrowing RowView, columns: Range<Int>) {
    self = []
    reserveCapacity(columns.count)
    for column in columns { row.withContent(at: column) { append(TotalArgument($0)) } }
  }
}

extension RowView {
  /// Runs `body` with the value of a column, which is valid only inside it.
  func withContent<Result>(
    at column: Int, _ body: (ColumnContent) throws -> Result
  ) rethrows -> Result {
    switch storageClass(at: column) {
    case .null: try body(.null)
    case .integer: try body(.integer(int64(at: column)))
    case .real: try body(.real(double(at: column)))
    case .text: try withBytes(at: column) { try body(.text($0)) }
    case .blob: try withBytes(at: column) { try body(.blob($0)) }
    }
  }
}
