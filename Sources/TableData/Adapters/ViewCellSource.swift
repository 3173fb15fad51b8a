#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A data source in which the cells of UIKit or AppKit are registered.
protocol ViewCellSource: ComposableTableViewDataSource {
  /// The cell for a row; nil if no cells are registered.
  ///
  /// - Throws: `TableDataError` of code `.unregisteredViewModel` if there are cells, but none for the view
  ///   model.
  func viewCell(for viewModel: Any, at indexPath: IndexPath) throws -> ViewCells.Cell?
}

extension TableViewDataSource: ViewCellSource {
  func viewCell(for viewModel: Any, at indexPath: IndexPath) throws -> ViewCells.Cell? {
    viewCells.isEmpty ? nil : try viewCells.cell(for: viewModel)
  }
}

extension ComposedTableViewDataSource: ViewCellSource {
  func viewCell(for viewModel: Any, at indexPath: IndexPath) throws -> ViewCells.Cell? {
    let (component, indexPath) = try resolve(indexPath)
    return try (component as? any ViewCellSource)?.viewCell(for: viewModel, at: indexPath)
  }
}

/// The identifiers that are registered in one table, each with its class.
struct PreparedCells {
  private var classes: [String: CellView.Type] = [:]

  /// Whether the cell must still be registered in the table.
  ///
  /// - Throws: `TableDataError` of code `.duplicateRegistration` if the table has another class for the
  ///   identifier, from another component.
  mutating func add(_ cell: ViewCells.Cell) throws -> Bool {
    let cellClass = cell.registration.cellClass
    guard let other = classes.updateValue(cellClass, forKey: cell.identifier) else { return true }
    guard other == cellClass else {
      classes[cell.identifier] = other
      throw TableDataError.duplicateIdentifier(cell.identifier, of: other, for: cellClass)
    }
    return false
  }
}

extension ViewCells {
  /// The cell for a row: the one of its component, or one of these if the component has no cells.
  ///
  /// - Throws: `TableDataError` of code `.unregisteredViewModel`; any error of the component.
  func cell(
    for viewModel: Any, at indexPath: IndexPath, of source: any ComposableTableViewDataSource
  ) throws -> Cell {
    let own = try (source as? any ViewCellSource)?.viewCell(for: viewModel, at: indexPath)
    return try own ?? cell(for: viewModel)
  }
}
