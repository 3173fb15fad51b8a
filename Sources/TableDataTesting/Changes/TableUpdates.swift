package import TableData

/// The calls that a table gets between `beginUpdates` and `endUpdates`, in any order.
///
/// Unlike ``TableChanges``, it has moved and reloaded sections. Deletes and reloads are in old
/// coordinates, inserts in new ones.
@dynamicMemberLookup
package struct TableUpdates {
  /// The deletes, inserts and moves, without updates.
  private var changes: TableChanges
  package var reloadedSections: [Int] = []
  /// Sections that move together with their rows.
  package var movedSections: [(from: Int, to: Int)] = []
  package var reloadedRows: [IndexPath]

  /// The calls that show changes, which must not be a reset.
  package init(_ changes: TableChanges = TableChanges()) {
    self.changes = changes
    reloadedRows = changes.updatedRows.map(\.old)
    self.changes.updatedRows = []
  }

  package subscript<Value>(dynamicMember list: WritableKeyPath<TableChanges, Value>) -> Value {
    get { changes[keyPath: list] }
    set { changes[keyPath: list] = newValue }
  }
}

extension TableUpdates {
  /// Checks the batch, as UITableView does at its end, and gives the new positions.
  ///
  /// - Parameters:
  ///   - before: the number of rows of each section in the old state.
  ///   - after: the number of rows of each section in the new state.
  ///
  /// Complexity: O(sections + k log k) for k events.
  ///
  /// - Throws: `TableUpdateError` for the first broken rule.
  package func checked(before: [Int], after: [Int]) throws(TableUpdateError) -> IndexPathMap {
    try checkPaths()
    try checkRanges(before: before, after: after)
    try checkSectionConflicts()
    try checkRowConflicts()
    let map = IndexPathMap(
      changes, movedSections: movedSections, reloadedSections: reloadedSections)
    try checkSectionBorders(map: map)
    try checkCounts(before: before, after: after, map: map)
    return map
  }

  private func checkPaths() throws(TableUpdateError) {
    let paths =
      changes.deletedRows + changes.insertedRows + reloadedRows + changes.movedRows.map(\.from)
      + changes.movedRows.map(\.to)
    if let path = paths.first(where: { $0.count != 2 }) { throw TableUpdateError.malformed(path) }
  }

  // MARK: Ranges

  private func checkRanges(before: [Int], after: [Int]) throws(TableUpdateError) {
    for (verb, sections) in [("delete", changes.deletedSections), ("reload", reloadedSections)] {
      if let section = sections.first(where: { !before.indices.contains($0) }) {
        throw TableUpdateError(
          .outOfRange,
          "attempt to \(verb) section \(section), "
            + "but there are only \(before.count) sections before the update")
      }
    }
    if let section = changes.insertedSections.first(where: { !after.indices.contains($0) }) {
      throw TableUpdateError(
        .outOfRange,
        "attempt to insert section \(section) "
          + "but there are only \(after.count) sections after the update")
    }
    for move in movedSections {
      guard before.indices.contains(move.from) else {
        throw TableUpdateError(
          .outOfRange,
          "attempt to move section \(move.from), "
            + "but there are only \(before.count) sections before the update")
      }
      guard after.indices.contains(move.to) else {
        throw TableUpdateError(
          .outOfRange,
          "attempt to move a section to \(move.to), "
            + "but there are only \(after.count) sections after the update")
      }
    }
    try Self.checkRange(of: changes.deletedRows, "delete", "from", in: before, "before")
    try Self.checkRange(of: reloadedRows, "reload", "of", in: before, "before")
    try Self.checkRange(of: changes.movedRows.map(\.from), "move", "from", in: before, "before")
    try Self.checkRange(of: changes.insertedRows, "insert", "into", in: after, "after")
    try Self.checkRange(of: changes.movedRows.map(\.to), "move to", "of", in: after, "after")
  }

  private static func checkRange(
    of paths: [IndexPath], _ verb: String, _ preposition: String, in counts: [Int],
    _ moment: String
  ) throws(TableUpdateError) {
    for path in paths {
      let attempt = "attempt to \(verb) row \(path.row) \(preposition) section \(path.section)"
      guard counts.indices.contains(path.section) else {
        throw TableUpdateError(
          .outOfRange,
          "\(attempt), but there are only \(counts.count) sections \(moment) the update")
      }
      let count = counts[path.section]
      guard 0..<count ~= path.row else {
        throw TableUpdateError(
          .outOfRange,
          moment == "before"
            ? "\(attempt) which only contains \(count) rows before the update"
            : "\(attempt), but there are only \(count) rows in section \(path.section) "
              + "after the update")
      }
    }
  }

  // MARK: Conflicts

  private func checkSectionConflicts() throws(TableUpdateError) {
    try Self.checkConflicts(
      (changes.deletedSections, reloadedSections, movedSections.map(\.from)),
      (changes.insertedSections, movedSections.map(\.to))
    ) { section in "section (\(section))" }
  }

