#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// All of these tell one batch of changes, and return what they told. They throw `TableDataError`, and
// have then changed nothing: `.duplicateIdentity` for a generator that is in the list already,
// `.unknownGenerator` for one that is not and was said to be, `.changeInProgress` when called by the
// observer in `contentWillChange`.
extension DataDisplayManager {
  // MARK: Adding

  /// Adds a generator at the end of the last section.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func addCellGenerator(_ generator: any TableCellGenerator) throws -> TableChanges {
    try addCellGenerators([generator])
  }

  /// Adds generators at the end of the last section; where there is none, they make one without a
  /// header.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func addCellGenerators(_ generators: [any TableCellGenerator]) throws -> TableChanges {
    guard let last = store.sections.indices.last else {
      guard !generators.isEmpty else { return TableChanges() }
      return try store.insert(GeneratorSection(header: nil, items: generators), at: 0, for: self)
    }
    return try insert(generators, at: store.endOfSection(last))
  }

  /// Adds a generator behind another one.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func addCellGenerator(
    _ generator: any TableCellGenerator, after anchor: any TableCellGenerator
  ) throws -> TableChanges { try addCellGenerators([generator], after: anchor) }

  /// Adds generators behind another one.
  ///
  /// Complexity: O(n).
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func addCellGenerators(
    _ generators: [any TableCellGenerator], after anchor: any TableCellGenerator
  ) throws -> TableChanges {
    let place = try place(of: anchor)
    return try insert(generators, at: IndexPath(row: place.row + 1, section: place.section))
  }

  /// Adds a generator at the end of a header's section.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func addCellGenerator(
    _ generator: any TableCellGenerator, toHeader header: any TableHeaderGenerator
  ) throws -> TableChanges { try addCellGenerators([generator], toHeader: header) }

  /// Adds generators at the end of a header's section.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func addCellGenerators(
    _ generators: [any TableCellGenerator], toHeader header: any TableHeaderGenerator
  ) throws -> TableChanges {
    try insert(generators, at: store.endOfSection(section(of: header)))
  }

  /// Inserts a generator before another one.
  ///
  /// Complexity: O(n).
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func insert(
    _ generator: any TableCellGenerator, before anchor: any TableCellGenerator
  ) throws -> TableChanges { try insert([generator], at: place(of: anchor)) }

  /// Inserts generators before a row, or at the end of its section.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`, also where there is no such place.
  @discardableResult
  public func insert(
    _ generators: [any TableCellGenerator], at indexPath: IndexPath
  ) throws -> TableChanges { try store.insert(generators, at: indexPath, for: self) }

  // MARK: Removing

  /// Removes a generator. Its section goes with the last one where it has no header.
  ///
  /// Complexity: O(n).
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func remove(_ generator: any TableCellGenerator) throws -> TableChanges {
    let place = try place(of: generator)
    let section = store.sections[place.section]
    let changes =
      try section.header == nil && section.items.count == 1
      ? store.removeSection(at: place.section, for: self) : store.remove(at: place, for: self)
    lastCells[generator.identity] = nil
    return changes
  }

  /// Removes all cell generators; the sections that have a header stay.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func clearCellGenerators() throws -> TableChanges {
    let headers = store.sections.compactMap(\.header)
    let changes = try store.set(
      headers.map { GeneratorSection(header: $0, items: []) }, for: self)
    lastCells = [:]
    return changes
  }

  // MARK: Showing anew

  /// Tells that generators look different, so that their rows are reloaded: they get a cell anew.
  ///
  /// Complexity: O(n).
  ///
  /// - Parameter generators: may name one several times; all must be in the list.
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func update(generators: [any TableCellGenerator]) throws -> TableChanges {
    let places = store.places
    return try store.update(
      at: generators.map { generator in
        guard let place = places[generator.identity] else { throw unknown(generator) }
        return place
      }, for: self)
  }

  /// Shows a generator anew in the cell that it is in, without a word to the observer: for what
  /// changes while the user looks at it, or edits it.
  ///
  /// A cell that shows another row by now is not touched, whoever's row that is.
  ///
  /// - Returns: whether a cell shows the generator at the moment.
  /// - Throws: what the generator throws.
  @discardableResult
  public func refresh(_ generator: any TableCellGenerator) throws -> Bool {
    guard let cell = lastCells[generator.identity]?.cell, cell.shownObject === generator else {
      return false
    }
    try generator.show(in: cell)
    return true
  }

  /// Tells that everything may be different, so that the whole list is read anew.
  ///
  /// - Returns: what was told: a reset.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func forceRefill() throws -> TableChanges { try store.reset(for: self) }

  // MARK: Places

  private func place(of generator: any TableCellGenerator) throws -> IndexPath {
    guard let place = store.indexPath(forIdentity: generator.identity) else {
      throw unknown(generator)
    }
    return place
  }

  private func unknown(_ generator: any TableCellGenerator) -> TableDataError {
    TableDataError(
      .unknownGenerator,
      "\(type(of: generator)) with the id \(generator.identity) is not in the list: add it first")
  }
}

// Told and checked as the changes of cell generators.
extension DataDisplayManager {
  /// Adds a section at the end. What is added next goes into it.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError` of code `.duplicateIdentity` where the header is in the list already.
  @discardableResult
  public func addSectionHeaderGenerator(
    _ header: any TableHeaderGenerator
  ) throws -> TableChanges { try insert(header, at: numberOfSections) }

  /// Adds a section behind that of another header.
  ///
  /// Complexity: O(sections).
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError` of code `.duplicateIdentity` where the header is in the list already,
  ///   of code `.unknownGenerator` where the other one is not.
  @discardableResult
  public func addSectionHeaderGenerator(
    _ header: any TableHeaderGenerator, after anchor: any TableHeaderGenerator
  ) throws -> TableChanges { try insert(header, at: section(of: anchor) + 1) }

  /// Removes a section: the header and its cell generators.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError` of code `.unknownGenerator` where the header is not in the list.
  @discardableResult
  public func removeSection(of header: any TableHeaderGenerator) throws -> TableChanges {
    let section = try section(of: header)
    let generators = store.sections[section].items
    let changes = try store.removeSection(at: section, for: self)
    for generator in generators { lastCells[generator.identity] = nil }
    return changes
  }

  /// Removes all headers; the cell generators stay, in one section.
  ///
  /// - Returns: what was told.
  /// - Throws: `TableDataError`.
  @discardableResult
  public func clearHeaderGenerators() throws -> TableChanges {
    let generators = cellGenerators
    return try store.set(
      generators.isEmpty ? [] : [GeneratorSection(header: nil, items: generators)], for: self)
  }

  func section(of header: any TableHeaderGenerator) throws -> Int {
    guard let section = store.sections.firstIndex(where: { $0.identity == header.identity }) else {
      throw TableDataError(
        .unknownGenerator,
        "\(type(of: header)) with the id \(header.identity) is not in the list: add it first")
    }
    return section
  }

  private func insert(_ header: any TableHeaderGenerator, at section: Int) throws -> TableChanges {
    guard !store.sections.contains(where: { $0.identity == header.identity }) else {
      throw TableDataError(
        .duplicateIdentity,
        "there already is a section whose header has the id \(header.identity): add a header once, "
          + "or give the new one another id")
    }
    return try store.insert(GeneratorSection(header: header, items: []), at: section, for: self)
  }
}
