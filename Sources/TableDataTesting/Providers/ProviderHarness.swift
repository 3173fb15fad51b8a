public import TableData

/// Checks the changes of a provider against its content.
///
/// The harness keeps a copy of the provider's content, and a strict table that shows it. For each
/// batch of changes it checks that
///
/// - the provider conforms to its protocol,
/// - the changes are legal,
/// - each of their forms leads from the copy to the new content, row by row and identity by
///   identity,
/// - every difference is reported,
/// - there are no more events than necessary.
///
/// After ``observe()``, the table also sends display events to the provider, unless there is another
/// observer, which may be a screen. The provider may change its content in them, and must report that.
///
/// ```swift
/// let harness = try ProviderHarness(provider)
/// names.remove(at: 3)  // what the provider shows
/// try harness.follow(TableChanges(deletedRows: [IndexPath(row: 3, section: 0)]))
/// try harness.checkNothingChanged()
/// ```
///
/// Not Sendable: use it where its provider is used.
public final class ProviderHarness<Provider: ViewModelDataProvider, ID: Hashable> {
  /// The provider that is checked.
  public let provider: Provider
  /// The table that shows the provider's rows. Tests may scroll it and select in it.
  public let table: TableView
  /// Whether changes must be as few as possible, and a reset is rejected if a row stays. Set it to false for a provider
  /// that may report rows that look the same, or whose items change while no row does.
  public var requiresMinimalChanges = true
  /// Whether a section that stays must keep its identity, and as many sections as possible must
  /// stay. Set it to false for a provider whose sections have no identity but names that change.
  public var requiresSameSectionNames = true
  /// Whether `contentDidChange` may have no changes: for a list that is based on others, such as a filter or a list that is
  /// composed of one, which finds out only then that their changes do not concern it. True by default for a provider
  /// that observes others (`TableChangesObserver`).
  public var allowsEmptyChanges: Bool
  /// Whether a row may be deleted and inserted in one batch: for a provider that joins several
  /// batches without knowing identities.
  public var allowsReinsertedRows = false
  /// The batches that the provider has reported since ``observe()``.
  public internal(set) var batches: [TableChanges] = []
  /// The errors that the provider has reported since ``observe()``.
  public internal(set) var failures: [any Error] = []

  /// The provider's observer, to which the provider has a weak reference.
  var relay: ObservationRelay? {
    didSet { oldValue?.leave(provider) }
  }
  /// Whether the provider is between `contentWillChange` and `contentDidChange`.
  var isChanging = false
  var violation: (any Error)?

  private let sectionID: (Provider, Int) throws -> AnyHashable
  let id: (Provider.Item) throws -> ID
  let isUnchanged: (Provider.Item, Provider.Item) -> Bool
  /// The provider's content when it was last read.
  var content: Content
  let source: HarnessDataSource<Provider, ID>
  /// The number of batches since the table last showed the provider's content.
  var batchesWhileDisplaying = 0

  /// The content of a provider in one state.
  struct Content {
    var sections: [SectionInfo] = []
    var sectionIDs: [AnyHashable] = []
    var rows: [[Row]] = []

    var counts: [Int] { rows.map(\.count) }
  }

  struct Row {
    let id: ID
    let item: Provider.Item
  }

  /// Makes a harness for a provider.
  ///
  /// - Parameters:
  ///   - provider: the provider to check. It must have its content already.
  ///   - height: the number of rows in the table's window.
  ///   - sectionID: the identity of a section, which does not depend on its position; by default what
  ///     the provider gives. Several sections may have the same.
  ///   - id: the identity of a row, which does not depend on its position.
  ///   - isUnchanged: whether two items of one row look the same.
  /// - Throws: `ProviderViolation` if the provider does not conform to its protocol; what the
  ///   provider throws.
  public init(
    _ provider: Provider, height: Int = 10,
    sectionID: ((Provider, Int) throws -> AnyHashable)? = nil,
    id: @escaping (Provider.Item) throws -> ID,
    isUnchanged: @escaping (Provider.Item, Provider.Item) -> Bool
  ) throws {
    self.provider = provider
    self.sectionID = sectionID ?? { AnyHashable(try $0.identityForSection($1)) }
    self.id = id
    self.isUnchanged = isUnchanged
    allowsEmptyChanges = provider is any TableChangesObserver
    table = TableView(height: height)
    source = HarnessDataSource(provider, id: id)
    content = Content()
    table.dataSource = source
    try provider.checkConformance(id: id)
    content = try read()
    try table.reloadData()
    try checkCells()
  }

