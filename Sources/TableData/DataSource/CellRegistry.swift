/// A cell that shows a view model.
///
/// ```swift
/// final class TrackCell: TableViewCell, Configurable {
///   private(set) var title = ""
///   func configure(with viewModel: TrackViewModel) { title = viewModel.title }
/// }
/// ```
///
/// `configure(with:)` must set everything that the cell shows, because the cell may have shown another
/// row before.
///
/// A cell of UIKit or AppKit is on the main actor, and so is its conformance:
/// `extension TrackCell: @MainActor Configurable`.
public protocol Configurable<ViewModel>: AnyObject {
  /// The type of the view models that the cell shows.
  associatedtype ViewModel

  /// Shows a view model.
  func configure(with viewModel: ViewModel)
}

/// The cell class for each type of view model.
///
/// `Cell` is the superclass of all cells: ``TableViewCell`` for a headless table, or a view.
struct CellRegistry<Cell: AnyObject> {
  /// The cell for the view models of one type.
  struct Registration {
    let identifier: String
    let cellClass: Cell.Type
    /// Shows a view model in a cell of the class.
    let configure: (Cell, Any) throws -> Void
  }

  private var registrations = TypeTable<Registration>()
  private var classes: [String: Cell.Type] = [:]

  /// Registers the cell for the view models of a type.
  ///
  /// - Parameter show: shows a view model in a cell. It returns false if one of the two is of another
  ///   type.
  /// - Throws: `TableDataError` of code `.duplicateRegistration` if the type already has a cell, or the
  ///   identifier another class.
  mutating func register<ViewModel>(
    _ cellClass: Cell.Type, identifier: String, for viewModel: ViewModel.Type,
    show: @escaping (Cell, Any) -> Bool
  ) throws {
    if let other = registrations.entry(of: viewModel) {
      throw TableDataError(
        .duplicateRegistration,
        "the cell \(other.cellClass) (\"\(other.identifier)\") is already registered for \(viewModel)",
        nextStep: "Register one cell for each type of view model")
    }
    if let other = classes[identifier], other != cellClass {
      throw TableDataError.duplicateIdentifier(identifier, of: other, for: cellClass)
    }
    classes[identifier] = cellClass
    let registration = Registration(identifier: identifier, cellClass: cellClass) {
      cell, viewModel in
      guard !show(cell, viewModel) else { return }
      throw TableDataError.wrongCell(cell, insteadOf: cellClass, for: viewModel)
    }
    registrations.set(registration, for: viewModel)
  }

  /// The cell for a view model: that of its dynamic type, else of the nearest superclass, else of a
  /// protocol.
  ///
  /// - Throws: `TableDataError` of code `.unregisteredViewModel`, and of code `.duplicateRegistration` if
  ///   several protocols have a cell.
  func registration(for viewModel: Any) throws -> Registration {
    guard let registration = try registrations.nearest(to: viewModel) else {
      throw TableDataError(
        .unregisteredViewModel,
        "no cell is registered for \(type(of: viewModel))",
        nextStep: "Call registerCell(class:identifier:for:) first. Registered cells: "
          + registeredCells)
    }
    return registration
  }

  private var registeredCells: String {
    let names = registrations.entries.map { "\($0.cellClass) (\"\($0.identifier)\")" }.sorted()
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}
