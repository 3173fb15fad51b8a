#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import TableData

/// Follows a provider through its changes and believes nothing.
///
/// It keeps a copy of what the provider had, and a strict table that shows it. Told of changes, it
/// checks that the provider still keeps its promises, and that the changes are legal, lead from the
/// copy to the new content in each of their forms, row by row and identity by identity, leave no
/// change untold, and are no more than it takes.
///
/// ```swift
/// let harness = try ProviderHarness(provider)
/// names.remove(at: 3)  // what the provider shows
/// try harness.follow(TableChanges(deletedRows: [IndexPath(row: 3, section: 0)]))
/// try harness.checkNothingChanged()
/// ```
///
/// Not Sendable: it belongs where its provider belongs.
public final class ProviderHarness<Provider: ViewModelDataProvider, ID: Hashable> {
  /// Who is followed.
  public let provider: Provider
  /// The table that shows the provider's rows. Scroll it and select in it as you like.
  public let table: TableView
  /// Whether changes must be as few as possible, and a reset is refused where a row stays. Off for a
  /// provider that may report a row whose item looks as before, or whose items get other properties.
  public var requiresMinimalChanges = true
  /// Whether a section that stays must keep its identity, and as many as can must stay. Off for one
  /// whose name is that of its first row, under a collation for which different names are equal.
  public var requiresSameSectionNames = true
  /// Whether *did* may bring no changes: for a view of another provider, which learns only then that
  /// what changed there does not concern it.
  public var allowsEmptyChanges = false
  /// Whether a row may be deleted and inserted in one batch: for one that is several batches put
  /// together, which know no identities.
  public var allowsReinsertedRows = false
  /// What the provider has told since ``observe()``, batch by batch.
  public internal(set) var batches: [TableChanges] = []
  /// What the provider has failed with since ``observe()``.
  public internal(set) var failures: [any Error] = []

  /// The observer, which the provider does not keep alive.
  var relay: ObservationRelay? {
    didSet { oldValue?.leave(provider) }
  }
  /// Whether *will* was told and not yet *did*.
  var isChanging = false
  /// The first thing that was wrong.
  var violation: (any Error)?

  private let sectionID: (Provider, Int) throws -> AnyHashable
  let id: (Provider.Item) throws -> ID
  let isUnchanged: (Provider.Item, Provider.Item) -> Bool
  /// What the provider had when it was looked at last.
  var content: Content
  private let source: HarnessDataSource<Provider, ID>

  /// What a provider has in one state.
  struct Content {
    var sections: [SectionInfo] = []
    var sectionIDs: [AnyHashable] = []
    var rows: [[Row]] = []

    var counts: [Int] { rows.map(\.count) }
  }

  /// A row in one state.
  struct Row {
    let id: ID
    let item: Provider.Item
  }

  /// Begins to follow a provider.
  ///
  /// - Parameters:
  ///   - provider: who is followed. It must have its content already.
  ///   - height: the number of rows in the table's window.
  ///   - sectionID: what a section is, wherever it goes; its name by default. Several may have one.
  ///   - id: what a row is, wherever it goes.
  ///   - isUnchanged: whether two items of one row look the same.
  /// - Throws: `ProviderViolation` where the provider breaks a promise; what it throws.
  public init(
    _ provider: Provider, height: Int = 10,
    sectionID: @escaping (Provider, Int) throws -> AnyHashable = { $0.sections[$1].name },
    id: @escaping (Provider.Item) throws -> ID,
    isUnchanged: @escaping (Provider.Item, Provider.Item) -> Bool
  ) throws {
    self.provider = provider
    self.sectionID = sectionID
    self.id = id
    self.isUnchanged = isUnchanged
    table = TableView(height: height)
    source = HarnessDataSource(provider, id: id)
    content = Content()
    table.register(HarnessCell<Provider.Item, ID>.self, forCellReuseIdentifier: "row")
    table.dataSource = source
    try provider.checkConformance(id: id)
    content = try read()
    try table.reloadData()
    try checkCells()
  }

  deinit { relay?.leave(provider) }

  /// Follows what happened. The provider has the new state already.
  ///
  /// - Throws: `TableUpdateError` where the changes are not legal; `ProviderViolation` for everything
  ///   else that is wrong; what the provider throws. The harness then still has the old state, unless
  ///   it is the table's cells that are wrong.
  public func follow(_ changes: TableChanges) throws {
    try provider.checkConformance(id: id)
    let old = content
    let new = try read()
    guard !changes.isEmpty else {
      throw ProviderViolation(.emptyChanges, "changes without an event were told")
    }
    try changes.validate(oldCounts: old.counts, newCounts: new.counts)
    try ProviderReplay(harness: self, old: old, new: new, changes: changes).check()
    try table.apply(changes)
    content = new
    try checkCells()
  }

  /// Checks that the provider still has what it had: for what must not be an event.
  ///
  /// - Throws: `ProviderViolation` of code `.silentChange`, or for a broken promise; what the provider
  ///   throws.
  public func checkNothingChanged() throws {
    try provider.checkConformance(id: id)
    let new = try read()
    guard new.sections == content.sections else {
      throw ProviderViolation(
        .silentChange,
        "the sections were \(content.sections) and are \(new.sections), and no change was told")
    }
    for (section, rows) in new.rows.enumerated() {
      for (row, pair) in zip(content.rows[section], rows).enumerated()
      where pair.0.id != pair.1.id || !isUnchanged(pair.0.item, pair.1.item) {
        throw ProviderViolation(
          .silentChange,
          "the row \(IndexPath(row: row, section: section)) was \(pair.0.item) and is "
            + "\(pair.1.item), and no change was told")
      }
    }
  }

  private func read() throws -> Content {
    let sections = provider.sections
    let rows = try sections.enumerated().map { section, info in
      try (0..<info.numberOfRows).map { row in
        let item = try provider.itemForRow(atIndexPath: IndexPath(row: row, section: section))
        return Row(id: try id(item), item: item)
      }
    }
    let sectionIDs = try sections.indices.map { try sectionID(provider, $0) }
    return Content(sections: sections, sectionIDs: sectionIDs, rows: rows)
  }

  /// Checks that the table shows what the provider has.
  private func checkCells() throws {
    guard table.numbersOfRows == content.counts else {
      throw ProviderViolation(
        .staleCell, "the table shows \(table.numbersOfRows) rows instead of \(content.counts)")
    }
    for place in table.indexPathsForVisibleRows {
      let row = content.rows[place.section][place.row]
      guard let cell = table.cellForRow(at: place) as? HarnessCell<Provider.Item, ID>,
        let shown = cell.shown, cell.indexPath == place, shown.id == row.id,
        isUnchanged(shown.item, row.item)
      else {
        throw ProviderViolation(
          .staleCell, "the cell of the row \(place) does not show what the row has: \(row.item)")
      }
    }
  }
}

extension ProviderHarness where Provider.Item: Identifiable & Equatable, ID == Provider.Item.ID {
  /// Begins to follow a provider whose items have an identity and can be compared.
  ///
  /// - Throws: as ``init(_:height:sectionID:id:isUnchanged:)``.
  public convenience init(
    _ provider: Provider, height: Int = 10,
    sectionID: @escaping (Provider, Int) throws -> AnyHashable = { $0.sections[$1].name }
  ) throws {
    try self.init(
      provider, height: height, sectionID: sectionID, id: { $0.id }, isUnchanged: { $0 == $1 })
  }
}
