import LiveQueries
import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

/// The laws of counters: rows are added and removed in any order, what is removed leaves no trace, and groups
/// add up. A value that is known is that of the rows, and one is unknown only for a reason.
@Suite struct GroupCountersTests {
  private static let terms: [TotalTerm] =
    [term(.count, argument: nil)]
    + [.count, .sum, .total, .average, .minimum, .maximum].map { term($0) }
    + [.minimum, .maximum].map { term($0, comparator: .nocase) }

  private static func term(
    _ function: TotalFunction, argument: Int? = 0, comparator: TextComparator = .binary
  ) -> TotalTerm {
    TotalTerm(
      function: function, name: function.rawValue, argument: argument, collation: nil,
      comparator: comparator)
  }

  private func counters(_ rows: [TotalArgument]) -> GroupCounters {
    var counters = GroupCounters(Self.terms)
    for row in rows { counters.move([row], by: 1, Self.terms) }
    return counters
  }

  @Test func rowsMayBeAddedAndRemovedInAnyOrder() {
    forEachSeed { generator in
      let rows = randomRows(&generator)
      let removed = rows.indices.filter { _ in Bool.random(using: &generator) }
      let rest = rows.indices.filter { !removed.contains($0) }.map { rows[$0] }
      for _ in 0..<3 {
        var counters = GroupCounters(Self.terms)
        var present: [Int] = []
        var moves = (rows.indices.map { ($0, 1) } + removed.map { ($0, -1) })
          .shuffled(using: &generator)
        while !moves.isEmpty {
          let (row, sign) = moves.removeFirst()
          // A row is removed after it was added.
          guard sign > 0 || present.contains(row) else {
            moves.append((row, sign))
            continue
          }
          if sign > 0 { present.append(row) }
          counters.move([rows[row]], by: sign, Self.terms)
        }
        try check(counters, rest, removed: removed.map { rows[$0] })
      }
    }
  }

  @Test func aRowThatIsAddedAndRemovedLeavesNoTrace() {
    forEachSeed { generator in
      let rows = randomRows(&generator)
      let other = randomRow(&generator)
      var counters = counters(rows)
      for index in counters.totals.indices where !counters.totals[index].isKnown {
        counters.complete { _, _ in .real(0.125) }
      }
      let values = counters.values
      counters.move([other], by: 1, Self.terms)
      counters.move([other], by: -1, Self.terms)
      for (index, value) in values.enumerated() where !Self.terms[index].function.isExtreme {
        try #require(counters.totals[index].value == value, "total \(index)")
      }
      try #require(counters.rowCount == rows.count)
    }
  }

  @Test func groupsAddUp() {
    forEachSeed { generator in
      let parts = (0..<3).map { _ in randomRows(&generator) }
      let (a, b, c) = (counters(parts[0]), counters(parts[1]), counters(parts[2]))
      for order in [[a, b, c], [c, a, b], [GroupCounters(Self.terms), b, c, a]] {
        var sum = order[0]
        for group in order.dropFirst() { sum.add(group, Self.terms) }
        try check(sum, parts.flatMap(\.self), removed: [])
      }
      var tail = b
      tail.add(c, Self.terms)
      var sum = a
      sum.add(tail, Self.terms)
      // What was added as a group can be removed row by row.
      for row in parts[2] { sum.move([row], by: -1, Self.terms) }
      try check(sum, parts[0] + parts[1], removed: parts[2])
    }
  }

  @Test func aRealInTheWayIsForgottenWhenItLeaves() {
    var counters = counters([.integer(1), .integer(2)])
    counters.move([.real(2)], realCount: 1, by: 1, Self.terms)
    #expect(counters.valuesOfGroup == nil)
    counters.move([.real(2)], realCount: 1, by: -1, Self.terms)
    #expect(counters.valuesOfGroup == [2, 2, 3, 3.0, 1.5, 1, 2, 1, 2])
  }

