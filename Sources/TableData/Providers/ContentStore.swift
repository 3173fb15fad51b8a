/// A section with its items, as a ``ContentStore`` holds it.
protocol ContentSection {
  associatedtype Item

  var items: [Item] { get set }
  var info: SectionInfo { get }
  /// Nil for a section without identity. Sections with the same identity differ by their order.
  var identity: AnyHashable? { get }
}

extension Section: ContentSection {
  var identity: AnyHashable? { id.map { AnyHashable($0) } }
}

/// The content of a provider that holds it in memory. Each change notifies the observer of `sender`, and returns what
/// changed.
///
/// A change is checked completely, then the observer gets `contentWillChange`, then the change is made. So nothing
/// has changed if a method throws. They throw `TableDataError`: `.sectionOutOfRange`, `.rowOutOfRange` or
/// `.malformedIndexPath` if the index path does not exist, `.duplicateIdentity` for an item that is already there,
/// and `.changeInProgress` if the observer calls them in `contentWillChange`.
final class ContentStore<Section: ContentSection> {
  typealias Item = Section.Item

  /// Has the content, and sets this when it is made.
  weak var sender: (any TableChangesSender)?
  let identity: (Item) -> AnyHashable
  private let isUnchanged: (Item, Item) -> Bool
  private(set) var sections: [Section] = [] {
    didSet { infoCache = nil }
  }
  private var infoCache: [SectionInfo]?
  private var identities: Set<AnyHashable> = []
  private let gate = ChangeGate()
  /// The identities of the deleted rows by their old index paths, in `contentDidChange`.
  private(set) var deletedIdentities: [IndexPath: AnyHashable] = [:]

  /// - Parameter isUnchanged: whether two items with the same identity look the same.
  init(identity: @escaping (Item) -> AnyHashable, isUnchanged: @escaping (Item, Item) -> Bool) {
    self.identity = identity
    self.isUnchanged = isUnchanged
  }

  convenience init(
    _ sections: [Section], identity: @escaping (Item) -> AnyHashable,
    isUnchanged: ((Item, Item) -> Bool)?
  ) throws {
    self.init(identity: identity, isUnchanged: isUnchanged ?? areSame)
    identities = try newIdentities(of: sections.flatMap(\.items), besides: [])
    self.sections = sections
  }

  var infos: [SectionInfo] {
    if let infoCache { return infoCache }
    let infos = sections.map(\.info)
    infoCache = infos
    return infos
  }

  func item(at path: IndexPath) throws -> Item {
    try requireRow(path)
    return sections[path.section].items[path.row]
  }

  /// O(n).
  func indexPath(forIdentity identity: AnyHashable) -> IndexPath? {
    identities.contains(identity) ? sections.indexPath { self.identity($0) == identity } : nil
  }

  /// The index path of each item. O(n).
  var indexPaths: [AnyHashable: IndexPath] {
    var paths: [AnyHashable: IndexPath] = [:]
    for (number, section) in sections.enumerated() {
      for (path, item) in zip(section.indexPaths(asSection: number), section.items) {
        paths[identity(item)] = path
      }
    }
    return paths
  }

  // MARK: Rows

  func insert(_ items: [Item], at path: IndexPath) throws -> TableChanges {
    try requireRow(path, allowsEnd: true)
    let new = try newIdentities(of: items, besides: identities)
    let rows = path.row..<path.row + items.count
    let paths = rows.map { IndexPath(row: $0, section: path.section) }
    return try make(TableChanges(insertedRows: paths)) {
      sections[path.section].items.insert(contentsOf: items, at: path.row)
      identities.formUnion(new)
    }
  }

  func remove(at path: IndexPath) throws -> TableChanges {
    let item = try item(at: path)
    return try make(TableChanges(deletedRows: [path])) {
      sections[path.section].items.remove(at: path.row)
      identities.remove(identity(item))
    }
  }

  func replace(at path: IndexPath, with item: Item) throws -> TableChanges {
    let old = try self.item(at: path)
    // The same object is given again because it has changed.
    if isSameObject(old, item) { return try update(at: [path]) }
    let (oldID, newID) = (identity(old), identity(item))
    var changes = TableChanges()
    if oldID != newID {
      _ = try newIdentities(of: [item], besides: identities)
      changes = TableChanges(deletedRows: [path], insertedRows: [path])
    } else if !isUnchanged(old, item) {
      changes = TableChanges(updatedRows: [TableChanges.Update(old: path, new: path)])
    }
    return try make(changes) {
      sections[path.section].items[path.row] = item
      identities.remove(oldID)
      identities.insert(newID)
    }
  }

  /// - Parameter target: the index path after the move.
  func move(from path: IndexPath, to target: IndexPath) throws -> TableChanges {
    let item = try item(at: path)
    try requireRow(target, allowsEnd: path.section != target.first)
    let move = TableChanges.Move(from: path, to: target, keepsContent: true)
    return try make(TableChanges(movedRows: path == target ? [] : [move])) {
      sections[path.section].items.remove(at: path.row)
      sections[target.section].items.insert(item, at: target.row)
    }
  }

  /// Notifies the observer that items look different. The items are the same objects as before.
  func update(at paths: [IndexPath]) throws -> TableChanges {
    for path in paths { try requireRow(path) }
    let updates = Set(paths).sorted().map { TableChanges.Update(old: $0, new: $0) }
    return try make(TableChanges(updatedRows: updates)) {}
  }

  // MARK: Sections