  private func checkRowConflicts() throws(TableUpdateError) {
    try Self.checkConflicts(
      (changes.deletedRows, reloadedRows, changes.movedRows.map(\.from)),
      (changes.insertedRows, changes.movedRows.map(\.to))
    ) { path in "index path (\(path.uikitDescription))" }
  }

  /// Refuses two events with the same old index path or section, and two with the same new one.
  private static func checkConflicts<Position: Hashable>(
    _ old: (deleted: [Position], reloaded: [Position], moved: [Position]),
    _ new: (inserted: [Position], moved: [Position]), name: (Position) -> String
  ) throws(TableUpdateError) {
    func refuse(_ what: String, _ position: Position) -> TableUpdateError {
      TableUpdateError(.conflict, "attempt to \(what) the same \(name(position))")
    }
    var deleted: Set<Position> = []
    for position in old.deleted where !deleted.insert(position).inserted {
      throw refuse("perform two deletes of", position)
    }
    var reloaded: Set<Position> = []
    for position in old.reloaded {
      if deleted.contains(position) { throw refuse("delete and reload", position) }
      if !reloaded.insert(position).inserted { throw refuse("perform two reloads of", position) }
    }
    var moved: Set<Position> = []
    for position in old.moved {
      // A reload is a delete and an insert, for UITableView.
      if deleted.contains(position) || reloaded.contains(position) {
        throw refuse("perform a delete and a move from", position)
      }
      if !moved.insert(position).inserted { throw refuse("perform two moves from", position) }
    }
    var inserted: Set<Position> = []
    for position in new.inserted where !inserted.insert(position).inserted {
      throw refuse("perform two inserts at", position)
    }
    var targets: Set<Position> = []
    for position in new.moved {
      if inserted.contains(position) { throw refuse("perform an insert and a move to", position) }
      if !targets.insert(position).inserted { throw refuse("perform two moves to", position) }
    }
  }

  /// Refuses events of rows that move out of a deleted section, or into an inserted one.
  private func checkSectionBorders(map: IndexPathMap) throws(TableUpdateError) {
    let deleted = Set(changes.deletedSections).union(reloadedSections)
    if let path = reloadedRows.first(where: { deleted.contains($0.section) }) {
      throw TableUpdateError(
        .conflict,
        "attempt to reload row \(path.row) of section \(path.section), "
          + "which is deleted or reloaded in the same update")
    }
    if let move = changes.movedRows.first(where: { deleted.contains($0.from.section) }) {
      throw TableUpdateError(
        .moveOutOfDeletedSection,
        "cannot move a row from a deleted section (\(move.from.section))")
    }
    let inserted = Set(changes.insertedSections).union(
      reloadedSections.compactMap(map.newSection(of:)))
    if let move = changes.movedRows.first(where: { inserted.contains($0.to.section) }) {
      throw TableUpdateError(
        .moveIntoInsertedSection,
        "cannot move a row into a newly inserted section (\(move.to.section))")
    }
  }

  // MARK: Counts

  private func checkCounts(before: [Int], after: [Int], map: IndexPathMap) throws(TableUpdateError)
  {
    let inserted = changes.insertedSections.count
    let deleted = changes.deletedSections.count
    guard after.count == before.count + inserted - deleted else {
      throw TableUpdateError(
        .sectionCount,
        "Invalid update: invalid number of sections. The number of sections contained in the "
          + "table view after the update (\(after.count)) must be equal to the number of sections "
          + "contained in the table view before the update (\(before.count)), plus or minus the "
          + "number of sections inserted or deleted (\(inserted) inserted, \(deleted) deleted).")
    }
    let deletes = changes.deletedRows.countsBySection
    let inserts = changes.insertedRows.countsBySection
    let movesOut = changes.movedRows.map(\.from).countsBySection
    let movesIn = changes.movedRows.map(\.to).countsBySection
    let reloaded = Set(reloadedSections)
    for old in before.indices where !reloaded.contains(old) {
      guard let new = map.newSection(of: old) else { continue }
      let rowsIn = (inserts[new] ?? 0, movesIn[new] ?? 0)
      let rowsOut = (deletes[old] ?? 0, movesOut[old] ?? 0)
      guard after[new] == before[old] + rowsIn.0 + rowsIn.1 - rowsOut.0 - rowsOut.1 else {
        throw TableUpdateError(
          .rowCount,
          "Invalid update: invalid number of rows in section \(new). The number of rows "
            + "contained in an existing section after the update (\(after[new])) must be equal to "
            + "the number of rows contained in that section before the update (\(before[old])), "
            + "plus or minus the number of rows inserted or deleted from that section "
            + "(\(rowsIn.0) inserted, \(rowsOut.0) deleted) and plus or minus the number of rows "
            + "moved into or out of that section (\(rowsIn.1) moved in, \(rowsOut.1) moved out).")
      }
    }
  }
}

extension IndexPath {
  /// The path in the form of UIKit's messages.
  package var uikitDescription: String {
    "{length = \(count), path = \(map(String.init).joined(separator: " - "))}"
  }
}