  deinit {
    relay?.leave(provider)
    // The rows are no longer displayed.
    if source.didNotify != nil { source.didNotify = { _, _ in } }
    table.dataSource = nil
  }

  /// Checks changes that the provider has already made.
  ///
  /// - Throws: `TableUpdateError` if the changes are not legal; `ProviderViolation` for everything
  ///   else that is wrong; what the provider throws. The harness then still has the old state,
  ///   unless the table's cells are wrong or a display event has failed.
  public func follow(_ changes: TableChanges) throws {
    try provider.checkConformance(id: id)
    let old = content
    let new = try read()
    guard !changes.isEmpty else {
      throw ProviderViolation(.emptyChanges, "changes without an event were reported")
    }
    try changes.validate(oldCounts: old.counts, newCounts: new.counts)
    try ProviderReplay(harness: self, old: old, new: new, changes: changes).check()
    // The provider may change while its rows are displayed.
    content = new
    try table.apply(changes)
    try table.whenIdle { [weak self] in
      self?.batchesWhileDisplaying = 0
      try self?.checkCells()
    }
  }

  /// Checks that the provider's content is unchanged: for operations that must not cause an event.
  ///
  /// - Throws: `ProviderViolation` with code `.silentChange`, or if the provider does not conform to
  ///   its protocol; what the provider throws.
  public func checkNothingChanged() throws {
    try provider.checkConformance(id: id)
    let new = try read()
    guard new.sections == content.sections else {
      throw ProviderViolation(
        .silentChange,
        "the sections were \(content.sections) and are \(new.sections), and no change was reported")
    }
    for (section, rows) in new.rows.enumerated() {
      for (row, pair) in zip(content.rows[section], rows).enumerated()
      where pair.0.id != pair.1.id || !isUnchanged(pair.0.item, pair.1.item) {
        throw ProviderViolation(
          .silentChange,
          "the row \(IndexPath(row: row, section: section).brief) was \(pair.0.item) and is "
            + "\(pair.1.item), and no change was reported")
      }
    }
  }

  private func read() throws -> Content {
    let sections = provider.sections
    let rows = try sections.enumerated().map { section, info in
      try (0..<info.numberOfRows).map { row in
        let item = try provider.item(at: IndexPath(row: row, section: section))
        return Row(id: try id(item), item: item)
      }
    }
    let sectionIDs = try sections.indices.map { try sectionID(provider, $0) }
    return Content(sections: sections, sectionIDs: sectionIDs, rows: rows)
  }

  /// Checks that the table shows the provider's content.
  private func checkCells() throws {
    guard table.numbersOfRows == content.counts else {
      throw ProviderViolation(
        .staleCell, "the table shows \(table.numbersOfRows) rows instead of \(content.counts)")
    }
    for (number, info) in content.sections.enumerated() {
      let (header, footer) = (
        try table.titleForHeader(inSection: number), try table.titleForFooter(inSection: number)
      )
      guard header == info.name, footer == info.footer else {
        throw ProviderViolation(
          .staleHeader,
          "the table shows the titles \(quoted(header)) and \(quoted(footer)) of section \(number), "
            + "which has \(quoted(info.name)) and \(quoted(info.footer))")
      }
    }
    for place in table.indexPathsForVisibleRows {
      let row = content.rows[place.section][place.row]
      guard let cell = table.cellForRow(at: place) as? HarnessCell<Provider.Item, ID>,
        let shown = cell.shown, cell.indexPath == place, shown.id == row.id,
        isUnchanged(shown.item, row.item)
      else {
        throw ProviderViolation(
          .staleCell,
          "the cell of the row \(place.brief) does not show what the row has: \(row.item)")
      }
    }
  }
}

extension ProviderHarness where Provider.Item: Identifiable & Equatable, ID == Provider.Item.ID {
  /// Makes a harness for a provider whose items have an identity and can be compared.
  ///
  /// - Throws: the same as ``init(_:height:sectionID:id:isUnchanged:)``.
  public convenience init(
    _ provider: Provider, height: Int = 10,
    sectionID: ((Provider, Int) throws -> AnyHashable)? = nil
  ) throws {
    try self.init(
      provider, height: height, sectionID: sectionID, id: { $0.id }, isUnchanged: { $0 == $1 })
  }
}
