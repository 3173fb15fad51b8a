extension TableChanges {
  /// The changes without a move that the view shows already, because the user has made it there.
  ///
  /// Told among others its places are other ones, and what the view shows is neither the old nor the
  /// new state: then everything has to be read anew.
  func without(shownMove move: Move, sectionCount: Int) -> TableChanges {
    if self == TableChanges(movedRows: [move]) { return TableChanges() }
    return .reset(oldSectionCount: sectionCount, newSectionCount: sectionCount)
  }
}
