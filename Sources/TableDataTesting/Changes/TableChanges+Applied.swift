public import TableData

// Simple rather than fast: it defines what applying changes means. Tests compare everything else
// with it.
extension TableChanges {
  /// The new content, made from the old one and the changes as one batch.
  ///
  /// ```swift
  /// let new = try changes.applied(to: old) { try provider.itemForRow(at: $0) }
  /// ```
  ///
  /// Complexity: O(rows × events).
  ///
  /// - Parameters:
  ///   - content: the items of each section in the old state.
  ///   - newSection: returns the items of an inserted section whose rows the changes do not list, as
  ///     in the ``/TableData/TableChanges/compacted`` form, and of all sections of a reset. Without
  ///     it such a section is empty, and a reset throws.
  ///   - newItem: returns the item at a new index path, of an inserted, moved or updated row.
  /// - Throws: `TableUpdateError` with code `.outOfRange` if a section or row does not exist, `.malformedIndexPath`,
  ///   and `.incompleteSection` for a reset without `newSection`; what the closures throw.
  public func applied<Item>(
    to content: [[Item]], newSection: ((Int) throws -> [Item])? = nil,
    newItem: (IndexPath) throws -> Item
  ) throws -> [[Item]] {
    if let reset { return try Self.content(after: reset, newSection: newSection) }
    let old = Replay(content)
    for path in deletedRows + movedRows.map(\.from) + updatedRows.map(\.old) {
      try old.requireRow(at: path)
    }
    for section in deletedSections + updatedSections.map(\.old) {
      try old.requireSection(section)
    }

    let gone = Set(deletedRows + movedRows.map(\.from))
    var new = Replay(
      content.enumerated().map { section, items in
        items.enumerated().filter { !gone.contains([section, $0.offset]) }.map(\.element)
      })
    for section in deletedSections.sorted(by: >) { try new.removeSection(section) }
    for section in insertedSections.sorted() {
      let isListed = insertedRows.contains { $0.section == section }
      try new.insertSection(isListed ? [] : newSection?(section) ?? [], at: section)
    }
    for path in (insertedRows + movedRows.map(\.to)).sorted() {
      try new.insert(newItem(path), at: path)
    }
    for update in updatedSections { try new.requireSection(update.new) }
    for update in updatedRows { try new.replace(at: update.new, with: newItem(update.new)) }
    return new.content
  }

  /// The new content, made from the old one and the ``/TableData/TableChanges/staged`` form. Each
  /// of its batches must be legal.
  ///
  /// - Parameters and errors: as ``applied(to:newSection:newItem:)``, and all errors of
  ///   ``/TableData/TableChanges/validate(oldCounts:newCounts:)``.
  public func appliedInStages<Item>(
    to content: [[Item]], newSection: ((Int) throws -> [Item])? = nil,
    newItem: (IndexPath) throws -> Item
  ) throws -> [[Item]] {
    try staged.reduce(content) { old, stage in
      let new = try stage.applied(to: old, newSection: newSection, newItem: newItem)
      try stage.validate(oldCounts: old.map(\.count), newCounts: new.map(\.count))
      return new
    }
  }

  /// The new content, made from the old one and the ``/TableData/TableChanges/sequential`` form,
  /// step by step.
  ///
  /// - Parameters and errors: as ``applied(to:newSection:newItem:)``.
  public func appliedSequentially<Item>(
    to content: [[Item]], newSection: ((Int) throws -> [Item])? = nil,
    newItem: (IndexPath) throws -> Item
  ) throws -> [[Item]] {
    var list = Replay(content)
    for operation in sequential {
      switch operation {
      case .reset(let reset):
        list = Replay(try Self.content(after: reset, newSection: newSection))
      case .deleteRow(let path): try list.remove(at: path)
      case .deleteSection(let section): try list.removeSection(section)
      case .insertSection(let section):
        let isListed = insertedRows.contains { $0.section == section }
        try list.insertSection(isListed ? [] : newSection?(section) ?? [], at: section)
      case .insertRow(let path, let new): try list.insert(newItem(new), at: path)
      case .moveRow(let from, let to, let new):
        try list.remove(at: from)
        try list.insert(newItem(new), at: to)
      case .updateSection(let section): try list.requireSection(section)
      case .updateRow(let path): try list.replace(at: path, with: newItem(path))
      }
    }
    return list.content
  }

  private static func content<Item>(
    after reset: Reset, newSection: ((Int) throws -> [Item])?
  ) throws -> [[Item]] {
    guard let newSection else {
      throw TableUpdateError(
        .incompleteSection, "a reset does not list the rows of the new state: give `newSection`")
    }
    return try (0..<reset.newSectionCount).map(newSection)
  }
}

/// Sections of items that throw if an index path does not exist.
private struct Replay<Item> {
  private(set) var content: [[Item]]

  init(_ content: [[Item]]) { self.content = content }

  func requireSection(_ section: Int) throws {
    guard content.indices.contains(section) else {
      throw TableUpdateError(
        .outOfRange, "there is no section \(section): at that moment there are \(content.count)")
    }
  }

  func requireRow(at path: IndexPath, isNew: Bool = false) throws {
    guard path.count == 2 else {
      throw TableUpdateError(.malformedIndexPath, "\(path) is not the index path of a row")
    }
    try requireSection(path.section)
    let count = content[path.section].count
    guard 0..<(isNew ? count + 1 : count) ~= path.row else {
      throw TableUpdateError(
        .outOfRange, "there is no row \(path): at that moment its section has \(count) rows")
    }
  }

  mutating func insertSection(_ items: [Item], at section: Int) throws {
    if section != content.count { try requireSection(section) }
    content.insert(items, at: section)
  }

  mutating func removeSection(_ section: Int) throws {
    try requireSection(section)
    content.remove(at: section)
  }

  mutating func insert(_ item: Item, at path: IndexPath) throws {
    try requireRow(at: path, isNew: true)
    content[path.section].insert(item, at: path.row)
  }

  mutating func remove(at path: IndexPath) throws {
    try requireRow(at: path)
    content[path.section].remove(at: path.row)
  }

  mutating func replace(at path: IndexPath, with item: Item) throws {
    try requireRow(at: path)
    content[path.section][path.row] = item
  }
}
