import TableData

/// Checks the changes between two states of a provider against both states.
struct ProviderReplay<Provider: ViewModelDataProvider, ID: Hashable> {
  typealias Harness = ProviderHarness<Provider, ID>

  let harness: Harness
  let old: Harness.Content
  /// The new content. A row that has gone from one component of a composed list to another has its old
  /// identity here.
  let new: Harness.Content
  let changes: TableChanges

  init(harness: Harness, old: Harness.Content, new: Harness.Content, changes: TableChanges) {
    self.harness = harness
    self.old = old
    self.new = new.withCarriedIdentities(from: old)
    self.changes = changes
  }

  func check() throws {
    if changes.reset != nil {
      if harness.requiresMinimalChanges { try checkReset() }
      return
    }
    try checkIdentities()
    if !harness.allowsReinsertedRows { try checkEventsOfOneRow() }
    try checkForms()
    try checkKeptContent()
    if harness.requiresSameSectionNames { try checkSections() }
    if harness.requiresMinimalChanges { try checkMinimality() }
  }

  // MARK: Identity

  private func checkIdentities() throws {
    for (event, from, to) in changes.movedRows.map({ ("move", $0.from, $0.to) })
      + changes.updatedRows.map({ ("update", $0.old, $0.new) })
    {
      let ids = (oldRow(from).id, newRow(to).id)
      // A row that moves to another component of a composed list keeps the identity of its item.
      let keepsItem =
        event == "move"
        && ComposedTableViewDataSource.itemIdentity(of: AnyHashable(ids.0))
          == ComposedTableViewDataSource.itemIdentity(of: AnyHashable(ids.1))
      guard ids.0 == ids.1 || keepsItem else {
        throw ProviderViolation(
          .wrongIdentity,
          "the \(event) from \(from.brief) to \(to.brief) makes \(ids.1) of \(ids.0)")
      }
    }
  }

  /// An identity has at most one event. The exception is a row that leaves a deleted section or
  /// enters an inserted one, which no move can express.
  private func checkEventsOfOneRow() throws {
    var deletes: [ID: IndexPath] = [:]
    for place in changes.deletedRows { deletes[oldRow(place).id] = place }
    let deletedSections = Set(changes.deletedSections)
    let insertedSections = Set(changes.insertedSections)
    for place in changes.insertedRows {
      let id = newRow(place).id
      guard let from = deletes[id], !deletedSections.contains(from.section),
        !insertedSections.contains(place.section)
      else { continue }
      throw ProviderViolation(
        .severalEvents,
        "the row \(id) is deleted at \(from.brief) and inserted at \(place.brief) instead of moved")
    }
  }

  // MARK: Old content + changes = new content

  private func checkForms() throws {
    let rows = old.rows
    let newSection: (Int) -> [Harness.Row] = { new.rows[$0] }
    try check(
      changes.applied(to: rows, newSection: newSection, newItem: newRow), "the batch")
    try check(
      changes.appliedInStages(to: rows, newSection: newSection, newItem: newRow),
      "the staged form")
    try check(
      changes.appliedSequentially(to: rows, newSection: newSection, newItem: newRow),
      "the sequential form")
  }

  /// A move that is said to keep the content does.
  private func checkKeptContent() throws {
    for move in changes.movedRows where move.keepsContent {
      let (before, after) = (oldRow(move.from).item, newRow(move.to).item)
      guard !harness.isUnchanged(before, after) else { continue }
      throw ProviderViolation(
        .silentChange,
        "the move from \(move.from.brief) to \(move.to.brief) keeps the content, but that was "
          + "\(before) and is \(after)")
    }
  }

