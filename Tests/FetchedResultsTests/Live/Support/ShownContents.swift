import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// What a list without a key shows, and the fewest events that lead from there to what it shows later:
/// written to be read, in O(n²), with nothing of the engine.
struct ShownContents {
  private let rows: [[[Value]]]

  init(_ provider: FetchedResultsProvider<Row>) throws {
    rows = try provider.sections.indices.map { section in
      try (0..<provider.sections[section].numberOfRows).map {
        try provider.object(at: [section, $0]).values
      }
    }
  }

  /// Expects that as many rows as possible have no event; that a move is of a row that contains the
  /// same, and an update is not; and that nothing is deleted and inserted that could have moved or been
  /// updated.
  func expectFewest(
    _ changes: TableChanges, to new: ShownContents, sourceLocation: SourceLocation
  ) throws {
    let old = self
    let reset = TableChanges.reset(
      oldSectionCount: old.rows.count, newSectionCount: new.rows.count)
    if changes == reset { return }
    let comment: Comment = "\(changes) of \(old.rows), to \(new.rows)"
    func content(_ contents: ShownContents, _ path: IndexPath) -> [Value] {
      contents.rows[path.section][path.row]
    }
    for update in changes.updatedRows {
      try #require(
        content(old, update.old) != content(new, update.new), comment,
        sourceLocation: sourceLocation)
    }
    for move in changes.movedRows {
      try #require(
        move.keepsContent && content(old, move.from) == content(new, move.to), comment,
        sourceLocation: sourceLocation)
    }
    let kept = Array(
      zip(
        old.rows.indices.filter { !changes.deletedSections.contains($0) },
        new.rows.indices.filter { !changes.insertedSections.contains($0) }))
    var deleted: [[Value]] = []
    var inserted: [[Value]] = []
    for (before, after) in kept {
      let leaving = changes.deletedRows.filter { $0.section == before }
      let coming = changes.insertedRows.filter { $0.section == after }
      deleted += leaving.map { content(old, $0) }
      inserted += coming.map { content(new, $0) }
      // The rows that have no event, on both sides.
      let oldTaken = Set(
        (leaving + changes.updatedRows.map(\.old) + changes.movedRows.map(\.from))
          .filter { $0.section == before }.map(\.row))
      let newTaken = Set(
        (coming + changes.updatedRows.map(\.new) + changes.movedRows.map(\.to))
          .filter { $0.section == after }.map(\.row))
      let stays = old.rows[before].indices.filter { !oldTaken.contains($0) }
      try #require(
        stays.count == ShownContents.mostInCommon(old.rows[before], new.rows[after]), comment,
        sourceLocation: sourceLocation)
      let newStays = new.rows[after].indices.filter { !newTaken.contains($0) }
      let gaps = leaving.map { path in stays.count { $0 < path.row } }
      let newGaps = coming.map { path in newStays.count { $0 < path.row } }
      try #require(
        Set(gaps).isDisjoint(with: newGaps), comment, sourceLocation: sourceLocation)
    }
    try #require(
      !deleted.contains { inserted.contains($0) }, comment, sourceLocation: sourceLocation)
  }

  /// The length of a longest common subsequence.
  static func mostInCommon<Element: Equatable>(_ old: [Element], _ new: [Element]) -> Int {
    var most = [Int](repeating: 0, count: new.count + 1)
    for element in old {
      var next = most
      for (index, other) in new.enumerated() {
        next[index + 1] = element == other ? most[index] + 1 : max(most[index + 1], next[index])
      }
      most = next
    }
    return most[new.count]
  }
}
