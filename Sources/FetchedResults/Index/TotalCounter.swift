internal import LiveQueries
internal import SQLiteStorage

/// What is added to a total when a row is inserted or deleted, for one section or for all of them.
///
/// Sums of INTEGERs are exact in any order, so they are held. All other sums depend on the order in
/// which SQLite adds, so SQLite is asked for them.
enum TotalCounter: Sendable {
  /// The number of rows, or of values that are not NULL.
  case count(Int)
  case sum(SumCounter)
  case extreme(ExtremeCounter)

  /// The counter for no rows.
  init(_ term: TotalTerm) {
    switch term.function {
    case .count: self = .count(0)
    case .sum, .total, .average: self = .sum(SumCounter(term.function))
    case .minimum: self = .extreme(ExtremeCounter(term.comparator, isMaximum: false))
    case .maximum: self = .extreme(ExtremeCounter(term.comparator, isMaximum: true))
    }
  }

  /// The counter for rows that the database has counted.
  ///
  /// - Parameter columns: those of ``HeldAggregates/Term/columns``.
  init(_ term: TotalTerm, _ row: borrowing RowView, columns: Range<Int>) {
    let first = columns.lowerBound
    let count = Int(row.int64(at: first))
    switch term.function {
    case .count: self = .count(count)
    case .sum, .total, .average:
      self = .sum(
        SumCounter(
          term.function, count: count, integerCount: Int(row.int64(at: first + 1)),
          sum: row.int64(at: first + 2), magnitude: row.int64(at: first + 3)))
    case .minimum, .maximum:
      self = .extreme(
        ExtremeCounter(
          term.comparator, isMaximum: term.function == .maximum, count: count,
          extreme: row.withComponent(at: first + 1) { TotalArgument($0) }))
    }
  }

  /// The value; nil if it must be read from the database.
  var value: Value? {
    switch self {
    case .count(let count): .integer(Int64(count))
    case .sum(let counter): counter.value
    case .extreme(let counter): counter.value
    }
  }

  /// Whether the value need not be read from the database.
  var isKnown: Bool {
    switch self {
    case .count: true
    case .sum(let counter): counter.isKnown
    case .extreme(let counter): counter.isKnown
    }
  }

  /// Adds a row. A total without an argument gets any value but NULL.
  mutating func add(_ component: KeyTuple.Component) {
    switch self {
    case .count(let count): if !component.isNull { self = .count(count + 1) }
    case .sum(var counter):
      counter.move(component, by: 1)
      self = .sum(counter)
    case .extreme(var counter):
      counter.add(component)
      self = .extreme(counter)
    }
  }

  /// Removes a row that was added.
  mutating func remove(_ component: KeyTuple.Component) {
    switch self {
    case .count(let count): if !component.isNull { self = .count(count - 1) }
    case .sum(var counter):
      counter.move(component, by: -1)
      self = .sum(counter)
    case .extreme(var counter):
      counter.remove(component)
      self = .extreme(counter)
    }
  }

  /// Adds the rows of another counter of the same total.
  mutating func add(_ other: TotalCounter) {
    switch (self, other) {
    case (.count(let count), .count(let other)): self = .count(count + other)
    case (.sum(var counter), .sum(let other)):
      counter.add(other)
      self = .sum(counter)
    case (.extreme(var counter), .extreme(let other)):
      counter.add(other)
      self = .extreme(counter)
    default: preconditionFailure("counters of two totals")
    }
  }

  mutating func add(_ run: IntegerRun) {
    if run.count == 0 { return }
    switch self {
    case .count(let count): self = .count(count + run.count)
    case .sum(var counter):
      counter.add(run)
      self = .sum(counter)
    case .extreme(var counter):
      counter.add(run)
      self = .extreme(counter)
    }
  }

  /// Sets the value that the database has.
  mutating func set(_ value: TotalArgument) {
    switch self {
    case .count: break
    case .sum(var counter):
      counter.set(value.value)
      self = .sum(counter)
    case .extreme(var counter):
      counter.set(value)
      self = .extreme(counter)
    }
  }
}

