/// What a table shows of one row, and what the user can do with it.
///
/// A data source makes it when a table asks for the row, and a composed list hands it on.
///
/// ```swift
/// func row(at indexPath: IndexPath) -> TableRow {
///   TableRow(names[indexPath.row], cell: TableCell(NameCell.self), height: 44)
/// }
/// ```
///
/// It describes the row until the content changes. What is expensive to know, such as the cell or whether the row can
/// be deleted, is found when it is read. Not Sendable: use it on the actor of its table.
public struct TableRow {
  /// What the cell shows.
  public let viewModel: Any
  /// The height in points; nil if the cell determines it.
  public var height: Double?
  /// The height in points to assume until the cell is made; nil for the one of the table. Tables of UIKit and AppKit
  /// read it. A list of a collection view has no such height, and the headless table measures in rows.
  public var estimatedHeight: Double?
  /// Whether the row stays selected when the user has selected it; false for a button.
  public var staysSelected = true

  /// The index path in the data source that has made the row.
  let indexPath: IndexPath
  private var traits: RowTraits
  /// The composed lists' components that have the row, from the innermost to the outermost.
  private var components = Components.none
  /// What few rows have. It is apart because a row is copied often.
  private var extra: Extra?

  private enum Components {
    case none
    case one(ObjectIdentifier)
    case several([ObjectIdentifier])
  }

  private final class Extra {
    let identity: AnyHashable?
    let isIdentified: Bool
    /// Called after the row was notified that it is displayed, if it is the last one of a list.
    let afterDisplay: (() throws -> Void)?

    init(identity: AnyHashable?, isIdentified: Bool, afterDisplay: (() throws -> Void)?) {
      self.identity = identity
      self.isIdentified = isIdentified
      self.afterDisplay = afterDisplay
    }
  }

  init(_ viewModel: Any, at indexPath: IndexPath, traits: RowTraits) {
    self.viewModel = viewModel
    self.indexPath = indexPath
    self.traits = traits
  }

  /// Makes a row.
  ///
  /// - Parameters:
  ///   - id: the identity of the row, which does not depend on its position. The selection, for example, needs it.
  ///   - select: called when the user selects the row. If it is nil, `actions.select` is performed.
  ///   - didEndDisplaying: called when the row is no longer on the screen, for example because it was deleted, if it
  ///     has an identity.
  public init(
    _ viewModel: Any, id: AnyHashable? = nil, cell: TableCell? = nil, height: Double? = nil,
    estimatedHeight: Double? = nil, actions: RowActions = RowActions(), staysSelected: Bool = true,
    canDelete: Bool = false, canMove: Bool = false, select: (() throws -> Void)? = nil,
    deselect: (() throws -> Void)? = nil, willDisplay: (() throws -> Void)? = nil,
    didEndDisplaying: (() -> Void)? = nil
  ) {
    let traits = RowTraits { row in
      guard let cell else { throw TableDataError.missingCell(of: row.viewModel) }
      return cell
    }
    traits.identity = { _ in id }
    traits.actions = { _ in actions }
    traits.canDelete = { _ in canDelete }
    traits.canMove = { _ in canMove }
    traits.select = select.map { select in { _ in try select() } }
    traits.deselect = deselect.map { deselect in { _ in try deselect() } }
    traits.willDisplay = willDisplay.map { willDisplay in { _ in try willDisplay() } }
    traits.didEndDisplaying = didEndDisplaying.map { didEnd in { _ in didEnd() } }
    self.init(viewModel, at: IndexPath(), traits: traits)
    self.height = height
    self.estimatedHeight = estimatedHeight
    self.staysSelected = staysSelected
  }

  /// The cell that shows the view model; an error with code `.unregisteredViewModel` or `.missingCell` if there is
  /// none, and with code `.duplicateRegistration` if several fit.
  public var cell: TableCell {
    get throws { try traits.cell(self) }
  }

  /// The identity of the row in the list that was asked for it; nil for none.
  public var identity: AnyHashable? {
    get throws {
      guard let id = try itemIdentity else { return nil }
      switch components {
      case .none: return id
      case .one(let component): return ComponentIdentity.of(id, in: component)
      case .several(let all): return all.reduce(id) { ComponentIdentity.of($0, in: $1) }
      }
    }
  }

