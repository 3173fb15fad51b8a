public import TableData

extension TableChanges {
  /// Checks that the changes lead from a state of one size to a state of another size.
  ///
  /// The rules:
  ///
  /// - all old index paths exist in the old state, and all new ones in the new state;
  /// - no old index path is in two of deletes, moves and updates, and no new one in two of inserts and
  ///   moves;
  /// - each section has as many rows as before, plus the inserted and minus the deleted ones;
  /// - no row moves out of a deleted section or into an inserted one, and none is updated there;
  /// - an update's new index path, or section number, is the one that follows from the other events;
  /// - no section is updated twice, or updated and deleted;
  /// - of the rows of a deleted or inserted section, all are listed or (`compacted`) none;
  /// - deletes descend, inserts ascend, moves ascend by target, and updates ascend by new index path or
  ///   section number.
  ///
  /// A reset must have the right numbers of sections.
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
  /// - Throws: `TableUpdateError` for the first broken rule. If UITableView would raise an exception
  ///   too, the message has the same words.
  public func validate(oldCounts: [Int], newCounts: [Int]) throws(TableUpdateError) {
    if let reset { return try validate(reset, oldCounts: oldCounts, newCounts: newCounts) }
    let map = try TableUpdates(self).checked(before: oldCounts, after: newCounts)
    try validateSectionUpdates(map: map, oldCount: oldCounts.count)
    try validateUpdates(map: map)
    try Self.validateCompleteness(
      of: deletedSections, "deleted", rows: deletedRows, counts: oldCounts)
    try Self.validateCompleteness(
      of: insertedSections, "inserted", rows: insertedRows, counts: newCounts)
    try validateOrder()
  }

  private func validate(_ reset: Reset, oldCounts: [Int], newCounts: [Int]) throws(TableUpdateError)
  {
    guard deletedSections.isEmpty, insertedSections.isEmpty, updatedSections.isEmpty, rowCount == 0
    else {
      throw TableUpdateError(.conflict, "a reset must be the only event, and this one is not")
    }
    guard reset.oldSectionCount == oldCounts.count, reset.newSectionCount == newCounts.count else {
      throw TableUpdateError(
        .sectionCount,
        "a reset from \(reset.oldSectionCount) to \(reset.newSectionCount) sections, but the list had "
          + "\(oldCounts.count) and now has \(newCounts.count)")
    }
  }

  private func validateSectionUpdates(map: IndexPathMap, oldCount: Int) throws(TableUpdateError) {
    for update in updatedSections {
      guard 0..<oldCount ~= update.old else {
        throw TableUpdateError(
          .outOfRange,
          "attempt to update section \(update.old), "
            + "but there are only \(oldCount) sections before the update")
      }
      guard let section = map.newSection(of: update.old) else {
        throw TableUpdateError(
          .conflict, "attempt to delete and update the same section (\(update.old))")
      }
      guard section == update.new else {
        throw TableUpdateError(
          .updatedIndexPath,
          "the updated section \(update.old) has the number \(section) after the update, "
            + "not \(update.new)")
      }
    }
    if let pair = zip(updatedSections, updatedSections.dropFirst()).first(where: { $0 == $1 }) {
      throw TableUpdateError(
        .conflict, "attempt to perform two updates of the same section (\(pair.0.old))")
    }
  }

  private func validateUpdates(map: IndexPathMap) throws(TableUpdateError) {
    for update in updatedRows {
      guard let path = map.newIndexPath(of: update.old) else { continue }
      guard path == update.new else {
        throw TableUpdateError(
          .updatedIndexPath,
          "the updated row (\(update.old.uikitDescription)) is at (\(path.uikitDescription)) "
            + "after the update, not at (\(update.new.uikitDescription))")
      }
    }
  }

  private static func validateCompleteness(
    of sections: [Int], _ event: String, rows: [IndexPath], counts: [Int]
  ) throws(TableUpdateError) {
    guard !sections.isEmpty else { return }
    let listed = rows.countsBySection
    for section in sections {
      guard let rows = listed[section], rows != counts[section] else { continue }
      throw TableUpdateError(
        .incompleteSection,
        "the \(event) section \(section) has \(counts[section]) rows, and \(rows) of them are "
          + "listed as \(event)")
    }
  }

  private func validateOrder() throws(TableUpdateError) {
    func check(_ isInOrder: Bool, _ events: String, _ order: String) throws(TableUpdateError) {
      guard !isInOrder else { return }
      throw TableUpdateError(.order, "the \(events) are not \(order): \(self)")
    }
    try check(deletedSections.isSorted(by: >), "deleted sections", "descending")
    try check(insertedSections.isSorted(by: <), "inserted sections", "ascending")
    try check(
      updatedSections.isSorted { $0.new < $1.new }, "updated sections", "ascending")
    try check(deletedRows.isSorted(by: >), "deleted rows", "descending")
    try check(insertedRows.isSorted(by: <), "inserted rows", "ascending")
    try check(movedRows.isSorted { $0.to < $1.to }, "moved rows", "ascending by target")
    try check(updatedRows.isSorted { $0.new < $1.new }, "updated rows", "ascending")
  }
}
