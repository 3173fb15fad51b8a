import TableDataTesting
import Testing

@testable import TableData

struct ChangedRowsTests {
  /// A row that was touched or not, and whether its content changed.
  private enum Kind: CaseIterable {
    case untouched, unchanged, changed
  }

  /// All orders of up to five rows, and all ways to touch them, with each choice of rows that stay tried out.
  @Test(arguments: 1...5)
  func noOtherChoiceOfRowsThatStayHasFewerEvents(count: Int) throws {
    for new in Self.orders(of: Array(0..<count)) {
      for kinds in Self.kinds(count) {
        let untouched = new.filter { kinds[$0] == .untouched }
        guard untouched == untouched.sorted() else { continue }
        let changes = Self.changes(to: new, kinds)
        let fewest = Self.fewest(new, kinds)
        try #require(
          [changes.rowCount, changes.movedRows.count] == fewest, "\(new), \(kinds): \(changes)")
        try #require(try Self.apply(changes, to: count, new) == new, "\(new), \(kinds): \(changes)")
        // One row alone that is touched never makes another one move.
        if untouched.count == count - 1 {
          try #require(changes.movedRows.allSatisfy { kinds[new[$0.to.row]] != .untouched })
        }
      }
    }
  }

  /// Also with rows that are deleted and inserted, and runs of many untouched ones.
  @Test(arguments: SeededGenerator.seeds(60))
  func longListsHaveTheFewestEventsToo(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 5...40, using: &generator)
    let touchedCount = Int.random(in: 1...12, using: &generator)
    let touched = Set((0..<touchedCount).map { _ in Int.random(in: 0..<count, using: &generator) })
    var new = (0..<count).filter { !touched.contains($0) }
    // Some are deleted. Others go together to one of three places.
    let places = (0..<3).map { _ in Int.random(in: 0...new.count, using: &generator) }
    for row in touched.sorted() where Int.random(in: 0..<6, using: &generator) > 0 {
      new.insert(row, at: min(places.randomElement(using: &generator) ?? 0, new.count))
    }
    for row in 0..<Int.random(in: 0...3, using: &generator) {
      new.insert(100 + row, at: Int.random(in: 0...new.count, using: &generator))
    }
    let kinds: [Kind] = (0..<count).map { row in
      guard touched.contains(row) else { return .untouched }
      return Int.random(in: 0..<3, using: &generator) == 0 ? .changed : .unchanged
    }
    let changes = Self.changes(to: new, kinds)
    let old = IdentityList([("", Array(0..<count))])
    let all = old.difference(to: IdentityList([("", new)])) { old, _ in
      kinds[old.row] != .changed
    }
    #expect(changes.rowCount == all.rowCount, "\(new), \(kinds): \(changes)")
    #expect(changes.movedRows.count == all.movedRows.count, "\(new), \(kinds): \(changes)")
    #expect(try Self.apply(changes, to: count, new) == new)
  }

  @Test func theNumberOfUntouchedRowsDoesNotMatter() {
    // A thousand rows pass a million: the thousand move, and if they pass one row, that one does.
    var rows = ChangedRows()
    rows.kept = (0..<1_000).map { .init(old: [0, $0], new: [0, 1_000_000 + $0]) }
    rows.unchanged = Set(rows.kept.map(\.new))
    #expect(rows.changes().movedRows.count == 1_000)
    rows.kept = (0..<1_000).map { .init(old: [0, $0], new: [0, $0 + 1]) }
    rows.unchanged = Set(rows.kept.map(\.new))
    #expect(rows.changes().description == "[0,1000]>[0,0]")
  }

  private static func changes(to new: [Int], _ kinds: [Kind]) -> TableChanges {
    var rows = ChangedRows()
    rows.deleted = kinds.indices.filter { !new.contains($0) }.map { [0, $0] }
    for (index, row) in new.enumerated() {
      guard row < kinds.count else {
        rows.inserted.append([0, index])
        continue
      }
      guard kinds[row] != .untouched else { continue }
      rows.kept.append(.init(old: [0, row], new: [0, index]))
      if kinds[row] == .unchanged { rows.unchanged.insert([0, index]) }
    }
    return rows.changes()
  }

  /// The number of events and of moves among them.
  private static func fewest(_ new: [Int], _ kinds: [Kind]) -> [Int] {
    var fewest = [Int.max, Int.max]
    for choice in 0..<(1 << new.count) {
      let staying = new.indices.filter { choice & (1 << $0) != 0 }.map { new[$0] }
      guard staying == staying.sorted() else { continue }
      let moves = new.count - staying.count
      let events = moves + staying.filter { kinds[$0] == .changed }.count
      if [events, moves].lexicographicallyPrecedes(fewest) { fewest = [events, moves] }
    }
    return fewest
  }

  private static func apply(_ changes: TableChanges, to count: Int, _ new: [Int]) throws -> [Int] {
    try changes.applied(to: [Array(0..<count)]) { new[$0.row] }[0]
  }

  private static func orders(of rows: [Int]) -> [[Int]] {
    guard !rows.isEmpty else { return [[]] }
    return rows.flatMap { first in
      orders(of: rows.filter { $0 != first }).map { [first] + $0 }
    }
  }

  private static func kinds(_ count: Int) -> [[Kind]] {
    guard count > 0 else { return [[]] }
    return kinds(count - 1).flatMap { rest in Kind.allCases.map { rest + [$0] } }
  }
}