  /// The identity of the row's item, which is the same in every list. A ``Selection`` keeps it. Nil for none.
  public var itemIdentity: AnyHashable? {
    get throws {
      if let extra, extra.isIdentified { return extra.identity }
      return try traits.identity(self)
    }
  }

  /// What the user can do with the row.
  public var actions: RowActions {
    get throws { try traits.actions(self) }
  }

  /// Whether the user may delete the row.
  public var canDelete: Bool {
    get throws { try traits.canDelete(self) }
  }

  /// Whether the user may move the row.
  public var canMove: Bool {
    get throws { try traits.canMove(self) }
  }

  /// The row with its identity, which it keeps when the content changes. Use it for a row that is kept while it is
  /// displayed.
  public func identified() throws -> TableRow {
    var row = self
    row.extra = Extra(
      identity: try itemIdentity, isIdentified: true, afterDisplay: extra?.afterDisplay)
    return row
  }

  /// Notifies the row that the user selected it.
  public func select() throws {
    if let select = traits.select { return try select(self) }
    try actions.select?.perform()
  }

  /// Notifies the row that the user deselected it.
  public func deselect() throws { try traits.deselect?(self) }

  /// Notifies the row that it appears on the screen, and then each list whose last row it is. The content may change.
  public func willDisplay() throws {
    try traits.willDisplay?(self)
    try extra?.afterDisplay?()
  }

  /// Notifies the row that it is no longer on the screen. Call it on the row that was ``identified()`` when it was
  /// displayed: it may have been deleted since. A row without an identity is not notified.
  public func didEndDisplaying() { if let id = extra?.identity { traits.didEndDisplaying?(id) } }

  /// The row as the one of a list that gives it its identity, and that `change` lets react in its place.
  func adopted(as identity: AnyHashable, _ change: (RowTraits) -> Void) -> TableRow {
    var row = self
    row.traits = RowTraits(traits)
    change(row.traits)
    row.extra = Extra(
      identity: identity, isIdentified: true, afterDisplay: extra?.afterDisplay)
    return row
  }

  /// Adds the component of a composed list that has the row.
  mutating func add(_ component: ObjectIdentifier) {
    switch components {
    case .none: components = .one(component)
    case .one(let inner): components = .several([inner, component])
    case .several(let inner): components = .several(inner + [component])
    }
  }

  /// Adds what a list does when its last row is displayed, after the lists inside it.
  mutating func addReaction(toDisplay reaction: @escaping () throws -> Void) {
    let before = extra?.afterDisplay
    extra = Extra(
      identity: extra?.identity, isIdentified: extra?.isIdentified ?? false,
      afterDisplay: {
        try before?()
        try reaction()
      })
  }
}

/// How the rows of a list find what is not read with them, and how they react. A list makes it once, so that a row
/// costs no more than its item.
final class RowTraits {
  let cell: (TableRow) throws -> TableCell
  var identity: (TableRow) throws -> AnyHashable? = { _ in nil }
  var actions: (TableRow) throws -> RowActions = { _ in RowActions() }
  var canDelete: (TableRow) throws -> Bool = { _ in false }
  var canMove: (TableRow) throws -> Bool = { _ in false }

  var select: ((TableRow) throws -> Void)?
  var deselect: ((TableRow) throws -> Void)?
  var willDisplay: ((TableRow) throws -> Void)?
  /// Gets the identity of the row, which may have been deleted.
  var didEndDisplaying: ((AnyHashable) -> Void)?

  init(cell: @escaping (TableRow) throws -> TableCell) { self.cell = cell }

  /// Those of a row that has other events.
  init(_ other: RowTraits) {
    cell = other.cell
    identity = other.identity
    actions = other.actions
    canDelete = other.canDelete
    canMove = other.canMove
  }
}

/// The identity of a row or a section in a composed list: two components may each have one with the same identity.
struct ComponentIdentity: Hashable {
  let component: ObjectIdentifier
  /// The identity in the component.
  let id: AnyHashable

  static func of(_ id: AnyHashable, in component: ObjectIdentifier) -> AnyHashable {
    AnyHashable(ComponentIdentity(component: component, id: id))
  }
}
