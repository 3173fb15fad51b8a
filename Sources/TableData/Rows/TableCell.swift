/// A cell that shows a view model.
///
/// ```swift
/// final class TrackCell: UITableViewCell, @MainActor Configurable {
///   func configure(with track: Track) { textLabel?.text = track.title }
/// }
/// ```
///
/// `configure(with:)` must set everything that the cell shows, because the cell may have shown another row before. A
/// cell of UIKit or AppKit is on the main actor, and so is its conformance.
public protocol Configurable<ViewModel>: AnyObject {
  /// The type of the view models that the cell shows.
  associatedtype ViewModel

  /// Shows a view model.
  func configure(with viewModel: ViewModel)
}

/// Which cell a table makes for a row, and how it shows the row: the class, the reuse identifier, and what configures
/// it. It works for UIKit, AppKit and a headless table. Not Sendable: use it on the actor of its table.
public struct TableCell {
  /// Where a table gets a cell if it has none to reuse.
  public enum Origin {
    /// From the initialiser of the class.
    case code
    /// From a nib, whose one object is a cell of the class: a `UINib` or an `NSNib`.
    case nib(AnyObject)
    /// From the table's own prototype with the identifier.
    case storyboard
    /// From a closure. Only AppKit calls it.
    case closure(@MainActor () -> AnyObject)
  }

  /// The class of the cell.
  public let cellClass: AnyClass
  /// The identifier by which cells are reused. In one table it must be used for this class only.
  public let identifier: String
  /// Where new cells come from.
  public let origin: Origin
  /// Returns false if the cell or the view model is of another type.
  private let show: (AnyObject, Any) -> Bool

  private init(
    _ cellClass: AnyClass, _ identifier: String?, _ origin: Origin,
    show: @escaping (AnyObject, Any) -> Bool
  ) {
    self.cellClass = cellClass
    self.identifier = identifier ?? String(reflecting: cellClass)
    self.origin = origin
    self.show = show
  }

  /// A cell that is configured with its view model. Its identifier is by default the name of the class.
  public init<Cell: AnyObject & Configurable>(
    _ cellClass: Cell.Type, identifier: String? = nil, from origin: Origin = .code
  ) {
    self.init(cellClass, identifier, origin) { cell, viewModel in
      guard let cell = cell as? Cell, let viewModel = viewModel as? Cell.ViewModel else {
        return false
      }
      cell.configure(with: viewModel)
      return true
    }
  }

  /// A cell that its view model builds. Its identifier is by default the name of the cell's class.
  public init<Builder: ViewBuilding>(
    builtBy builder: Builder.Type, identifier: String? = nil, from origin: Origin = .code
  ) {
    self.init(Builder.View.self, identifier, origin) { cell, viewModel in
      guard let cell = cell as? Builder.View, let builder = viewModel as? Builder else {
        return false
      }
      builder.build(view: cell)
      return true
    }
  }

  /// Shows a view model in a cell.
  ///
  /// - Throws: `TableDataError` with code `.wrongCell` for a cell of another class.
  public func show(_ viewModel: Any, in cell: AnyObject) throws {
    guard !show(cell, viewModel) else { return }
    throw TableDataError(
      .wrongCell,
      "a \(type(of: viewModel)) needs a cell of class \(cellClass), but got a \(type(of: cell))",
      nextStep: "Register \(cellClass) in the table for the identifier of the cell")
  }
}

/// An object that shows itself in a view, such as a cell of a headless table, of UIKit or of AppKit.
///
/// ```swift
/// final class VolumeGenerator: TableCellGenerator, ViewBuilding {
///   var volume = 5
///   func build(view: VolumeCell) { view.level = volume }
/// }
/// ```
///
/// A view of UIKit or AppKit is on the main actor, and so is the conformance: `extension VolumeGenerator: @MainActor
/// ViewBuilding`.
public protocol ViewBuilding<View>: AnyObject {
  /// The class of the view.
  associatedtype View: AnyObject

  /// Shows the object in a view, which may have shown another one before.
  func build(view: View)
}

/// The cell for each type of view model.
final class CellRegistry {
  private let registrations = TypeTable<TableCell>()
  private var prepared = PreparedCells()

  /// Registers the cell for the view models of a type. If the type already has a cell, or the identifier another
  /// class, the rows of the type have that error instead of a cell.
  func register<ViewModel>(_ cell: TableCell, for viewModel: ViewModel.Type) {
    let entry = Result { () throws(TableDataError) in
      _ = try prepared.add(cell)
      return cell
    }
    registrations.set(entry, for: viewModel) { other in
      TableDataError(
        .duplicateRegistration,
        "the cell \(other.cellClass) (\"\(other.identifier)\") is already registered for "
          + "\(viewModel)",
        nextStep: "Register one cell for each type of view model")
    }
  }

  /// The cell for a view model, or the error `.unregisteredViewModel` or `.duplicateRegistration`.
  func cell(for viewModel: Any) throws -> TableCell {
    if let cell = try registrations.nearest(to: viewModel) { return cell }
    let names = registrations.entries.map { "\($0.cellClass) (\"\($0.identifier)\")" }.sorted()
    throw TableDataError(
      .unregisteredViewModel,
      "no cell is registered for \(type(of: viewModel))",
      nextStep: "Call registerCell(_:) first. Registered cells: "
        + (names.isEmpty ? "none" : names.joined(separator: ", ")))
  }
}

/// The identifiers that are registered in one place, each with its class.
package struct PreparedCells {
  private var classes: [String: AnyClass] = [:]

  package init() {}

  /// Whether the cell must still be registered there. It is an error if the identifier has another class, in a table
  /// from another component.
  package mutating func add(_ cell: TableCell) throws(TableDataError) -> Bool {
    guard let other = classes[cell.identifier] else {
      classes[cell.identifier] = cell.cellClass
      return true
    }
    guard other == cell.cellClass else {
      throw TableDataError.duplicateIdentifier(of: cell, usedBy: other)
    }
    return false
  }
}

extension TableDataError {
  fileprivate static func duplicateIdentifier(
    of cell: TableCell, usedBy other: AnyClass
  ) -> TableDataError {
    TableDataError(
      .duplicateRegistration,
      "the identifier \"\(cell.identifier)\" is already registered for \(other)",
      nextStep: "Give \(cell.cellClass) another identifier")
  }

  static func missingCell(of viewModel: Any) -> TableDataError {
    TableDataError(
      .missingCell, "\(type(of: viewModel)) has no cell",
      nextStep: "Give its TableRow a cell, or make it a ViewBuilding of one")
  }
}
