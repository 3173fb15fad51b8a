#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Told and checked alike for all changes.
extension ContentStore {
  /// Tells *will*, carries a change out, tells *did*.
  ///
  /// - Throws: `TableDataError` of code `.changeInProgress` when called by the observer in *will*.
  func tell(
    _ changes: TableChanges, for sender: any TableChangesSender, _ change: () -> Void
  ) throws -> TableChanges {
    guard !isTelling else {
      throw TableDataError(
        .changeInProgress,
        "the content cannot be changed while its observer is told that it will change: wait for "
          + "contentDidChange")
    }
    // What looks the same may still be another value.
    guard !changes.isEmpty else {
      change()
      return changes
    }
    isTelling = true
    sender.observer?.contentWillChange(of: sender)
    isTelling = false
    change()
    sender.observer?.contentDidChange(of: sender, by: changes)
    return changes
  }

  /// What new items are, of which none must be there already.
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  func newIdentities(of items: [Item]) throws -> Set<AnyHashable> {
    try newIdentities(of: items, besides: identities)
  }

  func newIdentities(
    of items: [Item], besides others: Set<AnyHashable>
  ) throws -> Set<AnyHashable> {
    var new: Set<AnyHashable> = []
    for identity in items.map(traits.identity) {
      guard !others.contains(identity), new.insert(identity).inserted else {
        throw TableDataError(
          .duplicateIdentity,
          "there already is an item with the identity \(identity): replace or move it, or give the "
            + "new one another identity")
      }
    }
    return new
  }

  func requireSection(_ section: Int) throws {
    guard sections.indices.contains(section) else {
      throw TableDataError.sectionOutOfRange(section, count: sections.count)
    }
  }

  func requireRow(_ path: IndexPath) throws {
    try requirePlace(path, isGap: false)
  }

  /// Requires a place where a row can be put: one of a row, or the end of the section.
  func requireGap(_ path: IndexPath) throws {
    try requirePlace(path, isGap: true)
  }

  private func requirePlace(_ path: IndexPath, isGap: Bool) throws {
    try path.requirePlace(inSections: sections.count, isGap: isGap) { sections[$0].items.count }
  }
}
