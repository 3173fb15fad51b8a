#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TableChanges {
  /// Checks that the changes are legal between two states of these sizes.
  ///
  /// They are, when
  ///
  /// - all places are there, the old ones in the old and the new ones in the new state;
  /// - no old place is in two of deletes, moves and updates, no new place in two of inserts and
  ///   moves;
  /// - each section has as many rows as it had, plus what came and minus what went;
  /// - no row moves out of a deleted section or into an inserted one, or is updated there;
  /// - an update's new place is where the other events leave its row;
  /// - of the rows of a deleted or inserted section all are listed, or (``compacted``) none;
  /// - deletes descend, inserts ascend, moves ascend by target and updates by place.
  ///
  /// A reset is legal when it has the numbers of sections right.
  ///
  /// ```swift
  /// try changes.validate(oldCounts: [3, 2], newCounts: [4])
  /// ```
  ///
  /// Complexity: O(sections + k log k) for k events.
  ///
  /// - Parameters:
  ///   - oldCounts: the number of rows of each section in the old state.
  ///   - newCounts: the number of rows of each section in the new state.
  /// - Throws: `TableUpdateError` with the first thing that is wrong, in UITableView's words where it
  ///   would refuse the batch too.
  public func validate(oldCounts: [Int], newCounts: [Int]) throws {
    if let reset { return try validate(reset, oldCounts: oldCounts, newCounts: newCounts) }
    let map = try TableUpdates(self).checked(before: oldCounts, after: newCounts)
    try validateUpdates(map: map)
    try Self.validateCompleteness(
      of: deletedSections, "deleted", rows: deletedRows, counts: oldCounts)
    try Self.validateCompleteness(
      of: insertedSections, "inserted", rows: insertedRows, counts: newCounts)
    try validateOrder()
  }

  /// Whether ``validate(oldCounts:newCounts:)`` finds nothing wrong.
  func areLegal(from oldCounts: [Int], to newCounts: [Int]) -> Bool {
    do {
      try validate(oldCounts: oldCounts, newCounts: newCounts)
      return true
    } catch {
      return false
    }
  }

  /// Whether all sections of which events are told are there, and as many as the events make. Nothing
  /// is said of rows.
  func hasSections(old oldCount: Int, new newCount: Int) -> Bool {
    let changed = movedRows.map { Update(old: $0.from, new: $0.to) } + updatedRows
    let old = deletedSections + (deletedRows + changed.map(\.old)).map(\.section)
    let new = insertedSections + (insertedRows + changed.map(\.new)).map(\.section)
    return deletedSections.isSorted(by: >) && insertedSections.isSorted(by: <)
      && old.allSatisfy { 0..<oldCount ~= $0 } && new.allSatisfy { 0..<newCount ~= $0 }
      && oldCount + insertedSections.count - deletedSections.count == newCount
  }

  private func validate(_ reset: Reset, oldCounts: [Int], newCounts: [Int]) throws {
    guard deletedSections.isEmpty, insertedSections.isEmpty, rowCount == 0 else {
      throw TableUpdateError(.conflict, "a reset comes alone, and this one comes with other events")
    }
    guard reset.oldSectionCount == oldCounts.count, reset.newSectionCount == newCounts.count else {
      throw TableUpdateError(
        .sectionCount,
        "a reset from \(reset.oldSectionCount) to \(reset.newSectionCount) sections, but there were "
          + "\(oldCounts.count) and are \(newCounts.count)")
    }
  }

  private func validateUpdates(map: PlaceMap) throws {
    for update in updatedRows {
      guard let place = map.newPlace(of: update.old) else { continue }
      guard place == update.new else {
        throw TableUpdateError(
          .updatePlace,
          "the updated row (\(update.old.uikitDescription)) is at (\(place.uikitDescription)) "
            + "after the update, and not at (\(update.new.uikitDescription))")
      }
    }
  }

  private static func validateCompleteness(
    of sections: [Int], _ event: String, rows: [IndexPath], counts: [Int]
  ) throws {
    guard !sections.isEmpty else { return }
    let listed = rows.reduce(into: [:]) { $0[$1.section, default: 0] += 1 } as [Int: Int]
    for section in sections {
      guard let rows = listed[section], rows != counts[section] else { continue }
      throw TableUpdateError(
        .incompleteSection,
        "the \(event) section \(section) has \(counts[section]) rows, of which \(rows) are listed "
          + "as \(event): it must be all or none")
    }
  }

  private func validateOrder() throws {
    func check(_ isInOrder: Bool, _ events: String, _ order: String) throws {
      guard !isInOrder else { return }
      throw TableUpdateError(.order, "the \(events) are not \(order): \(self)")
    }
    try check(deletedSections.isSorted(by: >), "deleted sections", "descending")
    try check(insertedSections.isSorted(by: <), "inserted sections", "ascending")
    try check(deletedRows.isSorted(by: >), "deleted rows", "descending")
    try check(insertedRows.isSorted(by: <), "inserted rows", "ascending")
    try check(movedRows.isSorted { $0.to < $1.to }, "moved rows", "ascending by target")
    try check(updatedRows.isSorted { $0.new < $1.new }, "updated rows", "ascending")
  }
}

extension Array {
  /// Whether each element is strictly before the next. O(n).
  fileprivate func isSorted(by areInOrder: (Element, Element) -> Bool) -> Bool {
    zip(self, dropFirst()).allSatisfy(areInOrder)
  }
}
