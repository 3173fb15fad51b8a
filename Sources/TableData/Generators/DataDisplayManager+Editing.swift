extension DataDisplayManager {
  /// Adds a generator after another one and its unfolded children, or at the end of the last section. O(n).
  @discardableResult
  public func addCellGenerator(
    _ generator: any TableCellGenerator, after anchor: (any TableCellGenerator)? = nil
  ) throws -> TableChanges { try addCellGenerators([generator], after: anchor) }

  /// Adds generators after another one and its unfolded children, or at the end of the last section. If there is no
  /// section, they make one without a header. O(n).
  @discardableResult
  public func addCellGenerators(
    _ generators: [any TableCellGenerator], after anchor: (any TableCellGenerator)? = nil
  ) throws -> TableChanges {
    if let anchor {
      let path = try requireIndexPath(of: anchor)
      return try insert(generators, at: indexPath(after: anchor, at: path, in: store.sections))
    }
    if let last = store.sections.indices.last {
      return try insert(generators, atEndOfSection: last)
    }
    guard !generators.isEmpty else { return TableChanges() }
    return try inserting(generators) {
      try store.insert(GeneratorSection(header: nil, items: $0), at: 0)
    }
  }

  /// Adds a generator at the end of a header's section.
  @discardableResult
  public func addCellGenerator(
    _ generator: any TableCellGenerator, toHeader header: any TableHeaderGenerator
  ) throws -> TableChanges { try addCellGenerators([generator], toHeader: header) }

  /// Adds generators at the end of a header's section.
  @discardableResult
  public func addCellGenerators(
    _ generators: [any TableCellGenerator], toHeader header: any TableHeaderGenerator
  ) throws -> TableChanges { try insert(generators, atEndOfSection: section(of: header)) }

  private func insert(
    _ generators: [any TableCellGenerator], atEndOfSection section: Int
  ) throws -> TableChanges {
    let row = store.sections[section].items.count
    return try insert(generators, at: IndexPath(row: row, section: section))
  }

  /// Inserts a generator before another one. O(n).
  @discardableResult
  public func insert(
    _ generator: any TableCellGenerator, before anchor: any TableCellGenerator
  ) throws -> TableChanges { try insert([generator], at: requireIndexPath(of: anchor)) }

  /// Inserts generators before a row, or at the end of its section.
  @discardableResult
  public func insert(
    _ generators: [any TableCellGenerator], at indexPath: IndexPath
  ) throws -> TableChanges { try inserting(generators) { try store.insert($0, at: indexPath) } }

  /// Inserts a generator that is in another list, which removes it next.
  func insertMoved(_ generator: any TableCellGenerator, at indexPath: IndexPath) throws {
    _ = try inserting([generator], allowsOthers: true) { try store.insert($0, at: indexPath) }
  }

  /// Inserts generators, and the children of those that are unfolded.
  private func inserting(
    _ generators: [any TableCellGenerator], allowsOthers: Bool = false,
    _ insert: ([any TableCellGenerator]) throws -> TableChanges
  ) throws -> TableChanges {
    let old = shownChildren
    let all = expanded(generators)
    shownChildren.merge(children(of: generators)) { $1 }
    do {
      return try adopting(all, allowsOthers: allowsOthers) { try insert(all) }
    } catch {
      shownChildren = old
      throw error
    }
  }

  /// Removes a generator, and its unfolded children. A section without a header is deleted with its last generator. A
  /// removed child does not return when its parent is unfolded again. O(n).
  @discardableResult
  public func remove(_ generator: any TableCellGenerator) throws -> TableChanges {
    let path = try requireIndexPath(of: generator)
    let children = shownDescendants(of: generator.identity)
    guard children.isEmpty else {
      var sections = store.sections
      for number in sections.indices {
        sections[number].items.removeAll {
          $0.identity == generator.identity || children.contains($0.identity)
        }
      }
      sections.removeAll { $0.header == nil && $0.items.isEmpty }
      let changes = try setShown(sections)
      if !has(generator) { noteRemoval(of: generator) }
      return changes
    }
    let section = store.sections[path.section]
    let removed = section.items[path.row]
    let changes =
      try section.header == nil && section.items.count == 1
      ? store.removeSection(at: path.section) : store.remove(at: path)
    if has(removed) { return changes }
    abandon([removed])
    removedChildren[removed.identity] = nil
    noteRemoval(of: removed)
    return changes
  }

  /// Removes all cell generators. The sections with a header stay.
  @discardableResult
  public func clearCellGenerators() throws -> TableChanges {
    let headers = store.sections.compactMap(\.header)
    return try setShown(headers.map { GeneratorSection(header: $0, items: []) })
  }

  /// Notifies the observer that generators look different, so that their cells show them again. Repetitions are
  /// allowed. O(n).
  @discardableResult
  public func update(generators: [any TableCellGenerator]) throws -> TableChanges {
    let paths = store.indexPaths
    return try store.update(
      at: generators.map { generator in
        guard let path = paths[generator.identity] else {
          throw unknown(generator, id: generator.identity)
        }
        return path
      })
  }

  /// Notifies the observer that everything may have changed, so that the list is reloaded.
  @discardableResult
  public func forceRefill() throws -> TableChanges { try store.reset { $0.readTitles() } }

  func requireIndexPath(of generator: any TableCellGenerator) throws -> IndexPath {
    guard let path = store.indexPath(forIdentity: generator.identity) else {
      throw unknown(generator, id: generator.identity)
    }
    return path
  }

  func unknown(_ generator: AnyObject, id: AnyHashable) -> TableDataError {
    TableDataError(
      .unknownGenerator,
      "\(type(of: generator)) with the id \(id) is not in the list", nextStep: "Add it first")
  }
}

