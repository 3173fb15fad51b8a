import CountedTrees

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A list of generators, each of which is a row that makes its own cell: a form, or the settings of an
/// app.
///
/// ```swift
/// let form = DataDisplayManager()
/// try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Sound"))
/// try form.addCellGenerators([volume, balance])
/// try form.addCellGenerator(mute, after: volume)
/// table.dataSource = form
/// ```
///
/// The observer is notified of each change as one batch, never as a reload. The `id` is the identity of
/// a generator. Adding the same generator twice throws, and so does an anchor that is not in the list.
///
/// It can be a component of a ``ComposedTableViewDataSource``.
///
/// Rows that are added before the first header make a section without header, which exists as long as
/// it has rows. A section with a header may be empty.
///
/// The name is one that this project was given. It is a list that makes its cells, not a manager of
/// displays.
///
/// Not Sendable: use it on the actor of its table.
public final class DataDisplayManager: ComposableTableViewDataSource {
  /// The last cell of a generator. It may show another row now.
  struct LastCell {
    weak var cell: TableViewCell?
  }

  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?

  /// Called when the last row is displayed. It may change the list.
  public var onLastRow: () throws -> Void = {}

  let store: ContentStore<GeneratorSection>
  var lastCells: [AnyHashable: LastCell] = [:]
  /// The generators whose rows are displayed.
  var displayed: [AnyHashable: any TableCellGenerator] = [:]
  /// The children of each unfolded generator, when it was unfolded.
  var shownChildren: [AnyHashable: [AnyHashable]] = [:]

  /// Makes an empty list.
  public init() {
    store = ContentStore(identity: \.identity) { old, new in
      old === new || (old as? any ComparableGenerator)?.looksLike(new) == true
    }
  }

  /// Makes a list of headers and rows.
  ///
  /// ```swift
  /// let form = try DataDisplayManager {
  ///   TitleHeaderGenerator(title: "Sound")
  ///   CellGenerator(SliderCell.self, volume)
  /// }
  /// ```
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  public convenience init(
    @GeneratorBuilder<GeneratorListItem> _ content: () throws -> [GeneratorListItem]
  ) throws {
    self.init()
    try setContent(content)
  }

  /// The cell generators, in order.
  public var cellGenerators: [any TableCellGenerator] { store.sections.flatMap(\.items) }

  /// The header of each section; nil for rows before the first header.
  public var headerGenerators: [(any TableHeaderGenerator)?] { store.sections.map(\.header) }

  /// The index path of a generator; nil if it is not in the list. O(n).
  public func indexPath(of generator: some TableCellGenerator) -> IndexPath? {
    store.indexPath(forIdentity: generator.identity)
  }

  // MARK: Rows

  /// The number of sections.
  public var numberOfSections: Int { store.sections.count }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try store.requireSection(section)
    return store.sections[section].items.count
  }

  /// The generator of a row.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func viewModelForRow(at indexPath: IndexPath) throws -> Any {
    try store.item(at: indexPath)
  }

  /// The `id` of a row's generator.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try store.item(at: indexPath).identity
  }

  /// The index path of the generator with an `id`; nil if there is none. O(n).
  public func indexPath(forIdentity identity: AnyHashable) -> IndexPath? {
    store.indexPath(forIdentity: identity)
  }

  /// The cell that the row's generator makes.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the generator.
  public func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell {
    let generator = try store.item(at: indexPath)
    let cell = try generator.generate(tableView: tableView, for: indexPath)
    cell.shownObject = generator
    lastCells[generator.identity] = LastCell(cell: cell)
    return cell
  }

  /// Notifies the row's generator that the user selected it, performs its action for that, and folds or
  /// unfolds its children.
  ///
  /// - Throws: `TableDataError` if the row does not exist, and as ``setFolded(_:_:)``; any error of the action.
  public func didSelectRow(at indexPath: IndexPath) throws {
    let generator = try store.item(at: indexPath)
    generator.didSelect()
    try generator.actions.select?.perform()
    // It may have removed itself.
    guard let parent = generator as? any FoldableCellGenerator, !parent.children.isEmpty,
      store.indexPath(forIdentity: generator.identity) != nil
    else { return }
    try setFolded(!parent.isFolded, parent)
  }

  /// Notifies the row's generator that the user deselected it.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func didDeselectRow(at indexPath: IndexPath) throws {
    try store.item(at: indexPath).didDeselect()
  }

  /// Whether the row stays selected, as its generator says.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func staysSelected(at indexPath: IndexPath) throws -> Bool {
    try store.item(at: indexPath).staysSelected
  }

  // MARK: Headers, footers, index

  /// The title of a section's header, as its generator gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForHeader(inSection section: Int) throws -> String? {
    try store.requireSection(section)
    return store.sections[section].info.name
  }

  /// The title of a section's footer, as its generator gives it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForFooter(inSection section: Int) throws -> String? {
    try store.requireSection(section)
    return store.sections[section].info.footer
  }

  /// The `id` of a section's header; nil for rows before the first header.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try store.requireSection(section)
    return store.sections[section].identity
  }

  /// A view of a section's header, as its generator makes it; nil for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func tableView(
    _ tableView: TableView, viewForHeaderInSection section: Int
  ) throws -> TableViewCell? {
    try store.requireSection(section)
    return store.sections[section].header?.makeView()
  }

  /// A view of a section's footer, as its generator makes it; nil for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func tableView(
    _ tableView: TableView, viewForFooterInSection section: Int
  ) throws -> TableViewCell? {
    try store.requireSection(section)
    return store.sections[section].header?.footer?.makeView()
  }

  /// The header generator of a section; nil for rows before the first header.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func viewModelForHeader(inSection section: Int) throws -> Any? {
    try store.requireSection(section)
    return store.sections[section].header
  }

  /// The footer generator of a section; nil for none.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func viewModelForFooter(inSection section: Int) throws -> Any? {
    try store.requireSection(section)
    return store.sections[section].header?.footer
  }

  /// The index titles of the headers, without repetition.
  public func sectionIndexTitles() -> [String] { index.titles }

  /// The first section with an index title.
  ///
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try index.section(forTitle: title, at: position)
  }

  /// Checks the index of the generators. O(n).
  ///
  /// - Throws: ``BrokenInvariant``.
  package func checkInvariants() throws {
    try store.checkInvariants()
    let identities = Set(cellGenerators.map(\.identity))
    try BrokenInvariant.check(
      identities.isSuperset(of: lastCells.keys), "a cell is kept for a generator that was removed")
    try BrokenInvariant.check(
      identities.isSuperset(of: shownChildren.keys),
      "children are shown of a generator that was removed")
    for case let parent as any FoldableCellGenerator in cellGenerators {
      try BrokenInvariant.check(
        parent.isFolded == (shownChildren[parent.identity] == nil),
        "\(parent.identity) is \(parent.isFolded ? "" : "un")folded, but its children are not")
    }
  }

  private var index: SectionIndex { SectionIndex(sections: store.sections.lazy.map(\.info)) }
}
