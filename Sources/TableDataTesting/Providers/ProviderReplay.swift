#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TableData

/// The changes between two states of a provider, held against both.
struct ProviderReplay<Provider: ViewModelDataProvider, ID: Hashable> {
  typealias Harness = ProviderHarness<Provider, ID>

  let harness: Harness
  let old: Harness.Content
  let new: Harness.Content
  let changes: TableChanges

  func check() throws {
    try checkIdentities()
    if !harness.allowsReinsertedRows { try checkEventsOfOneRow() }
    try checkForms()
    if harness.requiresSameSectionNames { try checkSectionNames() }
    if harness.requiresMinimalChanges { try checkMinimality() }
  }

  // MARK: Identity

  private func checkIdentities() throws {
    for (event, from, to) in changes.movedRows.map({ ("move", $0.from, $0.to) })
      + changes.updatedRows.map({ ("update", $0.old, $0.new) })
    {
      let ids = (oldRow(from).id, newRow(to).id)
      guard ids.0 == ids.1 else {
        throw ProviderViolation(
          .wrongIdentity, "the \(event) from \(from) to \(to) makes \(ids.1) of \(ids.0)")
      }
    }
  }

  /// One identity has at most one event, unless no move can tell it: out of a section that goes or
  /// into one that comes.
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
        "the row \(id) is deleted at \(from) and inserted at \(place) instead of moved")
    }
  }

  // MARK: The law: old content + changes = new content

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
          "the row \(IndexPath(row: row, section: section)) was \(pair.0.item) and is "
            + "\(pair.1.item), without an event: \(changes)")
      }
    }
  }

  private func checkSectionNames() throws {
    for (before, after) in keptSections
    where old.sections[before].name != new.sections[after].name {
      throw ProviderViolation(
        .sectionName,
        "section \(before) had the name \(old.sections[before].name ?? "nil") and has, as section "
          + "\(after), the name \(new.sections[after].name ?? "nil"), without an event")
    }
  }

  // MARK: Minimality

  private func checkMinimality() throws {
    let fewest = identities.old.difference(to: identities.new) { before, after in
      harness.isUnchanged(oldRow(before).item, newRow(after).item)
    }
    let sections = (changes.sectionCount, fewest.sectionCount)
    guard sections.0 <= sections.1 else {
      throw ProviderViolation(
        .notMinimal,
        "there are \(sections.0) section events where \(sections.1) do: \(changes) instead of "
          + "\(fewest)")
    }
    // Whether the rows of sections that come and go are listed makes no difference.
    let rows = (changes.compacted.rowCount, fewest.compacted.rowCount)
    guard rows.0 <= rows.1 else {
      throw ProviderViolation(
        .notMinimal,
        "there are \(rows.0) row events where \(rows.1) do: \(changes) instead of \(fewest)")
    }
    let moves = (changes.movedRows.count, fewest.movedRows.count)
    guard moves.0 <= moves.1 else {
      throw ProviderViolation(
        .notMinimal,
        "there are \(moves.0) moves where \(moves.1) do: \(changes) instead of \(fewest)")
    }
  }

  /// Both states by identity. Sections are recognised by their names; where these are not unique, by
  /// what the changes say of them.
  private var identities: (old: IdentityList<String, ID>, new: IdentityList<String, ID>) {
    var oldIDs = old.sections.map { $0.name.map { "name \($0)" } ?? "no name" }
    var newIDs = new.sections.map { $0.name.map { "name \($0)" } ?? "no name" }
    if Set(oldIDs).count < oldIDs.count || Set(newIDs).count < newIDs.count
      || !harness.requiresSameSectionNames
    {
      oldIDs = oldIDs.indices.map { "section \($0)" }
      newIDs = newIDs.indices.map { "new section \($0)" }
      for (before, after) in keptSections { newIDs[after] = oldIDs[before] }
    }
    return (identities(oldIDs, old), identities(newIDs, new))
  }

  private func identities(
    _ sectionIDs: [String], _ content: Harness.Content
  ) -> IdentityList<String, ID> {
    IdentityList(zip(sectionIDs, content.rows).map { (id: $0, rows: $1.map(\.id)) })
  }

  // MARK: Places

  /// The sections that stay: their old and their new numbers.
  private var keptSections: [(before: Int, after: Int)] {
    let deleted = Set(changes.deletedSections)
    let inserted = Set(changes.insertedSections)
    return Array(
      zip(
        old.sections.indices.filter { !deleted.contains($0) },
        new.sections.indices.filter { !inserted.contains($0) })
    ).map { (before: $0, after: $1) }
  }

  private func oldRow(_ place: IndexPath) -> Harness.Row { old.rows[place.section][place.row] }

  private func newRow(_ place: IndexPath) -> Harness.Row { new.rows[place.section][place.row] }
}

extension TableChanges {
  fileprivate var sectionCount: Int { deletedSections.count + insertedSections.count }
}
