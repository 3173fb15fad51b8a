/// A cell generator that shows a view model in a cell, without a class of its own.
///
/// ```swift
/// let volume = CellGenerator(SliderCell.self, Slider("Volume", value: 5))
/// let mute = CellGenerator(SwitchCell.self, Switch("Mute")) { mute in
///   mute.viewModel.isOn.toggle()
///   report { try mute.refresh() }
/// }
/// let advanced = CellGenerator(TitleCell.self, "Advanced", isFolded: true) {
///   CellGenerator(SwitchCell.self, Switch("Mono"))
///   CellGenerator(SwitchCell.self, Switch("Loudness"))
/// }
/// ```
///
/// The `id` is the view model's, together with its type, if it is `Identifiable`, else the generator itself. If the
/// content of a list is set again, one with the same `id`, an equal view model, the same height and the same folding is
/// unchanged. Not Sendable: use it on the actor of its display manager.
public final class CellGenerator<Cell: AnyObject & Configurable>: FoldableCellGenerator,
  ViewBuilding
{
  /// The identity of the row.
  public let id: AnyHashable
  /// What the cell shows. Call ``TableCellGenerator/refresh()`` after a change.
  public var viewModel: Cell.ViewModel
  /// What the user can do with the row.
  public var actions = RowActions()
  /// The height of the row in points; nil if its cell determines it.
  public var height: Double?
  /// The height of the row to assume until its cell is made; nil for the one of the table.
  public var estimatedHeight: Double?
  /// Whether the user may delete the row.
  public var canDelete = false
  /// Whether the user may move the row.
  public var canMove = false
  /// Whether the row stays selected; false for a button.
  public var staysSelected = true
  /// The rows below this one while it is unfolded.
  public var children: [any TableCellGenerator] = []
  /// Whether the children are hidden. ``DataDisplayManager/setFolded(_:_:)`` sets it.
  public var isFolded = false
  /// Called when the user selects the row.
  public var onSelect: (CellGenerator) -> Void
  /// The list that has the generator.
  public weak var displayManager: DataDisplayManager?

  /// Makes a row. Its `id` is by default that of the view model, or the generator itself.
  public init(
    _ cell: Cell.Type, _ viewModel: Cell.ViewModel, id: AnyHashable? = nil,
    onSelect: @escaping (CellGenerator) -> Void = { _ in }
  ) {
    self.id = id ?? Self.identity(of: viewModel)
    self.viewModel = viewModel
    self.onSelect = onSelect
  }

  /// Makes a row with children. Selecting it folds and unfolds them.
  public convenience init(
    _ cell: Cell.Type, _ viewModel: Cell.ViewModel, id: AnyHashable? = nil, isFolded: Bool,
    @GeneratorBuilder<any TableCellGenerator> children: () -> [any TableCellGenerator]
  ) {
    self.init(cell, viewModel, id: id)
    self.isFolded = isFolded
    self.children = children()
  }

  private static func identity(of viewModel: Cell.ViewModel) -> AnyHashable {
    if let identifiable = viewModel as? any Identifiable { return ItemIdentity.typed(identifiable) }
    return AnyHashable(OwnIdentity())
  }

  /// The identity of a row whose view model has none.
  private final class OwnIdentity: Hashable {
    static func == (first: OwnIdentity, second: OwnIdentity) -> Bool { first === second }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// Shows the view model in a cell.
  public func build(view: Cell) { view.configure(with: viewModel) }

  /// Calls ``onSelect``.
  public func didSelect() { onSelect(self) }

  /// What the table shows of the row.
  public var row: TableRow {
    TableRow(
      self, height: height, estimatedHeight: estimatedHeight, actions: actions,
      staysSelected: staysSelected, canDelete: canDelete, canMove: canMove)
  }

  /// Whether the view models are equal, and the heights and the folded states are the same.
  public func looksLike(_ other: any TableCellGenerator) -> Bool {
    guard let other = other as? CellGenerator else { return false }
    return height == other.height && isFolded == other.isFolded
      && areSame(viewModel, other.viewModel)
  }
}

/// A cell generator with children: rows below its own, which can be hidden.
///
/// A ``DataDisplayManager`` folds or unfolds it when the user selects it. Children may have children.
public protocol FoldableCellGenerator: TableCellGenerator {
  /// The rows below this one, read when it is added or unfolded.
  var children: [any TableCellGenerator] { get }
  /// Whether the children are hidden. ``DataDisplayManager/setFolded(_:_:)`` sets it; setting it alone does not
  /// change the list.
  var isFolded: Bool { get set }
}

/// Collects generators, as in ``DataDisplayManager/setContent(_:)``.
@resultBuilder
public enum GeneratorBuilder<Element> {
  /// A single one.
  public static func buildExpression(_ element: Element) -> [Element] { [element] }
  /// Several at once.
  public static func buildExpression(_ elements: [Element]) -> [Element] { elements }
  /// Those of all statements.
  public static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap(\.self) }
  /// Those of an `if`.
  public static func buildOptional(_ elements: [Element]?) -> [Element] { elements ?? [] }
  /// Those of the first branch.
  public static func buildEither(first elements: [Element]) -> [Element] { elements }
  /// Those of another branch.
  public static func buildEither(second elements: [Element]) -> [Element] { elements }
  /// Those of a loop.
  public static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap(\.self) }
}

/// A header or a row of a form.
public enum GeneratorListItem {
  /// The header of the rows after it.
  case header(any TableHeaderGenerator)
  /// A row.
  case cell(any TableCellGenerator)
}

extension GeneratorBuilder where Element == GeneratorListItem {
  /// A row.
  public static func buildExpression(_ generator: any TableCellGenerator) -> [Element] {
    [.cell(generator)]
  }
  /// Several rows.
  public static func buildExpression(_ generators: [any TableCellGenerator]) -> [Element] {
    generators.map { .cell($0) }
  }
  /// The header of the rows after it.
  public static func buildExpression(_ header: any TableHeaderGenerator) -> [Element] {
    [.header(header)]
  }
}
