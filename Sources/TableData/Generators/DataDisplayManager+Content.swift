extension DataDisplayManager {
  /// Replaces all headers and cell generators.
  ///
  /// ```swift
  /// try form.setContent {
  ///   TitleHeaderGenerator(title: "Sound")
  ///   CellGenerator(SliderCell.self, volume)
  ///   for speaker in speakers { CellGenerator(SpeakerCell.self, speaker) }
  /// }
  /// ```
  ///
  /// A generator that is already in the list, or that looks like the one with its `id`, has no event; one that looks
  /// different is an update. Complexity: O(n log n).
  @discardableResult
  public func setContent(
    @GeneratorBuilder<GeneratorListItem> _ content: () throws -> [GeneratorListItem]
  ) throws -> TableChanges {
    var sections: [GeneratorSection] = []
    var headers: Set<AnyHashable> = []
    for item in try content() {
      switch item {
      case .header(let header):
        guard headers.insert(header.identity).inserted else { throw duplicate(header) }
        sections.append(GeneratorSection(header: header, items: []))
      case .cell(let generator):
        if sections.isEmpty { sections.append(GeneratorSection(header: nil, items: [])) }
        sections[sections.count - 1].items.append(generator)
      }
    }
    return try set(sections)
  }

  /// Replaces the cell generators of a header's section; or all of them, if no header is given. Without a header, the
  /// sections that have headers stay, and the generators are in the last one. Complexity: O(n log n).
  @discardableResult
  public func setCellGenerators(
    _ generators: [any TableCellGenerator], toHeader header: (any TableHeaderGenerator)? = nil
  ) throws -> TableChanges {
    if let header {
      var sections = store.sections
      // The other sections have the children of their unfolded generators already.
      sections[try section(of: header)].items = expanded(generators)
      return try setShown(sections, parents: children(of: generators))
    }
    var sections = store.sections.compactMap { section in
      section.header.map { GeneratorSection(header: $0, items: []) }
    }
    if sections.isEmpty, !generators.isEmpty {
      sections = [GeneratorSection(header: nil, items: [])]
    }
    if !sections.isEmpty { sections[sections.count - 1].items = generators }
    return try set(sections)
  }

  private func set(_ sections: [GeneratorSection]) throws -> TableChanges {
    let removed = removedChildren
    removedChildren = [:]
    do {
      return try setShown(
        sections.map { GeneratorSection(header: $0.header, items: expanded($0.items)) },
        parents: children(of: sections.flatMap(\.items)), keepsOthers: false)
    } catch {
      removedChildren = removed
      throw error
    }
  }

  /// Moves a generator, with its unfolded children, to another index path, the one after the move.
  @discardableResult
  public func move(
    _ generator: any TableCellGenerator, to indexPath: IndexPath
  ) throws -> TableChanges {
    let path = try requireIndexPath(of: generator)
    let section = store.sections[path.section]
    if shownChildren[generator.identity] == nil, section.header != nil || section.items.count > 1 {
      return try store.move(from: path, to: indexPath)
    }
    return try moveGroup(of: generator) { sections in
      try indexPath.requireRow(inSections: sections.count, allowsEnd: true) {
        sections[$0].items.count
      }
      return indexPath
    }
  }

  /// Moves a generator, with its unfolded children, after another one and its unfolded children. O(n log n).
  @discardableResult
  public func move(
    _ generator: any TableCellGenerator, after anchor: any TableCellGenerator
  ) throws -> TableChanges {
    guard generator !== anchor else { return TableChanges() }
    return try moveGroup(of: generator) { sections in
      indexPath(after: anchor, at: try indexPath(of: anchor, in: sections), in: sections)
    }
  }

  /// Moves a generator, with its unfolded children, before another one. O(n log n).
  @discardableResult
  public func move(
    _ generator: any TableCellGenerator, before anchor: any TableCellGenerator
  ) throws -> TableChanges {
    guard generator !== anchor else { return TableChanges() }
    return try moveGroup(of: generator) { try indexPath(of: anchor, in: $0) }
  }

  /// - Parameter target: gives the new index path in the list without the rows that move.
  private func moveGroup(
    of generator: any TableCellGenerator, to target: ([GeneratorSection]) throws -> IndexPath
  ) throws -> TableChanges {
    let path = try requireIndexPath(of: generator)
    let group = shownDescendants(of: generator.identity).union([generator.identity])
    var sections = store.sections
    let rows = sections[path.section].items.filter { group.contains($0.identity) }
    sections[path.section].items.removeAll { group.contains($0.identity) }
    let new = try target(sections)
    sections[new.section].items.insert(contentsOf: rows, at: new.row)
    // A section without a header exists as long as it has rows.
    sections.removeAll { $0.header == nil && $0.items.isEmpty }
    return try setShown(sections)
  }

  /// The index path after a generator and its unfolded children.
  func indexPath(
    after anchor: any TableCellGenerator, at path: IndexPath, in sections: [GeneratorSection]
  ) -> IndexPath {
    let children = shownDescendants(of: anchor.identity)
    let last = sections[path.section].items.lastIndex { children.contains($0.identity) }
    return IndexPath(row: max(last ?? path.row, path.row) + 1, section: path.section)
  }

  private func indexPath(
    of anchor: any TableCellGenerator, in sections: [GeneratorSection]
  ) throws -> IndexPath {
    guard let path = sections.indexPath(where: { $0.identity == anchor.identity }) else {
      throw unknown(anchor, id: anchor.identity)
    }
    return path
  }
}
