import Foundation
import TableData
import TableDataTesting
import TestLists
import Testing

/// The law: old content + changes = new content, for whatever happens to a list, in all forms.
struct TableChangesRandomTests {
  typealias Row = RandomList.Row

  /// Two random states of a list, by one transaction or with little in common.
  struct Pair: Sendable, CustomStringConvertible {
    let old: [[Row]]
    let new: [[Row]]
    let changes: TableChanges
    let description: String

    init(seed: UInt64) {
      var generator = SeededGenerator(seed: seed)
      let sectionNames = (0..<Int.random(in: 1...8, using: &generator)).map { "S\($0)" }
      let list = RandomList(
        rowCount: .random(in: 0...40, using: &generator), sectionNames: sectionNames,
        rankCount: .random(in: 1...30, using: &generator), using: &generator)
      var next = list
      for _ in 0..<Int.random(in: 1...6, using: &generator) { _ = next.commit(using: &generator) }
      old = list.sections.map(\.items)
      new = next.sections.map(\.items)
      changes = list.changes(to: next)
      description = "seed \(seed): \(changes)"
    }

    var oldCounts: [Int] { old.map(\.count) }
    var newCounts: [Int] { new.map(\.count) }
  }

  static let seeds = SeededGenerator.seeds(10).map { $0 * 50 }

  /// The pairs by the first seed, made once for all tests. Those of a longer run would take much memory.
  private static let pairs = Dictionary(
    uniqueKeysWithValues: seeds.prefix(10).map { first in
      (first, (first..<first + 50).map(Pair.init))
    })

  /// Runs a test of fifty pairs: a test case each would print more than it tests.
  private func forEachPair(from first: UInt64, _ body: (Pair) throws -> Void) rethrows {
    if let pairs = Self.pairs[first] { return try pairs.forEach(body) }
    for seed in first..<first + 50 { try body(Pair(seed: seed)) }
  }

  @Test(arguments: seeds)
  func theBatchTheStagesAndTheStepsMakeTheNewContentOfTheOld(seed: UInt64) throws {
    try forEachPair(from: seed) { pair in
      let changes = pair.changes
      try changes.validate(oldCounts: pair.oldCounts, newCounts: pair.newCounts)
      #expect(changes.staged.count <= 3)
      for result in [
        try changes.applied(to: pair.old, newItem: pair.item),
        try changes.appliedInStages(to: pair.old, newItem: pair.item),
        try changes.appliedSequentially(to: pair.old, newItem: pair.item),
      ] {
        #expect(result == pair.new, "\(pair)")
      }
    }
  }

  @Test(arguments: seeds)
  func needlessMovesAreCarriedOutToo(seed: UInt64) throws {
    try forEachPair(from: seed) { pair in
      let changes = pair.wasteful(seed: seed)
      try changes.validate(oldCounts: pair.oldCounts, newCounts: pair.newCounts)
      for result in [
        try changes.applied(to: pair.old, newItem: pair.item),
        try changes.appliedInStages(to: pair.old, newItem: pair.item),
        try changes.appliedSequentially(to: pair.old, newItem: pair.item),
      ] {
        #expect(result == pair.new, "\(pair), with needless moves: \(changes)")
      }
    }
  }

  @Test(arguments: seeds)
  func thereIsOneStepForEachEvent(seed: UInt64) {
    forEachPair(from: seed) { pair in
      let changes = pair.changes
      let events =
        changes.deletedSections.count + changes.insertedSections.count + changes.rowCount
      #expect(changes.sequential.count == events, "\(pair)")
    }
  }

  @Test(arguments: seeds)
  func theCompactedFormMakesTheNewContentInAllForms(seed: UInt64) throws {
    try forEachPair(from: seed) { pair in
      let changes = pair.changes.compacted
      try changes.validate(oldCounts: pair.oldCounts, newCounts: pair.newCounts)
      for result in [
        try changes.applied(to: pair.old, newSection: { pair.new[$0] }, newItem: pair.item),
        try changes.appliedInStages(
          to: pair.old, newSection: { pair.new[$0] }, newItem: pair.item),
        try changes.appliedSequentially(
          to: pair.old, newSection: { pair.new[$0] }, newItem: pair.item),
      ] {
        #expect(result == pair.new, "\(pair)")
      }
    }
  }

  @Test(arguments: seeds)
  func aStrictTableFollows(seed: UInt64) throws {
    try forEachPair(from: seed) { pair in
      let source = ListDataSource(pair.old)
      let table = TableView(height: 12)
      try source.show(in: table)
      source.content = pair.new
      try table.apply(pair.changes)
      #expect(table.numbersOfRows == pair.newCounts, "\(pair)")
      for place in table.indexPathsForVisibleRows {
        #expect(source.shown(in: table.cellForRow(at: place)) == pair.item(place), "\(pair)")
      }
    }
  }

  @Test(arguments: seeds)
  func partsOfAListMakeOneBatch(seed: UInt64) throws {
    for seed in seed..<seed + 15 {
      var generator = SeededGenerator(seed: seed)
      // Components of which some are reset, in the order in which they happen to tell.
      let parts = (0..<4).map { Pair(seed: seed &* 31 &+ $0) }
      var offsets = (old: 0, new: 0)
      var batch: [TableChanges] = []
      for part in parts {
        let isReset = Int.random(in: 0..<4, using: &generator) == 0
        let changes =
          isReset
          ? TableChanges.reset(oldSectionCount: part.old.count, newSectionCount: part.new.count)
          : part.changes
        batch.append(changes.offset(old: offsets.old, new: offsets.new))
        offsets = (offsets.old + part.old.count, offsets.new + part.new.count)
      }
      batch.shuffle(using: &generator)
      let changes = TableChanges.combined(batch)
      let old = parts.flatMap(\.old)
      let new = parts.flatMap(\.new)
      try changes.validate(oldCounts: old.map(\.count), newCounts: new.map(\.count))
      let result = try changes.appliedSequentially(to: old, newSection: { new[$0] }) {
        new[$0.section][$0.row]
      }
      #expect(result == new, "seed \(seed)")
    }
  }
}

extension TableChangesRandomTests.Pair {
  func item(_ place: IndexPath) -> RandomList.Row { new[place.section][place.row] }

  /// The same changes, with moves of rows that could have stayed.
  func wasteful(seed: UInt64) -> TableChanges {
    var generator = SeededGenerator(seed: seed)
    var changes = changes
    let deleted = Set(changes.deletedSections)
    let inserted = Set(changes.insertedSections)
    let moving = Set(changes.movedRows.map(\.from))
    let oldPlaces = places(in: old)
    for (id, place) in places(in: new).sorted(by: { $0.key < $1.key }) {
      guard let from = oldPlaces[id], !deleted.contains(from.section), !moving.contains(from),
        !inserted.contains(place.section), Bool.random(using: &generator)
      else { continue }
      changes.updatedRows.removeAll { $0.old == from }
      changes.movedRows.append(.init(from: from, to: place))
    }
    changes.movedRows.sort { $0.to < $1.to }
    return changes
  }

  private func places(in content: [[RandomList.Row]]) -> [Int: IndexPath] {
    var places: [Int: IndexPath] = [:]
    for (section, rows) in content.enumerated() {
      for (row, item) in rows.enumerated() {
        places[item.id] = IndexPath(row: row, section: section)
      }
    }
    return places
  }
}
