import TableDataTesting
import Testing

@testable import SQLiteStorage

@Suite struct VersionChainTests {
  private func touched(_ rowIDs: Int64...) -> Touched { touched(Set(rowIDs)) }

  private func touched(_ rowIDs: Set<Int64>) -> Touched {
    var rows = TouchedRows()
    rows.insert(.rowIDs(rowIDs), of: TouchedRows.Table("item", in: "main"))
    return .rows(rows)
  }

  private func makeChain(_ count: Int) -> VersionChain {
    let chain = VersionChain()
    for version in 1...count { chain.append(version, touched: touched(Int64(version))) }
    return chain
  }

  @Test func whatLedToTheFirstVersionIsForgotten() {
    let chain = makeChain(1)
    #expect(chain.touched(from: 1, to: 1) == .none)
    #expect(chain.count == 1)
  }

  @Test func theStepsBetweenTwoVersionsAddUp() {
    let chain = makeChain(5)
    #expect(chain.touched(from: 1, to: 2) == touched(2))
    #expect(chain.touched(from: 2, to: 5) == touched(3, 4, 5))
    #expect(chain.touched(from: 3, to: 3) == .none)
    #expect(chain.touched(from: 3, to: 2) == .unknown(.notNewer))
  }

  @Test func aReleasedVersionLeavesItsStepsBehind() {
    let chain = makeChain(5)
    chain.remove(3)
    chain.remove(2)
    #expect(chain.count == 3)
    #expect(chain.touched(from: 1, to: 4) == touched(2, 3, 4))
    chain.remove(1)
    #expect(chain.touched(from: 4, to: 5) == touched(5))
    #expect(chain.count == 2)
  }

  @Test func theNewestVersionCanBeReleasedBeforeTheNext() {
    let chain = makeChain(2)
    chain.remove(2)
    chain.append(3, touched: touched(3))
    #expect(chain.touched(from: 1, to: 3) == touched(2, 3))
    chain.remove(1)
    chain.remove(3)
    chain.append(4, touched: touched(4))
    #expect(chain.touched(from: 4, to: 4) == .none)
    #expect(chain.count == 1)
  }

  @Test func anUnknownStepMakesAllThatSpanItUnknown() {
    let chain = makeChain(2)
    chain.append(3, touched: .unknown(.otherWriter))
    chain.append(4, touched: touched(4))
    #expect(chain.touched(from: 1, to: 2) == touched(2))
    #expect(chain.touched(from: 1, to: 4) == .unknown(.otherWriter))
    #expect(chain.touched(from: 3, to: 4) == touched(4))
    chain.remove(3)
    chain.remove(2)
    #expect(chain.touched(from: 1, to: 4) == .unknown(.otherWriter))
  }

  /// Any order of versions that are made and released, against a list of all steps.
  @Test func whateverIsReleasedTheStepsAddUp() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    let chain = VersionChain()
    var steps: [Set<Int64>] = []
    var held: [Int] = []
    for round in 0..<SeededGenerator.scaled(2_000) {
      let comment: Comment = "seed \(seed), round \(round)"
      if held.isEmpty || numbers.chance(55) {
        let rowIDs = Set((1..<numbers.small(4)).map { _ in numbers.small(50) })
        steps.append(rowIDs)
        held.append(steps.count)
        chain.append(steps.count, touched: rowIDs.isEmpty ? .none : touched(rowIDs))
      } else {
        chain.remove(held.remove(at: Int.random(in: held.indices, using: &numbers)))
      }
      #expect(throws: Never.self, comment) { try chain.checkInvariants() }
      #expect(chain.count == held.count, comment)
      guard let older = held.randomElement(using: &numbers),
        let newer = held.randomElement(using: &numbers), older <= newer
      else { continue }
      let expected = steps[older..<newer].reduce(into: Set()) { $0.formUnion($1) }
      #expect(
        chain.touched(from: older, to: newer) == (expected.isEmpty ? .none : touched(expected)),
        comment)
    }
  }

  @Test func itDoesNotGrowUnderOneWhoStandsStill() {
    let chain = makeChain(1)
    for version in 2...10_000 {
      chain.append(version, touched: touched(Int64(version % 10)))
      if version > 2 { chain.remove(version - 1) }
      #expect(chain.count == 2)
    }
    #expect(chain.touched(from: 1, to: 10_000) == touched(0, 1, 2, 3, 4, 5, 6, 7, 8, 9))
  }

  @Test func snapshotsKeepTheirVersionsInIt() throws {
    let folder = try TestFolder()
    let database = try Database(path: try folder.makeStore(), configuration: .unsynced)
    let first = try database.snapshot()
    let rounds = SeededGenerator.scaled(300)
    for round in 1...rounds {
      try database.write {
        try $0.execute("UPDATE item SET name = ? WHERE id = 2", [.text("\(round)")])
      }
      _ = try database.snapshot()
    }
    let last = try database.snapshot()
    #expect(withExtendedLifetime(first) { first.chain.count } == 2)
    guard Connection.supportsPreupdateHook else { return }
    #expect(try first.changes(to: last).known().rows(of: "item") == .rowIDs([2]))
  }
}