extension DataDisplayManager {
  /// Adds a section after that of another header, or at the end. Generators that are added next are in the last
  /// section. O(sections).
  @discardableResult
  public func addSectionHeaderGenerator(
    _ header: any TableHeaderGenerator, after anchor: (any TableHeaderGenerator)? = nil
  ) throws -> TableChanges {
    guard !store.sections.contains(where: { $0.identity == header.identity }) else {
      throw duplicate(header)
    }
    try requireNoOtherList(of: header)
    let number = try anchor.map { try section(of: $0) + 1 } ?? numberOfSections
    let manager = header.displayManager
    header.displayManager = self
    do {
      return try store.insert(GeneratorSection(header: header, items: []), at: number)
    } catch {
      header.displayManager = manager
      throw error
    }
  }

  /// Removes a section with its cell generators.
  @discardableResult
  public func removeSection(of header: any TableHeaderGenerator) throws -> TableChanges {
    var sections = store.sections
    sections.remove(at: try section(of: header))
    return try setShown(sections)
  }

  /// Removes all headers. The cell generators stay, in one section.
  @discardableResult
  public func clearHeaderGenerators() throws -> TableChanges {
    let generators = cellGenerators
    return try setShown(
      generators.isEmpty ? [] : [GeneratorSection(header: nil, items: generators)])
  }

  /// Shows a header and its footer again: their titles are read, and their views made. Its rows have no event.
  @discardableResult
  public func update(header: any TableHeaderGenerator) throws -> TableChanges {
    try store.updateTitles(ofSection: section(of: header), isAlwaysReported: true) {
      $0.readTitles()
    }
  }

  func section(of header: any TableHeaderGenerator) throws -> Int {
    guard let section = store.sections.firstIndex(where: { $0.identity == header.identity }) else {
      throw unknown(header, id: header.identity)
    }
    return section
  }

  /// - Throws: `TableDataError` with code `.duplicateIdentity` if a header is in another list.
  func requireNoOtherList(of header: any TableHeaderGenerator) throws {
    guard let manager = header.displayManager, manager !== self,
      manager.store.sections.contains(where: { $0.header === header })
    else { return }
    throw inAnotherList(header, a: "header")
  }

  func inAnotherList(_ element: AnyObject, a kind: String) -> TableDataError {
    TableDataError(
      .duplicateIdentity, "\(type(of: element)) is already in another list",
      nextStep: "Remove it there first, or add another \(kind)")
  }

  func duplicate(_ header: any TableHeaderGenerator) -> TableDataError {
    TableDataError(
      .duplicateIdentity,
      "there is already a section whose header has the id \(header.identity)",
      nextStep: "Add a header once, or give the new one another id")
  }
}