/// What INTEGERs that are read one after the other amount to: they are added to a counter together.
struct IntegerRun {
  private(set) var count = 0
  private(set) var sum: Int128 = 0
  private(set) var magnitude: Int128 = 0
  /// The smallest and the largest, and how many values are equal to them.
  private(set) var minimum = (value: Int64.max, count: 0)
  private(set) var maximum = (value: Int64.min, count: 0)

  @inline(__always)
  mutating func add(_ value: Int64) {
    count += 1
    sum += Int128(value)
    magnitude += Int128(value.magnitude)
    if value < minimum.value {
      minimum = (value, 1)
    } else if value == minimum.value {
      minimum.count += 1
    }
    if value > maximum.value {
      maximum = (value, 1)
    } else if value == maximum.value {
      maximum.count += 1
    }
  }

  /// Adds a row, whatever is in it.
  @inline(__always)
  mutating func addRow() { count += 1 }
}

// MARK: - Sums

/// The sum or the average of some values.
struct SumCounter: Sendable {
  /// `sum`, `total` or `avg`.
  let function: TotalFunction
  /// The value that the database had, if it cannot be computed from the rest.
  private var known: Value?
  /// The hashes of the values added since then, without those of the values removed. 0 if the same
  /// values were added and removed, as by an update of another column: then ``known`` is right.
  private var moved = 0
  /// The number of values that are not NULL.
  private var count = 0
  /// The number of values that are neither NULL nor INTEGER.
  private var otherCount = 0
  /// The sum of the INTEGERs.
  private var sum: Int128 = 0
  /// The sum of their magnitudes: no sum of some of them is larger.
  private var magnitude: Int128 = 0

  init(_ function: TotalFunction) { self.function = function }

  /// The counter for values that the database has counted and added.
  ///
  /// - Parameters:
  ///   - count: the number of values that are not NULL.
  ///   - integerCount: the number of INTEGERs.
  ///   - sum: their sum.
  ///   - magnitude: the sum of their magnitudes.
  init(
    _ function: TotalFunction, count: Int, integerCount: Int, sum: Int64, magnitude: Int64
  ) {
    (self.function, self.count, otherCount) = (function, count, count - integerCount)
    (self.sum, self.magnitude) = (Int128(sum), Int128(magnitude))
  }

  var value: Value? {
    if count == 0 { return function == .total ? .real(0) : .null }
    guard isExact, let sum = Int64(exactly: sum) else { return moved == 0 ? known : nil }
    return switch function {
    case .average: .real(Double(sum) / Double(count))
    case .total: .real(Double(sum))
    default: .integer(sum)
    }
  }

  /// Whether SQLite could fail to add the INTEGERs in one order of the rows and not in another.
  var mayOverflow: Bool { function == .sum && magnitude > Int128(Int64.max) }

  var isKnown: Bool { count == 0 || isExact || (known != nil && moved == 0) }

  /// Whether SQLite gives the same result, in whatever order it adds. A sum that is too large on the
  /// way is an error in one order and none in another; here it is none. For the others SQLite adds
  /// REALs, which hold each integer up to 2^53.
  private var isExact: Bool {
    guard otherCount == 0 else { return false }
    return function == .sum ? Int64(exactly: sum) != nil : magnitude <= 1 << 53
  }

  /// Adds a value (1) or removes it (-1).
  mutating func move(_ component: KeyTuple.Component, by sign: Int) {
    switch component {
    case .null: return
    case .integer(let value):
      sum += Int128(sign) * Int128(value)
      magnitude += Int128(sign) * Int128(value.magnitude)
    case .real, .text, .blob: otherCount += sign
    }
    count += sign
    if known != nil { moved &+= sign &* TotalArgument(component).hashValue }
  }

  mutating func add(_ run: IntegerRun) {
    count += run.count
    sum += run.sum
    magnitude += run.magnitude
    known = nil
  }

  /// Sets the value that the database has.
  mutating func set(_ value: Value) { (known, moved) = (value, 0) }

  mutating func add(_ other: SumCounter) {
    count += other.count
    otherCount += other.otherCount
    sum += other.sum
    magnitude += other.magnitude
    known = nil
  }
}

// MARK: - Extremes

