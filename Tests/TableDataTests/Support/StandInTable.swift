import Foundation
import TableDataTesting

@testable import TableData

/// A table of another system than the headless one, which behaves as UIKit's documentation says: it asks its
/// adapter for cells, reuses them, gives a row that is reconfigured the cell that it has, and displays cells.
final class StandInTable {
  /// The superclass of its cells.
  class Cell {
    var text = ""
    fileprivate(set) var identifier: String?
    required init() {}
  }

  /// Called when a row needs a cell.
  var makeCell: (IndexPath) -> Cell? = { _ in nil }
  var willDisplay: (Cell, IndexPath) -> Void = { _, _ in }
  var didEndDisplaying: (Cell) -> Void = { _ in }
  var numbersOfRows: () -> [Int] = { [] }
  private(set) var registrations: [String] = []
  private(set) var cells: [[Cell]] = []
  private var classes: [String: Cell.Type] = [:]
  private var pool: [Cell] = []
  private var reconfigured: IndexPath?

  /// What the cells show.
  var shown: [[String]] { cells.map { $0.map(\.text) } }

  private func cell(for indexPath: IndexPath) -> Cell { makeCell(indexPath) ?? Cell() }

  private func display(_ cell: Cell, at indexPath: IndexPath) -> Cell {
    willDisplay(cell, indexPath)
    return cell
  }

  private func endDisplaying(_ cell: Cell) {
    didEndDisplaying(cell)
    pool.append(cell)
  }
}

extension StandInTable: CellTable {
  func register(_ cell: TableCell) throws {
    registrations.append(cell.identifier)
    classes[cell.identifier] = cell.cellClass as? Cell.Type
  }

  func dequeue(_ cell: TableCell, for indexPath: IndexPath) throws -> Cell {
    if indexPath == reconfigured { return cells[indexPath.section][indexPath.row] }
    let index = pool.firstIndex { $0.identifier == cell.identifier }
    let made = index.map { pool.remove(at: $0) } ?? (classes[cell.identifier] ?? Cell.self).init()
    made.identifier = cell.identifier
    return made
  }

  func cell(at indexPath: IndexPath) -> Cell? { cells[indexPath.section][indexPath.row] }

  func identifier(of cell: Cell) -> String? { cell.identifier }

  func reconfigureRows(at indexPaths: [IndexPath]) throws {
    for path in indexPaths {
      reconfigured = path
      _ = cell(for: path)
      reconfigured = nil
    }
  }

  func reloadRows(at indexPaths: [IndexPath]) throws {
    for path in indexPaths {
      let old = cells[path.section][path.row]
      // The new cell is displayed before the old one no longer is.
      cells[path.section][path.row] = display(cell(for: path), at: path)
      endDisplaying(old)
    }
  }
}

/// The adapter of the table. As one of UIKit, it only calls the updater by the names of its table.
final class StandInAdapter: TableUpdating {
  let table = StandInTable()
  private(set) var errors: [any Error] = []
  private(set) var updater: TableUpdater?

  init(_ source: any ComposableTableViewDataSource) throws {
    let updater = try TableUpdater(
      source, onError: { [unowned self] in errors.append($0) },
      show: { [unowned self] in try show($0) },
      showAgain: { [unowned self] in try showAgain(rowsAt: $0) })
    self.updater = updater
    table.makeCell = { [unowned self] path in
      var cell: StandInTable.Cell?
      updater.deferringChanges {
        cell = try updater.makeCell(for: source.row(at: path), at: path, in: table)
      }
      return cell
    }
    table.willDisplay = { updater.willDisplay($0, at: $1) }
    table.didEndDisplaying = { updater.didEndDisplaying($0) }
    table.numbersOfRows = {
      (0..<source.numberOfSections).map { section in
        updater.answer(0) { try source.numberOfRows(inSection: section) }
      }
    }
    reloadData()
  }

  func reloadData() { table.reloadData() }
  func showBatch(_ changes: TableChanges) throws { try table.showBatch(changes) }
  func showAgain(rowsAt indexPaths: [IndexPath]) throws {
    try updater?.showAgain(rowsAt: indexPaths, in: table)
  }
  func showAgain(headersOfSections sections: [Int]) {}
}

extension StandInTable {
  func reloadData() {
    cells.joined().forEach(endDisplaying)
    cells = numbersOfRows().enumerated().map { section, count in
      (0..<count).map { row in
        let path = IndexPath(row: row, section: section)
        return display(cell(for: path), at: path)
      }
    }
  }

  /// Takes the cells of the rows that stay to their new index paths, and makes those of the others.
  func showBatch(_ changes: TableChanges) throws {
    let counts = numbersOfRows()
    let map = try TableUpdates(changes).checked(before: cells.map(\.count), after: counts)
    var kept: [IndexPath: Cell] = [:]
    for (section, old) in cells.enumerated() {
      for (row, cell) in old.enumerated() {
        let path = map.newIndexPath(of: IndexPath(row: row, section: section))
        if let path { kept[path] = cell } else { endDisplaying(cell) }
      }
    }
    cells = counts.enumerated().map { section, count in
      (0..<count).map { row in
        let path = IndexPath(row: row, section: section)
        return kept[path] ?? display(cell(for: path), at: path)
      }
    }
  }
}