  func updateTitles(
    ofSection number: Int, isAlwaysReported: Bool = false, _ change: (inout Section) -> Void
  ) throws -> TableChanges {
    try requireSection(number)
    var section = sections[number]
    change(&section)
    var changes = TableChanges()
    if isAlwaysReported || section.info != sections[number].info {
      changes.updatedSections = [TableChanges.SectionUpdate(old: number, new: number)]
    }
    return try make(changes) { sections[number] = section }
  }

  func insert(_ section: Section, at number: Int) throws -> TableChanges {
    try TableDataError.requireSection(number, count: sections.count, allowsEnd: true)
    let new = try newIdentities(of: section.items, besides: identities)
    let changes = TableChanges(
      insertedSections: [number], insertedRows: section.indexPaths(asSection: number))
    return try make(changes) {
      sections.insert(section, at: number)
      identities.formUnion(new)
    }
  }

  func removeSection(at number: Int) throws -> TableChanges {
    try requireSection(number)
    let section = sections[number]
    let changes = TableChanges(
      deletedSections: [number], deletedRows: section.indexPaths(asSection: number).reversed())
    return try make(changes) {
      sections.remove(at: number)
      identities.subtract(section.items.map(identity))
    }
  }

  /// - Parameter target: the number after the move.
  func moveSection(from number: Int, to target: Int) throws -> TableChanges {
    try requireSection(number)
    try requireSection(target)
    guard number != target else { return TableChanges() }
    let section = sections[number]
    let changes = TableChanges(
      deletedSections: [number], insertedSections: [target],
      deletedRows: section.indexPaths(asSection: number).reversed(),
      insertedRows: section.indexPaths(asSection: target))
    return try make(changes) {
      sections.remove(at: number)
      sections.insert(section, at: target)
    }
  }

  // MARK: Everything

  /// Replaces all sections, with the fewest changes. O(n log n).
  ///
  /// - Parameter updated: the identities of items that look different although they are the same.
  func set(_ new: [Section], updated: Set<AnyHashable> = []) throws -> TableChanges {
    let identities = try newIdentities(of: new.flatMap(\.items), besides: [])
    var changes = identityList(sections).difference(to: identityList(new)) { old, path in
      let item = new[path.section].items[path.row]
      return (updated.isEmpty || !updated.contains(identity(item)))
        && isUnchanged(sections[old.section].items[old.row], item)
    }
    changes.updatedSections = changes.keptSections(old: sections.count, new: new.count)
      .filter { !sections[$0.old].info.hasSameTitles(as: new[$0.new].info) }
    return try make(changes) {
      sections = new
      self.identities = identities
    }
  }

  /// Notifies the observer that everything may have changed.
  ///
  /// - Parameter reread: reads the titles of a section again.
  func reset(_ reread: (inout Section) -> Void) throws -> TableChanges {
    try make(.reset(oldSectionCount: sections.count, newSectionCount: sections.count)) {
      for number in sections.indices { reread(&sections[number]) }
    }
  }

  /// A section's identity is its own one, and the number of sections before it that have the same.
  private func identityList(_ sections: [Section]) -> IdentityList<[AnyHashable?], AnyHashable> {
    var occurrences: [AnyHashable?: Int] = [:]
    return IdentityList(
      sections.map { section in
        let occurrence = occurrences[section.identity, default: 0]
        occurrences[section.identity] = occurrence + 1
        return (id: [section.identity, occurrence], rows: section.items.map(identity))
      })
  }

  // MARK: Checking and notifying

  func requireSection(_ section: Int) throws {
    try TableDataError.requireSection(section, count: sections.count)
  }

  private func requireRow(_ path: IndexPath, allowsEnd: Bool = false) throws {
    try path.requireRow(inSections: sections.count, allowsEnd: allowsEnd) {
      sections[$0].items.count
    }
  }

  /// The identities of new items. None may be among `others`, and each must be there once.
  private func newIdentities(
    of items: [Item], besides others: Set<AnyHashable>
  ) throws -> Set<AnyHashable> {
    var new: Set<AnyHashable> = []
    for identity in items.map(identity) {
      guard !others.contains(identity), new.insert(identity).inserted else {
        throw TableDataError(
          .duplicateIdentity,
          "there is already an item with the identity \(identity)",
          nextStep: "Replace or move it, or give the new item another identity")
      }
    }
    return new
  }

  private func make(_ changes: TableChanges, _ change: () -> Void) throws -> TableChanges {
    defer { deletedIdentities = [:] }
    return try gate.make(changes, for: sender) {
      let deleted = changes.deletedRows.map { ($0, identity(sections[$0.section].items[$0.row])) }
      change()
      deletedIdentities = Dictionary(uniqueKeysWithValues: deleted)
    }
  }

  /// Checks that the set of identities is that of the items. O(n).
  func checkInvariants() throws {
    let items = sections.flatMap(\.items)
    try BrokenInvariant.check(
      identities == Set(items.map(identity)) && identities.count == items.count,
      "\(identities.count) identities are not those of the \(items.count) items")
  }
}

extension ContentSection {
  /// The index paths of its rows if the section has a number.
  fileprivate func indexPaths(asSection number: Int) -> [IndexPath] {
    Array(IndexPath.rows(items.count, inSection: number))
  }
}

extension Array where Element: ContentSection {
  /// The index path of the first item that matches. O(n).
  func indexPath(where isWanted: (Element.Item) throws -> Bool) rethrows -> IndexPath? {
    for (number, section) in enumerated() {
      if let row = try section.items.firstIndex(where: isWanted) {
        return IndexPath(row: row, section: number)
      }
    }
    return nil
  }
}
