#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The selection is made of rows, not of row numbers: it follows them through every update. Where the
// data source knows identities it also follows them through a reload and from section to section.
extension TableView {
  /// The selected rows, from top to bottom.
  public var indexPathsForSelectedRows: [IndexPath] { selection.map(\.indexPath).sorted() }

  /// The selected row that is first; nil when there is none.
  public var indexPathForSelectedRow: IndexPath? { selection.map(\.indexPath).min() }

  /// Selects a row, in addition to others when ``allowsMultipleSelection`` is true, else instead.
  ///
  /// - Throws: `TableUpdateError` of code `.outOfRange` where there is no such row, of
  ///   `.updateInProgress` during an update; what the data source throws.
  public func selectRow(at indexPath: IndexPath) throws {
    try requireIdle("select a row")
    try requireRow(at: indexPath, "select")
    let identity = try identity(at: indexPath)
    if !allowsMultipleSelection { selection = [] }
    selection.removeAll { $0.indexPath == indexPath }
    selection.append(SelectedRow(indexPath: indexPath, identity: identity))
    markSelectedCells()
  }

  /// Deselects a row. Does nothing when it is not selected.
  ///
  /// - Throws: `TableUpdateError` of code `.updateInProgress` during an update.
  public func deselectRow(at indexPath: IndexPath) throws {
    try requireIdle("deselect a row")
    selection.removeAll { $0.indexPath == indexPath }
    markSelectedCells()
  }

  /// Finds the selected rows in the new state. What is not there any more is no longer selected.
  ///
  /// - Parameter map: where the rows went; nil when nothing is known about it.
  func followSelection(with map: PlaceMap?) throws {
    var followed: [SelectedRow] = []
    for row in selection {
      guard let place = try newPlace(of: row, map: map) else { continue }
      followed.append(SelectedRow(indexPath: place, identity: row.identity))
    }
    selection = followed
  }

  private func newPlace(of row: SelectedRow, map: PlaceMap?) throws -> IndexPath? {
    let place = map?.newPlace(of: row.indexPath)
    guard let identity = row.identity else { return place }
    if let place, try self.identity(at: place) == identity { return place }
    let found = try ask { try $0.tableView(self, indexPathForIdentity: identity) } ?? nil
    guard let found, counts.contains(found) else { return nil }
    return found
  }

  private func identity(at indexPath: IndexPath) throws -> AnyHashable? {
    try ask { try $0.tableView(self, identityForRowAt: indexPath) } ?? nil
  }

  func markSelectedCells() {
    let selected = Set(selection.map(\.indexPath))
    for (path, cell) in cells { cell.isSelected = selected.contains(path) }
  }
}