  @Test func aSumThatMayOverflowIsKnownOfASectionOnly() {
    let counters = counters([.integer(.max), .integer(-1), .integer(1)])
    #expect(counters.values[2] == .integer(.max))
    #expect(counters.valuesOfGroup == nil)
  }

  // MARK: Random rows

  private func forEachSeed(_ body: (inout SeededGenerator) throws -> Void) {
    for seed in SeededGenerator.seeds(200) {
      var generator = SeededGenerator(seed: seed)
      do {
        try body(&generator)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }

  private func randomRows(_ generator: inout SeededGenerator) -> [TotalArgument] {
    // Often integers alone, whose sums are held.
    let integersOnly = Bool.random(using: &generator)
    return (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
      integersOnly
        ? .integer(Int64.random(in: -5...5, using: &generator)) : randomRow(&generator)
    }
  }

  private func randomRow(_ generator: inout SeededGenerator) -> TotalArgument {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: .null
    case 1: .real(Double(Int.random(in: -8...8, using: &generator)) / 4)
    case 2: .text(Array(["a", "A", "b", "B"][Int.random(in: 0..<4, using: &generator)].utf8))
    case 3: .blob([UInt8.random(in: 0...1, using: &generator)])
    case 4: .integer(Bool.random(using: &generator) ? .max : .min)
    case 5: .integer(Int64.random(in: -(1 << 53)...(1 << 53), using: &generator))
    default: .integer(Int64.random(in: -5...5, using: &generator))
    }
  }

  // MARK: What the totals are

  private func check(
    _ counters: GroupCounters, _ rows: [TotalArgument], removed: [TotalArgument]
  ) throws {
    try #require(counters.rowCount == rows.count)
    let values = rows.filter { $0 != .null }
    for (term, counter) in zip(Self.terms, counters.totals) {
      let name: Comment = "\(term.name) of \(rows), without \(removed)"
      try #require(counter.isKnown == (counter.value != nil), name)
      switch term.function {
      case .count:
        let count = term.argument == nil ? rows.count : values.count
        try #require(counter.value == .integer(Int64(count)), name)
      case .sum, .total, .average:
        try #require(counter.value == sum(term.function, values), name)
      case .minimum, .maximum:
        try checkExtreme(counter, term, values, removed, name)
      }
    }
  }

  /// The sum, the total or the average; nil if it depends on the order of the values.
  private func sum(_ function: TotalFunction, _ values: [TotalArgument]) -> Value? {
    if values.isEmpty { return function == .total ? .real(0) : .null }
    var integers: [Int64] = []
    for value in values {
      guard case .integer(let integer) = value else { return nil }
      integers.append(integer)
    }
    let sum = integers.reduce(Int128(0)) { $0 + Int128($1) }
    if function == .sum { return Int64(exactly: sum).map { .integer($0) } }
    guard integers.reduce(Int128(0), { $0 + Int128($1.magnitude) }) <= 1 << 53 else { return nil }
    return .real(function == .total ? Double(sum) : Double(sum) / Double(values.count))
  }

  private func checkExtreme(
    _ counter: TotalCounter, _ term: TotalTerm, _ values: [TotalArgument],
    _ removed: [TotalArgument], _ name: Comment
  ) throws {
    func isBeyond(_ value: TotalArgument, _ other: TotalArgument) -> Bool {
      let order = value.withContent { value in
        other.withContent { SortOrder.compare(value, $0, term.comparator) }
      }
      return term.function == .maximum ? order > 0 : order < 0
    }
    if values.isEmpty { return try #require(counter.value == .null, name) }
    let extremes = values.filter { value in !values.contains { isBeyond($0, value) } }
    if let value = counter.value {
      try #require(extremes.map(\.value).contains(value), name)
    } else {
      // It is lost only with a value as extreme.
      try #require(
        removed.contains { lost in lost != .null && !extremes.contains { isBeyond($0, lost) } },
        name)
    }
  }
}
