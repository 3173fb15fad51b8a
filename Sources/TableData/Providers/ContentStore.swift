#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The content of a provider that has it in memory: each way to change it yields the changes, and
/// tells them to the provider's observer.
///
/// A change is checked as a whole, then *will* is told, then it is carried out. So what throws has
/// changed nothing.
final class ContentStore<Item> {
  let traits: ItemTraits<Item>
  private(set) var sections: [Section<Item>]
  private var identities: Set<AnyHashable>
  private var isTelling = false

  init(_ sections: [Section<Item>], traits: ItemTraits<Item>) throws {
    self.sections = sections
    self.traits = traits
    identities = []
    identities = try union(with: sections.flatMap(\.items))
  }

  func item(at path: IndexPath) throws -> Item {
    try requireRow(path)
    return sections[path.section].items[path.row]
  }

  /// O(n).
  func indexPath(forIdentity identity: AnyHashable) -> IndexPath? {
    guard identities.contains(identity) else { return nil }
    for (number, section) in sections.enumerated() {
      if let row = section.items.firstIndex(where: { traits.identity($0) == identity }) {
        return IndexPath(row: row, section: number)
      }
    }
    return nil
  }

  // MARK: Rows

  func insert(
    _ items: [Item], at path: IndexPath, for sender: any TableChangesSender
  ) throws -> TableChanges {
    try requireGap(path)
    let identities = try union(with: items)
    let rows = path.row..<path.row + items.count
    let changes = TableChanges(
      insertedRows: rows.map { IndexPath(row: $0, section: path.section) })
    return try tell(changes, for: sender) {
      sections[path.section].items.insert(contentsOf: items, at: path.row)
      self.identities = identities
    }
  }

  func remove(at path: IndexPath, for sender: any TableChangesSender) throws -> TableChanges {
    let item = try item(at: path)
    return try tell(TableChanges(deletedRows: [path]), for: sender) {
      sections[path.section].items.remove(at: path.row)
      identities.remove(traits.identity(item))
    }
  }

  func replace(
    at path: IndexPath, with item: Item, for sender: any TableChangesSender
  ) throws -> TableChanges {
    let old = try self.item(at: path)
    let (oldID, newID) = (traits.identity(old), traits.identity(item))
    var changes = TableChanges()
    if oldID != newID {
      _ = try union(with: [item])
      changes = TableChanges(deletedRows: [path], insertedRows: [path])
    } else if !traits.isUnchanged(old, item) {
      changes = TableChanges(updatedRows: [TableChanges.Update(old: path, new: path)])
    }
    return try tell(changes, for: sender) {
      sections[path.section].items[path.row] = item
      identities.remove(oldID)
      identities.insert(newID)
    }
  }

  /// - Parameter target: the place afterwards.
  func move(
    from path: IndexPath, to target: IndexPath, for sender: any TableChangesSender
  ) throws -> TableChanges {
    let item = try item(at: path)
    try path.section == target.section ? requireRow(target) : requireGap(target)
    let move = TableChanges.Move(from: path, to: target)
    return try tell(TableChanges(movedRows: path == target ? [] : [move]), for: sender) {
      sections[path.section].items.remove(at: path.row)
      sections[target.section].items.insert(item, at: target.row)
    }
  }

  // MARK: Sections

  func insert(
    _ section: Section<Item>, at number: Int, for sender: any TableChangesSender
  ) throws -> TableChanges {
    guard 0...sections.count ~= number else {
      throw TableDataError.sectionOutOfRange(number, count: sections.count)
    }
    let identities = try union(with: section.items)
    let changes = TableChanges(
      insertedSections: [number], insertedRows: section.places(asSection: number))
    return try tell(changes, for: sender) {
      sections.insert(section, at: number)
      self.identities = identities
    }
  }

  func removeSection(
    at number: Int, for sender: any TableChangesSender
  ) throws -> TableChanges {
    try requireSection(number)
    let section = sections[number]
    let changes = TableChanges(
      deletedSections: [number], deletedRows: section.places(asSection: number).reversed())
    return try tell(changes, for: sender) {
      sections.remove(at: number)
      identities.subtract(section.items.map(traits.identity))
    }
  }