  private func check(_ result: [[Harness.Row]], _ form: String) throws {
    let ids = (result.map { $0.map(\.id) }, new.rows.map { $0.map(\.id) })
    guard ids.0 == ids.1 else {
      throw ProviderViolation(
        .wrongResult,
        "\(form) makes \(ids.0) of \(old.rows.map { $0.map(\.id) }), and not \(ids.1): \(changes)")
    }
    for (section, rows) in result.enumerated() {
      for (row, pair) in zip(rows, new.rows[section]).enumerated()
      where !harness.isUnchanged(pair.0.item, pair.1.item) {
        throw ProviderViolation(
          .silentChange,
          "the row \(IndexPath(row: row, section: section).brief) was \(pair.0.item) and is "
            + "\(pair.1.item), without an event: \(changes)")
      }
    }
  }

  private func checkSections() throws {
    for (before, after) in keptSections where old.sectionIDs[before] != new.sectionIDs[after] {
      throw ProviderViolation(
        .sectionName,
        "section \(before) was \(old.sectionIDs[before]) and is, as section \(after), "
          + "\(new.sectionIDs[after]), without an event")
    }
  }

  // MARK: Minimality

  private func checkReset() throws {
    let ids = Set(old.rows.joined().map(\.id))
    let newRows = new.rows.joined()
    if let row = newRows.first(where: { ids.contains($0.id) }) {
      throw ProviderViolation(
        .notMinimal,
        "a reset was reported, but the row \(row.id) is in the old list and in the new one")
    }
    if ids.isEmpty, old.sections == new.sections {
      throw ProviderViolation(.notMinimal, "a reset was reported, but nothing changed")
    }
  }

  private func checkMinimality() throws {
    if harness.requiresSameSectionNames {
      let most = FewestEvents.mostKept(from: old.sectionIDs, to: new.sectionIDs)
      try requireNoMore(
        changes.sectionCount, than: old.rows.count + new.rows.count - 2 * most, "section events")
    }
    let fewest = FewestEvents(
      from: old.rows.map { $0.map(\.id) }, to: new.rows.map { $0.map(\.id) },
      keeping: keptSections
    ) { before, after in harness.isUnchanged(oldRow(before).item, newRow(after).item) }
    // Listing the rows of deleted and inserted sections makes no difference.
    try requireNoMore(changes.compacted.rowCount, than: fewest.rows, "row events")
    try requireNoMore(changes.movedRows.count, than: fewest.moves, "moves")
  }

  private func requireNoMore(_ count: Int, than fewest: Int, _ events: String) throws {
    guard count > fewest else { return }
    throw ProviderViolation(
      .notMinimal, "there are \(count) \(events), and \(fewest) would be enough: \(changes)")
  }

  // MARK: Index paths

  /// The sections that stay: their old and their new numbers.
  private var keptSections: [(before: Int, after: Int)] {
    changes.keptSections(old: old.sections.count, new: new.sections.count)
      .map { (before: $0.old, after: $0.new) }
  }

  private func oldRow(_ place: IndexPath) -> Harness.Row { old.rows[place.section][place.row] }

  private func newRow(_ place: IndexPath) -> Harness.Row { new.rows[place.section][place.row] }
}

extension ProviderHarness.Content {
  /// Gives the rows that have a new identity, but show the item of a row that is gone, the identity of that row.
  fileprivate func withCarriedIdentities(from old: Self) -> Self {
    guard Provider.self == DataSourceProvider.self else { return self }
    let (oldRows, newRows) = (old.rows.joined(), rows.joined())
    let (oldIDs, newIDs) = (Set(oldRows.map(\.id)), Set(newRows.map(\.id)))
    var gone: [AnyHashable: ID] = [:]
    for row in oldRows where !newIDs.contains(row.id) {
      if let item = (row.item as? DataSourceProvider.Item)?.itemID { gone[item] = row.id }
    }
    var content = self
    content.rows = rows.map { rows in
      rows.map { row in
        guard !oldIDs.contains(row.id), let item = (row.item as? DataSourceProvider.Item)?.itemID,
          let id = gone.removeValue(forKey: item)
        else { return row }
        return ProviderHarness.Row(id: id, item: row.item)
      }
    }
    return content
  }
}

extension TableChanges {
  fileprivate var sectionCount: Int { deletedSections.count + insertedSections.count }
}
