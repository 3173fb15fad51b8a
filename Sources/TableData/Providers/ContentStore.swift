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
final class ContentStore<Section: ContentSection> {
  typealias Item = Section.Item

  let traits: ItemTraits<Item>
  private(set) var sections: [Section] = []
  /// What all items are.
  private(set) var identities: Set<AnyHashable> = []
  /// Whether the observer is told *will* at the moment.
  var isTelling = false

  /// Makes an empty store.
  init(traits: ItemTraits<Item>) { self.traits = traits }

  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  convenience init(_ sections: [Section], traits: ItemTraits<Item>) throws {
    self.init(traits: traits)
    identities = try newIdentities(of: sections.flatMap(\.items))
    self.sections = sections
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

  /// Where each item is. O(n).
  var places: [AnyHashable: IndexPath] {
    var places: [AnyHashable: IndexPath] = [:]
    for (number, section) in sections.enumerated() {
      for (row, item) in section.items.enumerated() {
        places[traits.identity(item)] = IndexPath(row: row, section: number)
      }
    }
    return places
  }

  /// Behind the last row of a section, which must be there.
  func endOfSection(_ section: Int) -> IndexPath {
    IndexPath(row: sections[section].items.count, section: section)
  }

  // MARK: Rows

  func insert(
    _ items: [Item], at path: IndexPath, for sender: any TableChangesSender
  ) throws -> TableChanges {
    try requireGap(path)
    let new = try newIdentities(of: items)
    let rows = path.row..<path.row + items.count
    let changes = TableChanges(
      insertedRows: rows.map { IndexPath(row: $0, section: path.section) })
    return try tell(changes, for: sender) {
      sections[path.section].items.insert(contentsOf: items, at: path.row)
      identities.formUnion(new)
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
      _ = try newIdentities(of: [item])
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

  /// Tells that items show something else, which are the same as before.
  func update(
    at paths: [IndexPath], for sender: any TableChangesSender
  ) throws -> TableChanges {
    for path in paths { try requireRow(path) }
    let updates = Set(paths).sorted().map { TableChanges.Update(old: $0, new: $0) }
    return try tell(TableChanges(updatedRows: updates), for: sender) {}
  }

  // MARK: Sections

  func insert(
    _ section: Section, at number: Int, for sender: any TableChangesSender
  ) throws -> TableChanges {
    guard 0...sections.count ~= number else {
      throw TableDataError.sectionOutOfRange(number, count: sections.count)
    }
    let new = try newIdentities(of: section.items)
    let changes = TableChanges(
      insertedSections: [number], insertedRows: section.places(asSection: number))
    return try tell(changes, for: sender) {
      sections.insert(section, at: number)
      identities.formUnion(new)
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
    _ new: [Section], for sender: any TableChangesSender
  ) throws -> TableChanges {
    let identities = try newIdentities(of: new.flatMap(\.items), besides: [])
    let changes = identityList(sections).difference(to: identityList(new)) { old, place in
      traits.isUnchanged(
        sections[old.section].items[old.row], new[place.section].items[place.row])
    }
    return try tell(changes, for: sender) {
      sections = new
      self.identities = identities
    }
  }

  /// Tells that everything may be different.
  func reset(for sender: any TableChangesSender) throws -> TableChanges {
    try tell(
      .reset(oldSectionCount: sections.count, newSectionCount: sections.count), for: sender
    ) {}
  }

  /// What a section is recognised by, and which of several that have it.
  private struct SectionID: Hashable {
    let identity: AnyHashable
    let occurrence: Int
  }

  private func identityList(_ sections: [Section]) -> IdentityList<SectionID, AnyHashable> {
    var occurrences: [AnyHashable: Int] = [:]
    return IdentityList(
      sections.map { section in
        let identity = section.identity
        let occurrence = occurrences[identity, default: 0]
        occurrences[identity] = occurrence + 1
        return (
          id: SectionID(identity: identity, occurrence: occurrence),
          rows: section.items.map(traits.identity)
        )
      })
  }
}

extension ContentSection {
  /// The places of its rows where the section has a number.
  fileprivate func places(asSection number: Int) -> [IndexPath] {
    items.indices.map { IndexPath(row: $0, section: number) }
  }
}

/// A section together with its items, as a ``ContentStore`` holds it.
protocol ContentSection {
  associatedtype Item

  var items: [Item] { get set }
  /// What the section says of itself.
  var info: SectionInfo { get }
  /// What the section is recognised by; of several that have it, by their order.
  var identity: AnyHashable { get }
}

extension Section: ContentSection {
  /// What its header and the index show.
  private struct Titles: Hashable {
    let name: String?
    let indexTitle: String?
  }

  var identity: AnyHashable { Titles(name: name, indexTitle: indexTitle) }
}

/// How a provider tells its items apart and whether one has changed.
struct ItemTraits<Item> {
  /// What an item is, wherever it goes.
  let identity: (Item) -> AnyHashable
  /// Whether two items of one identity look the same.
  let isUnchanged: (Item, Item) -> Bool

  init(
    identity: @escaping (Item) -> AnyHashable, isUnchanged: ((Item, Item) -> Bool)? = nil
  ) {
    self.identity = identity
    self.isUnchanged = isUnchanged ?? ItemTraits.areSame
  }

  /// Whether two items are equal or one object; false where nothing says so.
  private static func areSame(_ old: Item, _ new: Item) -> Bool {
    if let old = old as? any Equatable { return old.isSame(as: new) }
    guard Swift.type(of: old as Any) is AnyClass else { return false }
    return old as AnyObject === new as AnyObject
  }
}

extension Equatable {
  fileprivate func isSame(as other: Any) -> Bool { other as? Self == self }
}
