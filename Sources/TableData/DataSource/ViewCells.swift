#if canImport(UIKit) && !os(watchOS)
  import UIKit

  /// The superclass of all cells of the system.
  typealias CellView = UIView
#elseif canImport(AppKit)
  import AppKit

  /// The superclass of all cells of the system.
  typealias CellView = NSView
#else
  /// The system has no views: the cells of a headless table are in their place.
  typealias CellView = TableViewCell
#endif

/// The cells of UIKit or AppKit that are registered in a data source or an adapter.
struct ViewCells {
  /// Called when a table has no cell with an identifier. It registers the class or the nib in the table, or
  /// it makes a cell.
  typealias Maker = @MainActor (_ table: AnyObject) -> CellView?

  /// The cell for the view models of one type.
  struct Cell {
    let registration: CellRegistry<CellView>.Registration
    let make: Maker

    var identifier: String { registration.identifier }
  }

  private var registry = CellRegistry<CellView>()
  private var makers: [String: Maker] = [:]

  /// Whether no cell is registered.
  var isEmpty: Bool { makers.isEmpty }

  /// Registers the cell for the view models of a type.
  ///
  /// - Throws: `TableDataError` of code `.duplicateRegistration` if the type already has a cell, or the
  ///   identifier another class.
  mutating func register<View: CellView, ViewModel>(
    _ cellClass: View.Type, identifier: String, for viewModel: ViewModel.Type,
    make: @escaping Maker, show: @escaping (View, ViewModel) -> Void
  ) throws {
    try registry.register(cellClass, identifier: identifier, for: viewModel) { cell, viewModel in
      guard let cell = cell as? View, let viewModel = viewModel as? ViewModel else { return false }
      show(cell, viewModel)
      return true
    }
    makers[identifier] = make
  }

  /// The cell for a view model.
  ///
  /// - Throws: `TableDataError` of code `.unregisteredViewModel`.
  func cell(for viewModel: Any) throws -> Cell {
    let registration = try registry.registration(for: viewModel)
    return Cell(registration: registration, make: makers[registration.identifier] ?? { _ in nil })
  }
}
