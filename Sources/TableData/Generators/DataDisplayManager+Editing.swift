// All of these notify the observer of one batch of changes, and return it. They throw `TableDataError`.
// Then nothing has changed. The codes are `.duplicateIdentity` for a generator that is already in the
// list, `.unknownGenerator` for an anchor that is not, and `.changeInProgress` if the observer calls them
// in `contentWillChange`.
extension DataDisplayManager {
  // MARK: Adding

  /// Adds a generator at the end of the last section.
  @discardableResult
  public func addCellGenerator(_ generator: any TableCellGenerator) throws -> TableChanges {
    try addCellGenerators([generator])
  }

  /// Adds generators at the end of the last section. If there is none, they make one without a header.
  @discardableResult
  public func addCellGenerators(_ generators: [any TableCellGenerator]) throws -> TableChanges {
    guard let last = store.sections.indices.last else {
      guard !generators.isEmpty else { return TableChanges() }
      return try inserting(generators) {
        try store.insert(GeneratorSection(header: nil, items: $0), at: 0)
      }
    }
    return try insert(generators, atEndOfSection: last)
  }

  /// Adds a generator after another one.
  @discardableResult
  public func addCellGenerator(
    _ generator: any TableCellGenerator, after anchor: any TableCellGenerator
  ) throws -> TableChanges { try addCellGenerators([generator], after: anchor) }

  /// Adds generators after another one and its unfolded children.
  ///
  /// Complexity: O(n).
  @discardableResult
  public func addCellGenerators(
    _ generators: [any TableCellGenerator], after anchor: any TableCellGenerator
  ) throws -> TableChanges {
    let path = try requireIndexPath(of: anchor)
    return try insert(generators, at: indexPath(after: anchor, at: path, in: store.sections))
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

  /// Inserts a generator before another one.
  ///
  /// Complexity: O(n).
  @discardableResult
  public func insert(
    _ generator: any TableCellGenerator, before anchor: any TableCellGenerator
  ) throws -> TableChanges { try insert([generator], at: requireIndexPath(of: anchor)) }

  /// Inserts generators before a row, or at the end of its section.
  @discardableResult
  public func insert(
    _ generators: [any TableCellGenerator], at indexPath: IndexPath
  ) throws -> TableChanges {
    try inserting(generators) { try store.insert($0, at: indexPath) }
  }

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

  // MARK: Removing

  /// Removes a generator, and its unfolded children. A section without a header is deleted with its last generator.
  ///
  /// Complexity: O(n).
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
      noteRemoval(of: generator)
      return changes
    }
    let section = store.sections[path.section]
    let removed = section.items[path.row]
    let changes =
      try section.header == nil && section.items.count == 1
      ? store.removeSection(at: path.section) : store.remove(at: path)
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

  // MARK: Showing again

  /// Notifies the observer that generators look different, so that their cells show them again.
  ///
  /// Complexity: O(n).
  ///
  /// - Parameter generators: the generators, which must be in the list. Repetitions are allowed.
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
  public func forceRefill() throws -> TableChanges {
    try store.reset { $0.readTitles() }
  }

  // MARK: Index paths

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

// These notify and throw as the methods for cell generators do.
extension DataDisplayManager {
  /// Adds a section at the end. Generators that are added next are in it.
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity` if the header is already in the list.
  @discardableResult
  public func addSectionHeaderGenerator(
    _ header: any TableHeaderGenerator
  ) throws -> TableChanges { try insert(header, at: numberOfSections) }

  /// Adds a section after that of another header.
  ///
  /// Complexity: O(sections).
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity` if the header is already in the list,
  ///   of code `.unknownGenerator` if the other one is not.
  @discardableResult
  public func addSectionHeaderGenerator(
    _ header: any TableHeaderGenerator, after anchor: any TableHeaderGenerator
  ) throws -> TableChanges { try insert(header, at: section(of: anchor) + 1) }

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

  /// Shows a header and its footer again: their titles are read, and their views made. Its rows have no
  /// event.
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

  private func insert(_ header: any TableHeaderGenerator, at section: Int) throws -> TableChanges {
    guard !store.sections.contains(where: { $0.identity == header.identity }) else {
      throw duplicate(header)
    }
    let manager = header.displayManager
    header.displayManager = self
    do {
      return try store.insert(GeneratorSection(header: header, items: []), at: section)
    } catch {
      header.displayManager = manager
      throw error
    }
  }

  func duplicate(_ header: any TableHeaderGenerator) -> TableDataError {
    TableDataError(
      .duplicateIdentity,
      "there is already a section whose header has the id \(header.identity)",
      nextStep: "Add a header once, or give the new one another id")
  }
}
