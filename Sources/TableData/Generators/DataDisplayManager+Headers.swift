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
