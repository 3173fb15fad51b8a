/// A view without sections that takes one change at a time, as NSTableView does.
protocol FlatTableUpdating {
  func reloadData() throws
  /// Animates the changes that `body` makes together.
  func performBatch(_ body: () throws -> Void) throws
  func insertRows(at positions: Range<Int>) throws
  func removeRows(at positions: Range<Int>) throws
  /// - Parameter newPosition: the position after the row is taken out.
  func moveRow(at position: Int, to newPosition: Int) throws
  func reloadRow(at position: Int) throws
  var allowsMultipleSelection: Bool { get }
  /// The selected lines. The table refuses several if it does not allow them.
  var selectedPositions: Set<Int> { get nonmutating set }
}

extension FlatTableUpdating {
  /// Shows changes of the content, step by step.
  ///
  /// - Parameters:
  ///   - header: the header of inserted sections.
  ///   - setRows: takes the new lines, before the view asks for any of them.
  ///   - showAgain: shows the content of rows again, in their cells if possible.
  func show<Header>(
    _ changes: TableChanges, in rows: FlatRows<Header>, newCounts: [Int], header: Header?,
    setRows: (FlatRows<Header>) -> Void, showAgain: ([IndexPath]) throws -> Void
  ) throws {
    guard !changes.isEmpty else { return }
    if changes.reset != nil {
      setRows(FlatRows(rowCounts: newCounts, headers: newCounts.map { _ in header }))
      return try reloadData()
    }
    let listed = Set(changes.insertedRows.lazy.map(\.section))
    var rows = rows
    try performBatch {
      for operation in changes.sequential {
        switch operation {
        case .deleteRow(let path): try removeRow(at: rows.removeRow(at: path))
        case .deleteSection(let section): try removeRows(at: rows.removeSection(section))
        case .insertSection(let section):
          // The rows follow one by one, unless the changes do not list them.
          let count = listed.contains(section) ? 0 : newCounts[section]
          try insertRows(at: rows.insertSection(section, rowCount: count, header: header))
        case .insertRow(let path, _): try insertRow(at: rows.insertRow(at: path))
        case .moveRow(let from, let to, _):
          try moveRow(at: rows.removeRow(at: from), to: rows.insertRow(at: to))
        case .updateSection, .updateRow, .reset: break
        }
      }
      setRows(rows)
      for section in changes.updatedSections.map(\.new) {
        if let position = rows.position(of: .header(section)) { try reloadRow(at: position) }
      }
    }
    // A move implies new content, and the view keeps the old content of a moved row.
    let changed = changes.updatedRows.map(\.new) + changes.movedRows.map(\.to)
    if !changed.isEmpty { try showAgain(changed) }
  }

  private func insertRow(at position: Int) throws { try insertRows(at: position..<position + 1) }

  private func removeRow(at position: Int) throws { try removeRows(at: position..<position + 1) }
}

/// The selection of a view without sections, by index paths.
struct FlatSelection<Table: FlatTableUpdating, Header>: SelectableTable {
  let table: Table
  /// Those that the table shows now: they change if the list does while a row is selected.
  let rows: () -> FlatRows<Header>

  var selectedRows: [IndexPath] {
    let rows = rows()
    return table.selectedPositions.sorted().compactMap { position in
      if case .row(let path)? = rows.line(at: position) { path } else { nil }
    }
  }

  func select(_ indexPath: IndexPath) throws {
    guard let position = rows().position(of: .row(indexPath)) else { return }
    let others = table.allowsMultipleSelection ? table.selectedPositions : []
    table.selectedPositions = others.union([position])
  }

  func deselect(_ indexPath: IndexPath) throws {
    guard let position = rows().position(of: .row(indexPath)) else { return }
    guard table.selectedPositions.contains(position) else { return }
    table.selectedPositions.remove(position)
  }
}

extension FlatRows {
  /// The index path after the move of a row that is dropped before a line, or at the end; nil if there is no section,
  /// or if the row would stay where it is. Before a header is the end of the section above, and before the first
  /// header the start of its section.
  func dropTarget(of indexPath: IndexPath, at position: Int) -> IndexPath? {
    let place: IndexPath
    switch (line(at: position - 1), line(at: position)) {
    case (.row(let above)?, _): place = IndexPath(row: above.row + 1, section: above.section)
    case (.header(let section)?, _), (nil, .header(let section)?):
      place = IndexPath(row: 0, section: section)
    case (nil, .row(let first)?): place = first
    case (nil, nil): return nil
    }
    guard place.section == indexPath.section, place.row > indexPath.row else {
      return place == indexPath ? nil : place
    }
    // The row is taken out first.
    let target = IndexPath(row: place.row - 1, section: place.section)
    return target == indexPath ? nil : target
  }
}
