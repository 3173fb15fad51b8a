#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A row that makes its own cell, keeps its own state and handles its own events.
///
/// If it is also a ``ViewBuilder`` of a ``TableViewCell``, it needs no code to make and reuse the cell:
///
/// ```swift
/// final class SwitchGenerator: TableCellGenerator, ViewBuilder {
///   let title: String
///   var isOn = false
///   var didToggle: (Bool) -> Void = { _ in }
///
///   init(title: String) { self.title = title }
///   func build(view: SwitchCell) { view.show(title, isOn: isOn) }
///   func didSelect() {
///     isOn.toggle()
///     didToggle(isOn)
///   }
/// }
/// ```
///
/// Its `id` is its identity: the object itself by default. A ``DataDisplayManager`` cannot have two
/// generators with the same `id`.
///
/// It keeps no cell. After a change of its state, ``refresh()`` reports its row as updated, and
/// ``DataDisplayManager/refresh(_:)`` shows it again in the cell that shows it at that moment. For a row
/// without state or events of its own, ``CellGenerator`` needs no class.
///
/// Not Sendable: use it on the actor of its display manager.
public protocol TableCellGenerator: AnyObject, Identifiable {
  /// A cell of the table that shows the generator.
  ///
  /// - Throws: any error of the table. The default throws `TableDataError` of code `.missingCell`.
  func generate(
    tableView: TableView, for indexPath: IndexPath
  ) throws -> TableViewCell

  /// Shows the generator again, in a cell that it has made.
  ///
  /// - Throws: `TableDataError` of code `.wrongCell` for a cell of another class.
  func show(in cell: TableViewCell) throws

  /// Called when the user selects the row. The default does nothing.
  func didSelect()

  /// Called when the row appears on the screen, and when it is reloaded there. It may change the
  /// list. The default does nothing.
  func willDisplay()

  /// Called when the row is no longer on the screen, also because it was removed. The default does nothing.
  func didEndDisplaying()

  /// What the user can do with the row; nothing by default.
  var actions: RowActions { get }

  /// The height of the row in points; nil, the default, if its cell determines it.
  var height: Double? { get }

  /// Whether the user may delete the row. The default is false.
  var canDelete: Bool { get }

  /// Whether the user may move the row. The default is false.
  var canMove: Bool { get }

  /// Called when the user deselects the row. The default does nothing.
  func didDeselect()

  /// Whether the row stays selected. The default is true; it is false for a button.
  var staysSelected: Bool { get }

  /// The list that has the generator, which sets it. ``refresh()`` needs it. To have it, declare:
  ///
  /// ```swift
  /// weak var displayManager: DataDisplayManager?
  /// ```
  ///
  /// The default is always nil.
  var displayManager: DataDisplayManager? { get set }
}

extension TableCellGenerator {
  /// Shows the generator again after a change of its state: its row is reported as updated.
  ///
  /// ```swift
  /// func didSelect() {
  ///   isOn.toggle()
  ///   report { try refresh() }
  /// }
  /// ```
  ///
  /// ``DataDisplayManager/refresh(_:)`` shows it in its current cell instead, without notifying the observer.
  ///
  /// - Returns: the changes.
  /// - Throws: `TableDataError` of code `.unknownGenerator` if it is in no list, or does not declare
  ///   ``displayManager``.
  @discardableResult
  public func refresh() throws -> TableChanges {
    guard let displayManager else { throw TableDataError.noDisplayManager(self) }
    return try displayManager.update(generators: [self])
  }
}

extension TableDataError {
  /// The error for a generator that does not know its list.
  static func noDisplayManager(_ generator: AnyObject) -> TableDataError {
    TableDataError(
      .unknownGenerator, "\(type(of: generator)) does not know a list that has it",
      nextStep: "Add it to a DataDisplayManager, and declare in its class: "
        + "weak var displayManager: DataDisplayManager?")
  }
}

extension TableCellGenerator {
  /// Throws an error: the generator makes no cell for a headless table.
  public func generate(tableView: TableView, for indexPath: IndexPath) throws -> TableViewCell {
    throw noCell
  }

  /// Throws an error: the generator makes no cell for a headless table.
  public func show(in cell: TableViewCell) throws { throw noCell }

  /// Does nothing.
  public func didSelect() {}

  /// Does nothing.
  public func willDisplay() {}

  /// Does nothing.
  public func didEndDisplaying() {}

  /// No actions.
  public var actions: RowActions { RowActions() }

  /// Nil: the cell determines its height.
  public var height: Double? { nil }

  /// False.
  public var canDelete: Bool { false }

  /// False.
  public var canMove: Bool { false }

  /// Nil: the generator does not know its list.
  public var displayManager: DataDisplayManager? {
    get { nil }
    set {}
  }

  /// Does nothing.
  public func didDeselect() {}

  /// True.
  public var staysSelected: Bool { true }

  var noCell: TableDataError {
    TableDataError(
      .missingCell, "\(type(of: self)) makes no cell for a headless table",
      nextStep: "Make it a ViewBuilder of a TableViewCell, or implement generate(tableView:for:) "
        + "and show(in:)")
  }
}

extension TableCellGenerator where Self: ViewBuilder, View: TableViewCell {
  /// A cell of the generator's `View` class. The reuse identifier is the name of the class.
  ///
  /// - Throws: `TableDataError` of code `.duplicateRegistration` if the table has another class for
  ///   the identifier; any error of the table.
  public func generate(tableView: TableView, for indexPath: IndexPath) throws -> TableViewCell {
    let identifier = String(reflecting: View.self)
    try tableView.requireRegistration(of: View.self, forCellReuseIdentifier: identifier)
    let cell = try tableView.dequeueReusableCell(withIdentifier: identifier, for: indexPath)
    try show(in: cell)
    return cell
  }

  /// Shows the generator in the cell.
  ///
  /// - Throws: `TableDataError` of code `.wrongCell` for a cell of another class.
  public func show(in cell: TableViewCell) throws {
    guard let view = cell as? View else {
      throw TableDataError.wrongCell(cell, insteadOf: View.self, for: self)
    }
    build(view: view)
  }
}

extension TableCellGenerator {
  /// The `id`, without its type.
  var identity: AnyHashable { AnyHashable(id) }
}

/// An object that shows itself in a view, such as a cell of a headless table, of UIKit or of AppKit.
///
/// ```swift
/// final class VolumeGenerator: TableCellGenerator, ViewBuilder {
///   var volume = 5
///   func build(view: VolumeCell) { view.level = volume }
/// }
/// ```
///
/// A view of UIKit or AppKit is on the main actor, and so is the conformance:
/// `extension VolumeGenerator: @MainActor ViewBuilder`.
public protocol ViewBuilder<View>: AnyObject {
  /// The class of the view.
  associatedtype View: AnyObject

  /// Shows the object in a view, which may have shown another one before.
  func build(view: View)
}