/// The smallest or the largest of some values.
struct ExtremeCounter: Sendable {
  private let comparator: TextComparator
  private let isMaximum: Bool
  /// The number of values that are not NULL.
  private var count = 0
  /// The extreme, or one that was removed: none of the values is beyond it. Nil if there are none.
  private var extreme: TotalArgument?
  /// At least so many values are exactly the extreme. If none may be, the database must be asked.
  private var knownCount = 0

  init(_ comparator: TextComparator, isMaximum: Bool) {
    self.comparator = comparator
    self.isMaximum = isMaximum
  }

  var isKnown: Bool { count == 0 || knownCount > 0 }

  var value: Value? {
    if count == 0 { return .null }
    return knownCount > 0 ? extreme?.value : nil
  }

  mutating func add(_ component: KeyTuple.Component) {
    if component.isNull { return }
    count += 1
    let order = extreme.map { compare(component, to: $0) } ?? 1
    // A value as extreme as one that was removed is the extreme now.
    if order > 0 || (order == 0 && knownCount == 0) {
      extreme = TotalArgument(component)
      knownCount = 1
    } else if order == 0, extreme == TotalArgument(component) {
      knownCount += 1
    }
  }

  mutating func remove(_ component: KeyTuple.Component) {
    if component.isNull { return }
    count -= 1
    if count == 0 { (extreme, knownCount) = (nil, 0) }
    guard let extreme, knownCount > 0 else { return }
    if extreme == TotalArgument(component) {
      knownCount -= 1
    } else if compare(component, to: extreme) > 0 || extreme.isNearly(component) {
      // The sum of a group of REALs, which depends on the order in which they were read.
      knownCount = 0
    }
  }

  /// The counter for values whose extreme the database has found.
  ///
  /// - Parameter count: the number of values that are not NULL.
  init(_ comparator: TextComparator, isMaximum: Bool, count: Int, extreme: TotalArgument) {
    self.init(comparator, isMaximum: isMaximum)
    guard count > 0 else { return }
    (self.count, self.extreme, knownCount) = (count, extreme, 1)
  }

  /// Adds the values of another counter, whose extreme is known.
  mutating func add(_ other: ExtremeCounter) {
    guard let extreme = other.extreme else { return }
    let count = count + other.count
    extreme.withComponent { add($0) }
    self.count = count
    if self.extreme == extreme { knownCount += other.knownCount - 1 }
  }

  mutating func add(_ run: IntegerRun) {
    var other = ExtremeCounter(comparator, isMaximum: isMaximum)
    let end = isMaximum ? run.maximum : run.minimum
    other.count = run.count
    (other.extreme, other.knownCount) = (TotalArgument(.integer(end.value)), end.count)
    add(other)
  }

  /// Sets the extreme that the database has.
  mutating func set(_ value: TotalArgument) { (extreme, knownCount) = (value, 1) }

  /// Positive if `component` is beyond `extreme`, 0 if they are equal.
  private func compare(_ component: KeyTuple.Component, to extreme: TotalArgument) -> Int {
    extreme.withComponent { extreme in
      let order = SortOrder.compare(component, extreme, comparator)
      return isMaximum ? order : -order
    }
  }
}

// MARK: - Values

/// A value that a total is computed from. Unlike in a ``KeyTuple``, a REAL that is a whole number
/// stays one.
struct TotalArgument: Hashable, Sendable {
  private let packed: KeyTuple
  let isReal: Bool

  init(_ component: KeyTuple.Component) {
    packed = KeyTuple(packing: component)
    if case .real = component { isReal = true } else { isReal = false }
  }

  /// Runs `body` with the value, which is valid only inside it.
  func withComponent<Result>(_ body: (KeyTuple.Component) -> Result) -> Result {
    packed.withReader { reader in
      let component = reader.next() ?? .null
      if isReal, case .integer(let value) = component { return body(.real(Double(value))) }
      return body(component)
    }
  }

  var value: Value { withComponent { Value($0) } }

  /// Whether both are REAL and differ at most in their last digits.
  func isNearly(_ other: KeyTuple.Component) -> Bool {
    withComponent { component in
      guard case .real(let value) = component, case .real(let other) = other else { return false }
      return abs(value - other) <= 1e-9 * max(abs(value), abs(other))
    }
  }
}

extension KeyTuple.Component {
  fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}
