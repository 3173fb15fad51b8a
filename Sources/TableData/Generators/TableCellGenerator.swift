#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A row that knows all about itself: it builds its own cell, keeps its state, has its events.
///
/// Where it is also a ``ViewBuilder`` of a ``TableViewCell``, the cell is made and used again for it:
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
/// Its `id` is what it is, wherever it goes: the object itself, unless it has another one. A
/// ``DataDisplayManager`` has no two generators of one `id`.
///
/// It keeps no cell. What it changes of itself is shown by ``DataDisplayManager/refresh(_:)``, in the
/// cell that shows it at that moment.
///
/// Not Sendable: it belongs where its display manager belongs.
public protocol TableCellGenerator: AnyObject, Identifiable {
  /// A cell of the table that shows the generator.
  ///
  /// - Throws: what the table throws. Without a cell of its own, which is the default,
  ///   `TableDataError` of code `.wrongCell`.
  func generate(
    tableView: TableView, for indexPath: IndexPath
  ) throws -> TableViewCell

  /// Shows the generator anew, in a cell that it has made.
  ///
  /// - Throws: `TableDataError` of code `.wrongCell` for a cell of another class.
  func show(in cell: TableViewCell) throws

  /// Called when the user selects the row. Does nothing by default.
  func didSelect()
}

extension TableCellGenerator {
  /// Throws: it builds no cell for a headless table.
  public func generate(tableView: TableView, for indexPath: IndexPath) throws -> TableViewCell {
    throw cellless
  }

  /// Throws: it builds no cell for a headless table.
  public func show(in cell: TableViewCell) throws { throw cellless }

  /// Does nothing.
  public func didSelect() {}

  private var cellless: TableDataError {
    TableDataError(
      .wrongCell,
      "\(type(of: self)) builds no cell for a headless table: make it a ViewBuilder of a "
        + "TableViewCell, or implement generate(tableView:for:) and show(in:)")
  }
}

extension TableCellGenerator where Self: ViewBuilder, View: TableViewCell {
  /// A cell of the class that the generator builds, with the class as its reuse identifier.
  ///
  /// - Throws: `TableDataError` of code `.wrongCell` where the table has another class for it; what
  ///   the table throws.
  public func generate(tableView: TableView, for indexPath: IndexPath) throws -> TableViewCell {
    let identifier = String(reflecting: View.self)
    try tableView.requireRegistration(of: View.self, forCellReuseIdentifier: identifier)
    let cell = try tableView.dequeueReusableCell(withIdentifier: identifier, for: indexPath)
    try show(in: cell)
    return cell
  }

  /// Builds the cell.
  ///
  /// - Throws: `TableDataError` of code `.wrongCell` for a cell of another class.
  public func show(in cell: TableViewCell) throws {
    guard let view = cell as? View else {
      throw TableDataError(
        .wrongCell,
        "\(type(of: self)) builds cells of the class \(View.self), and this one is of the class "
          + "\(type(of: cell))")
    }
    build(view: view)
  }
}

extension TableCellGenerator {
  /// Its `id`, of whatever type.
  var identity: AnyHashable { AnyHashable(id) }
}

/// What shows itself in a view: a cell of a headless table, or one of UIKit or AppKit.
///
/// ```swift
/// final class VolumeGenerator: TableCellGenerator, ViewBuilder {
///   var volume = 5
///   func build(view: VolumeCell) { view.level = volume }
/// }
/// ```
///
/// A view of UIKit or AppKit belongs to the main actor, and so does the conformance:
/// `extension VolumeGenerator: @MainActor ViewBuilder`.
public protocol ViewBuilder<View>: AnyObject {
  /// What it shows itself in.
  associatedtype View: AnyObject

  /// Shows everything in a view, which may have shown something else before.
  func build(view: View)
}
