/// A row that makes its own cell, keeps its own state and handles its own events.
///
/// If it is also a ``ViewBuilding``, its row has a cell that it builds:
///
/// ```swift
/// final class SwitchGenerator: TableCellGenerator, ViewBuilding {
///   var isOn = false
///   func build(view: SwitchCell) { view.show("Loud", isOn: isOn) }
///   func didSelect() { isOn.toggle() }
/// }
/// ```
///
/// Its `id` is its identity: the object itself by default. A ``DataDisplayManager`` cannot have two generators with
/// the same `id`.
///
/// It keeps no cell: after a change of its state, ``refresh()`` shows it again in the cell that shows it at that
/// moment. For a row without state or events of its own, ``CellGenerator`` needs no class. Not Sendable: use it on
/// the actor of its display manager.
public protocol TableCellGenerator: AnyObject, Identifiable {
  /// What the table shows of the generator. A ``ViewBuilding`` has a default, with a cell that it builds. To give the
  /// row a height, for example, return `TableRow(self, height: 44)`. Its identity is always the `id`.
  var row: TableRow { get }

  /// Called when the user selects the row. The default does nothing.
  func didSelect()

  /// Called when the user deselects the row. The default does nothing.
  func didDeselect()

  /// Called when the row appears on the screen, and when it is reloaded there. It may change the list. The default
  /// does nothing.
  func willDisplay()

  /// Called when the row is no longer on the screen, for example because it was removed. The default does nothing.
  func didEndDisplaying()

  /// Whether its row looks the same as that of another generator with the same `id`. If the content of a list is set
  /// again, a row that looks the same has no event. By default only the generator itself does.
  func looksLike(_ other: any TableCellGenerator) -> Bool

  /// The list that has the generator, which sets it. ``refresh()`` needs it. The default is always nil; to have it,
  /// declare `weak var displayManager: DataDisplayManager?`.
  var displayManager: DataDisplayManager? { get set }
}

extension TableCellGenerator {
  /// Shows the generator again after a change of its state, in its cell: its row is reported as updated.
  ///
  /// - Throws: `TableDataError` with code `.unknownGenerator` if it is in no list, or does not declare
  ///   ``displayManager``.
  @discardableResult
  public func refresh() throws -> TableChanges {
    guard let displayManager else { throw TableDataError.noDisplayManager(self) }
    return try displayManager.update(generators: [self])
  }
}

extension TableDataError {
  static func noDisplayManager(_ generator: AnyObject) -> TableDataError {
    TableDataError(
      .unknownGenerator, "\(type(of: generator)) does not know a list that has it",
      nextStep: "Add it to a DataDisplayManager, and declare in its class: "
        + "weak var displayManager: DataDisplayManager?")
  }
}

extension TableCellGenerator {
  /// A row without a cell, which a table cannot show.
  public var row: TableRow { TableRow(self as Any) }

  /// Does nothing.
  public func didSelect() {}

  /// Does nothing.
  public func didDeselect() {}

  /// Does nothing.
  public func willDisplay() {}

  /// Does nothing.
  public func didEndDisplaying() {}

  /// Whether it is the same object.
  public func looksLike(_ other: any TableCellGenerator) -> Bool { self === other }

  /// Nil: the generator does not know its list.
  public var displayManager: DataDisplayManager? {
    get { nil }
    set {}
  }

  var identity: AnyHashable { AnyHashable(id) }
}

extension TableCellGenerator where Self: ViewBuilding {
  /// A row with a cell of the class `View`.
  public var row: TableRow { TableRow(self) }
}

extension TableRow {
  /// The row of a generator, with the cell that the generator builds.
  ///
  /// - Parameter cell: another cell than one of the class itself, for example one from a nib.
  public init<Generator: TableCellGenerator & ViewBuilding>(
    _ generator: Generator, cell: TableCell? = nil, height: Double? = nil,
    estimatedHeight: Double? = nil, actions: RowActions = RowActions(), staysSelected: Bool = true,
    canDelete: Bool = false, canMove: Bool = false
  ) {
    self.init(
      generator, id: generator.identity, cell: cell ?? TableCell(builtBy: Generator.self),
      height: height, estimatedHeight: estimatedHeight, actions: actions,
      staysSelected: staysSelected, canDelete: canDelete, canMove: canMove, select: nil)
  }
}
