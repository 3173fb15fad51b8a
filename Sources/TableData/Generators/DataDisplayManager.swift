#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A list of rows that each know all about themselves: a form, or the settings of an app.
///
/// ```swift
/// let form = DataDisplayManager()
/// try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Sound"))
/// try form.addCellGenerators([volume, balance])
/// try form.addCellGenerator(mute, after: volume)
/// table.dataSource = form
/// ```
///
/// Each change is told to the observer as what it is: one batch, never a reload. A generator is told
/// apart by its `id`: the same one twice is refused, and so is an anchor that is not in the list.
///
/// It is a component like any other: several make one list in a ``ComposedTableViewDataSource``.
///
/// Rows that are added before any header make a section without one, which is there as long as it has
/// rows. A section with a header stays when it has none.
///
/// Not Sendable: it belongs where its table belongs.
public final class DataDisplayManager: ComposableTableViewDataSource {
  /// The cell that showed a generator last; it may show another row by now.
  struct LastCell {
    weak var cell: TableViewCell?
  }

  /// Told what changes. It is not kept alive.
  public weak var observer: (any TableChangesObserver)?

  let store: ContentStore<GeneratorSection>
  var lastCells: [AnyHashable: LastCell] = [:]

  /// Makes an empty list.
  public init() {
    store = ContentStore(traits: ItemTraits { $0.identity })
  }

  /// The cell generators, in order.
  public var cellGenerators: [any TableCellGenerator] { store.sections.flatMap(\.items) }

  /// The header of each section; nil for rows that come before any header.
  public var headerGenerators: [(any TableHeaderGenerator)?] { store.sections.map(\.header) }

  /// Where a generator is; nil when it is not in the list. O(n).
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
  /// - Throws: `TableDataError` where there is no such row.
  public func viewModelForRow(at indexPath: IndexPath) throws -> Any {
    try store.item(at: indexPath)
  }

  /// The `id` of a row's generator.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try store.item(at: indexPath).identity
  }

  /// Where the generator of an `id` is; nil when it is nowhere. O(n).
  public func indexPath(forIdentity identity: AnyHashable) -> IndexPath? {
    store.indexPath(forIdentity: identity)
  }

  /// The cell that the row's generator builds.
  ///
  /// - Throws: `TableDataError` where there is no such row; what the generator throws.
  public func tableView(
    _ tableView: TableView, cellForRowAt indexPath: IndexPath
  ) throws -> TableViewCell {
    let generator = try store.item(at: indexPath)
    let cell = try generator.generate(tableView: tableView, for: indexPath)
    cell.shownObject = generator
    lastCells[generator.identity] = LastCell(cell: cell)
    return cell
  }

  /// Tells the row's generator that it is selected.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func didSelectRow(at indexPath: IndexPath) throws {
    try store.item(at: indexPath).didSelect()
  }

  // MARK: Headers, footers, index

  /// The title of a section's header, as its generator has it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForHeader(inSection section: Int) throws -> String? {
    try store.requireSection(section)
    return store.sections[section].header?.title
  }

  /// The title of a section's footer, as its generator has it.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func titleForFooter(inSection section: Int) throws -> String? {
    try store.requireSection(section)
    return store.sections[section].header?.footerTitle
  }

  /// The headers' titles in the index, without repetition.
  public func sectionIndexTitles() -> [String] { index.titles }

  /// The first section of a title in the index.
  ///
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try index.section(forTitle: title, at: position)
  }

  private var index: SectionIndex { SectionIndex(sections: store.sections.lazy.map(\.info)) }
}
