#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension TableChanges {
  /// The changes of a part of a list, in the coordinates of the whole list.
  ///
  /// ```swift
  /// // The second component, whose sections began at 3 and begin at 4 now:
  /// let changes = component.changes.offset(old: 3, new: 4)
  /// ```
  ///
  /// A reset concerns the part only. It becomes deletes of all its old and inserts of all its new
  /// sections, in the ``compacted`` form: what rows they have is not known here.
  ///
  /// Complexity: O(k) for k events.
  ///
  /// - Parameters:
  ///   - old: the number of sections before the part in the old state.
  ///   - new: the number of sections before the part in the new state.
  public func offset(old: Int, new: Int) -> TableChanges {
    var changes = TableChanges()
    if let reset {
      changes.deletedSections = (0..<reset.oldSectionCount).reversed().map { $0 + old }
      changes.insertedSections = (0..<reset.newSectionCount).map { $0 + new }
      return changes
    }
    if old == 0, new == 0 { return self }
    changes.deletedSections = deletedSections.map { $0 + old }
    changes.insertedSections = insertedSections.map { $0 + new }
    changes.deletedRows = deletedRows.map { $0.offset(by: old) }
    changes.insertedRows = insertedRows.map { $0.offset(by: new) }
    changes.movedRows = movedRows.map {
      Move(from: $0.from.offset(by: old), to: $0.to.offset(by: new))
    }
    changes.updatedRows = updatedRows.map {
      Update(old: $0.old.offset(by: old), new: $0.new.offset(by: new))
    }
    return changes
  }

  /// The changes of several parts of a list as one batch.
  ///
  /// ```swift
  /// let batch = TableChanges.combined([
  ///   form.changes,
  ///   covers.changes.offset(old: 1, new: 1),
  /// ])
  /// ```
  ///
  /// The parts have no section in common, neither an old nor a new one; ``offset(old:new:)`` has
  /// given them the coordinates of the whole list. They may come in any order: the events of a kind
  /// are put in theirs. A part's reset becomes section events, as there.
  ///
  /// Complexity: O(k log k) for k events, O(k) where the parts come in the order of their sections.
  public static func combined(_ parts: some Sequence<TableChanges>) -> TableChanges {
    var changes = TableChanges()
    for part in parts {
      let part = part.offset(old: 0, new: 0)
      changes.deletedSections += part.deletedSections
      changes.insertedSections += part.insertedSections
      changes.deletedRows += part.deletedRows
      changes.insertedRows += part.insertedRows
      changes.movedRows += part.movedRows
      changes.updatedRows += part.updatedRows
    }
    // The sort is linear on the runs that the parts are.
    changes.deletedSections.sort(by: >)
    changes.insertedSections.sort()
    changes.deletedRows.sort(by: >)
    changes.insertedRows.sort()
    changes.movedRows.sort { $0.to < $1.to }
    changes.updatedRows.sort { $0.new < $1.new }
    return changes
  }
}

extension IndexPath {
  /// The path with its section shifted.
  fileprivate func offset(by sections: Int) -> IndexPath {
    IndexPath(row: row, section: section + sections)
  }
}
