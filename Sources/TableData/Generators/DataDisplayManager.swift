/// A list of generators. Each is a row that makes its own cell: in a form, or in the settings of an app.
///
/// ```swift
/// let form = DataDisplayManager()
/// try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Sound"))
/// try form.addCellGenerators([volume, balance])
/// try form.addCellGenerator(mute, after: volume)
/// ```
///
/// Each change except ``forceRefill()`` notifies the observer of one batch with the fewest changes, and returns it.
/// Generators are compared by their `id`. If a change throws, nothing has changed; the codes of `TableDataError` are
/// `.duplicateIdentity` for a generator that is already in this list or another one, `.unknownGenerator` for one that
/// is not in the list, and `.changeInProgress` in `contentWillChange`.
///
/// Rows that are added before the first header make a section without header, which exists as long as it has rows. A
/// section with a header may be empty.
///
/// Not Sendable: use it on the actor of its table.
public final class DataDisplayManager: ComposableTableViewDataSource {
  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?

  /// Called when the last row is displayed. It may change the list.
  public var onLastRow: (() throws -> Void)?

  let store: ContentStore<GeneratorSection>
  /// The generators whose rows are displayed.
  var displayed: [AnyHashable: any TableCellGenerator] = [:]
  /// The children of each unfolded generator, when it was unfolded.
  var shownChildren: [AnyHashable: [AnyHashable]] = [:]
  /// The children that were removed from the list while their generator was unfolded.
  var removedChildren: [AnyHashable: [any TableCellGenerator]] = [:]

  /// Makes an empty list.
  public init() {
    store = ContentStore(identity: \.identity) { old, new in old === new || old.looksLike(new) }
    store.sender = self
  }

  /// Makes a list of headers and rows, as ``setContent(_:)`` has them.
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

  /// The number of sections.
  public var numberOfSections: Int { store.sections.count }

  /// A section with the titles and the views of its header generator.
  public func section(_ section: Int) throws -> TableSection {
    try store.requireSection(section)
    let content = store.sections[section]
    var header = content.header?.heading ?? TableHeading()
    var footer = content.header?.footer?.heading ?? TableHeading()
    // The titles that were reported, not those that the generators would give now.
    header.title = content.info.name
    footer.title = content.info.footer
    return TableSection(
      numberOfRows: content.items.count, identity: content.identity, header: header,
      footer: footer, indexTitle: content.info.indexTitle)
  }

  /// The row of a generator.
  public func row(at indexPath: IndexPath) throws -> TableRow {
    let generator = try store.item(at: indexPath)
    let own = generator.row
    var row = own.adopted(as: generator.identity) { traits in
      traits.select = { [weak self] _ in
        generator.didSelect()
        try own.select()
        try self?.toggle(generator)
      }
      traits.deselect = { _ in
        generator.didDeselect()
        try own.deselect()
      }
      traits.willDisplay = { [weak self] _ in
        self?.displayed[generator.identity] = generator
        generator.willDisplay()
        try own.willDisplay()
      }
      traits.didEndDisplaying = { [weak self] id in
        // The generator may have been replaced by another one with the same identity.
        (self?.displayed.removeValue(forKey: id) ?? generator).didEndDisplaying()
      }
    }
    if let onLastRow, try isLastRow(at: indexPath) { row.addReaction(toDisplay: onLastRow) }
    return row
  }

  /// Folds or unfolds the children of a generator that was selected. It may have removed itself.
  private func toggle(_ generator: any TableCellGenerator) throws {
    guard let parent = generator as? any FoldableCellGenerator, !parent.children.isEmpty,
      store.indexPath(forIdentity: generator.identity) != nil
    else { return }
    try setFolded(!parent.isFolded, parent)
  }

  /// The index path of the generator with an `id`; nil if there is none. O(n).
  public func indexPath(forIdentity identity: AnyHashable) -> IndexPath? {
    store.indexPath(forIdentity: identity)
  }

  /// Where an edit would lead: its own index path if the generator allows it; an insert is allowed for a generator that
  /// is not in the list yet.
  public func destination(of edit: TableEdit) throws -> IndexPath? {
    switch edit {
    case .delete(let path): return try row(at: path).canDelete ? path : nil
    case .move(let path, to: let newPath): return try row(at: path).canMove ? newPath : nil
    case .insert(let viewModel, at: let path):
      guard let generator = viewModel as? any TableCellGenerator,
        store.indexPath(forIdentity: generator.identity) == nil
      else { return nil }
      return path
    }
  }

  /// Removes a generator, moves it with its unfolded children, or inserts one from another list.
  ///
  /// - Throws: `TableDataError` with code `.notEditable` if the generator does not allow it, and as other changes.
  public func perform(_ edit: TableEdit) throws {
    switch edit {
    case .delete(let path):
      try require(row(at: path).canDelete, "canDelete", for: edit)
      try remove(store.item(at: path))
    case .move(let path, to: let newPath):
      try require(row(at: path).canMove, "canMove", for: edit)
      try move(store.item(at: path), to: newPath)
    case .insert(let viewModel, at: let path):
      guard let generator = viewModel as? any TableCellGenerator else {
        throw TableDataError.notEditable(edit, nextStep: "Insert a TableCellGenerator")
      }
      try insertMoved(generator, at: path)
    }
  }

  private func require(_ isAllowed: Bool, _ property: String, for edit: TableEdit) throws {
    guard !isAllowed else { return }
    throw TableDataError.notEditable(
      edit, nextStep: "Set \(property) to true in the generator's row")
  }

  /// Checks the index of the generators. O(n).
  package func checkInvariants() throws {
    try store.checkInvariants()
    let identities = Set(cellGenerators.map(\.identity))
    try BrokenInvariant.check(
      identities.isSuperset(of: shownChildren.keys),
      "children are shown of a generator that was removed")
    for case let parent as any FoldableCellGenerator in cellGenerators {
      try BrokenInvariant.check(
        parent.isFolded == (shownChildren[parent.identity] == nil),
        "\(parent.identity) is \(parent.isFolded ? "" : "un")folded, but its children are not")
    }
  }
}
