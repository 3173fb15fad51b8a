/// A cell that shows a view model.
///
/// ```swift
/// final class TrackCell: TableViewCell, Configurable {
///   private(set) var title = ""
///   func configure(with viewModel: TrackViewModel) { title = viewModel.title }
/// }
/// ```
///
/// It must set all that it shows: it may have shown another row before.
///
/// A cell of UIKit or AppKit belongs to the main actor, and so does its conformance:
/// `extension TrackCell: @MainActor Configurable`.
public protocol Configurable<ViewModel>: AnyObject {
  /// What it shows.
  associatedtype ViewModel

  /// Shows a view model.
  func configure(with viewModel: ViewModel)
}

/// Which cell shows which type of view model.
///
/// `Cell` is what all cells are: the ``TableViewCell`` of a headless table, or a view.
struct CellRegistry<Cell: AnyObject> {
  /// A cell for the view models of one type.
  struct Registration {
    let identifier: String
    let cellClass: Cell.Type
    /// Shows a view model in a cell of the class.
    let configure: (Cell, Any) throws -> Void
  }

  private var registrations: [ObjectIdentifier: Registration] = [:]
  private var classes: [String: Cell.Type] = [:]

  /// Says which cell shows the view models of a type.
  ///
  /// - Parameter show: shows a view model in a cell, and returns false where either is of another
  ///   class.
  /// - Throws: `TableDataError` of code `.duplicateRegistration` for a type that already has a cell,
  ///   and for an identifier that stands for another class.
  mutating func register<ViewModel>(
    _ cellClass: Cell.Type, identifier: String, for viewModel: ViewModel.Type,
    show: @escaping (Cell, Any) -> Bool
  ) throws {
    if let other = registrations[ObjectIdentifier(viewModel)] {
      throw TableDataError(
        .duplicateRegistration,
        "\(viewModel) is already shown by \(other.cellClass) with the identifier "
          + "\"\(other.identifier)\": register one cell for each type of view model")
    }
    if let other = classes[identifier], other != cellClass {
      throw TableDataError(
        .duplicateRegistration,
        "the identifier \"\(identifier)\" already stands for \(other), and not for \(cellClass): "
          + "give each cell class an identifier of its own")
    }
    classes[identifier] = cellClass
    registrations[ObjectIdentifier(viewModel)] = Registration(
      identifier: identifier, cellClass: cellClass
    ) { cell, viewModel in
      guard !show(cell, viewModel) else { return }
      throw TableDataError(
        .wrongCell,
        "the cell for \"\(identifier)\" is of the class \(type(of: cell)), and not \(cellClass): "
          + "something else is registered in the table for this identifier")
    }
  }

  /// The cell for a view model, by its own type and not that of a list that has several.
  ///
  /// - Throws: `TableDataError` of code `.unregisteredViewModel`.
  func registration(for viewModel: Any) throws -> Registration {
    let type = Swift.type(of: viewModel)
    guard let registration = registrations[ObjectIdentifier(type)] else {
      throw TableDataError(
        .unregisteredViewModel,
        "no cell is registered for \(type): call registerCell(class:identifier:for:) first; "
          + "registered are: \(registeredTypes)")
    }
    return registration
  }

  private var registeredTypes: String {
    let names = registrations.values.map { "\($0.cellClass) (\"\($0.identifier)\")" }.sorted()
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}