  /// - Parameter target: the number afterwards.
  func moveSection(
    from number: Int, to target: Int, for sender: any TableChangesSender
  ) throws -> TableChanges {
    try requireSection(number)
    try requireSection(target)
    guard number != target else { return TableChanges() }
    let section = sections[number]
    let changes = TableChanges(
      deletedSections: [number], insertedSections: [target],
      deletedRows: section.places(asSection: number).reversed(),
      insertedRows: section.places(asSection: target))
    return try tell(changes, for: sender) {
      sections.remove(at: number)
      sections.insert(section, at: target)
    }
  }

  // MARK: Everything

  /// Replaces all sections: the changes are the fewest that lead there, by identity. O(n log n).
  func set(
    _ new: [Section<Item>], for sender: any TableChangesSender
  ) throws -> TableChanges {
    let identities = try union(of: [], with: new.flatMap(\.items))
    let changes = identityList(sections).difference(to: identityList(new)) { old, place in
      traits.isUnchanged(
        sections[old.section].items[old.row], new[place.section].items[place.row])
    }
    return try tell(changes, for: sender) {
      sections = new
      self.identities = identities
    }
  }

  /// What a section is recognised by: what its header and the index show, and which of several that
  /// have these it is.
  private struct SectionID: Hashable {
    let name: String?
    let indexTitle: String?
    var occurrence = 0
  }

  private func identityList(
    _ sections: [Section<Item>]
  ) -> IdentityList<SectionID, AnyHashable> {
    var occurrences: [SectionID: Int] = [:]
    return IdentityList(
      sections.map { section in
        var id = SectionID(name: section.name, indexTitle: section.indexTitle)
        let occurrence = occurrences[id, default: 0]
        occurrences[id] = occurrence + 1
        id.occurrence = occurrence
        return (id: id, rows: section.items.map(traits.identity))
      })
  }
}

// MARK: - Telling and checking

extension ContentStore {
  private func tell(
    _ changes: TableChanges, for sender: any TableChangesSender, _ change: () -> Void
  ) throws -> TableChanges {
    guard !isTelling else {
      throw TableDataError(
        .changeInProgress,
        "the content cannot be changed while its observer is told that it will change: wait for "
          + "contentDidChange")
    }
    // What looks the same may still be another value.
    guard !changes.isEmpty else {
      change()
      return changes
    }
    isTelling = true
    sender.observer?.contentWillChange(of: sender)
    isTelling = false
    change()
    sender.observer?.contentDidChange(of: sender, by: changes)
    return changes
  }

  private func union(with items: [Item]) throws -> Set<AnyHashable> {
    try union(of: identities, with: items)
  }

  /// Adds the identities of items.
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  private func union(
    of identities: Set<AnyHashable>, with items: [Item]
  ) throws -> Set<AnyHashable> {
    var identities = identities
    for item in items where !identities.insert(traits.identity(item)).inserted {
      throw TableDataError(
        .duplicateIdentity,
        "there already is an item with the identity \(traits.identity(item)): replace or move it, "
          + "or give the new one another identity")
    }
    return identities
  }

  private func requireSection(_ section: Int) throws {
    guard sections.indices.contains(section) else {
      throw TableDataError.sectionOutOfRange(section, count: sections.count)
    }
  }

  private func requireRow(_ path: IndexPath) throws {
    try requirePlace(path, isGap: false)
  }

  /// Requires a place where a row can be put: one of a row, or the end of the section.
  private func requireGap(_ path: IndexPath) throws {
    try requirePlace(path, isGap: true)
  }

  private func requirePlace(_ path: IndexPath, isGap: Bool) throws {
    guard path.count == 2 else { throw TableDataError.malformedIndexPath(path) }
    guard sections.indices.contains(path.section) else {
      throw TableDataError.sectionOutOfRange(path, count: sections.count)
    }
    let count = sections[path.section].items.count
    guard 0..<(isGap ? count + 1 : count) ~= path.row else {
      throw TableDataError.rowOutOfRange(path, count: count)
    }
  }
}

extension Section {
  /// The places of its rows where the section has a number.
  fileprivate func places(asSection number: Int) -> [IndexPath] {
    items.indices.map { IndexPath(row: $0, section: number) }
  }
}
