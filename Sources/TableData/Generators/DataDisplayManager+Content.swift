// These notify the observer of one batch of the fewest changes, and return it. Generators are compared by their
// `id`. They throw `TableDataError`; then nothing has changed.
extension DataDisplayManager {
  // MARK: Everything

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
  /// A generator that is already in the list, or that looks like the one with its `id`, has no event; one that
  /// looks different is an update.
  ///
  /// Complexity: O(n log n).
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  @discardableResult
  public func setContent(
    @GeneratorBuilder<GeneratorListItem> _ content: () throws -> [GeneratorListItem]
  ) throws -> TableChanges {
    var sections: [GeneratorSection] = []
    for item in try content() {
      switch item {
      case .header(let header):
        guard !sections.contains(where: { $0.identity == header.identity }) else {
          throw duplicate(header)
        }
        sections.append(GeneratorSection(header: header, items: []))
      case .cell(let generator):
        if sections.isEmpty { sections.append(GeneratorSection(header: nil, items: [])) }
        sections[sections.count - 1].items.append(generator)
      }
    }
    return try set(sections)
  }

  /// Replaces all cell generators. The sections with a header stay, and the generators are in the last one, as
  /// if all were cleared and these were added.
  ///
  /// Complexity: O(n log n).
  ///
  /// - Throws: `TableDataError` of code `.duplicateIdentity`.
  @discardableResult
  public func setCellGenerators(_ generators: [any TableCellGenerator]) throws -> TableChanges {
    var sections = store.sections.compactMap { section in
      section.header.map { GeneratorSection(header: $0, items: []) }
    }
    if sections.isEmpty, !generators.isEmpty {
      sections = [GeneratorSection(header: nil, items: [])]
    }
    if !sections.isEmpty { sections[sections.count - 1].items = generators }
    return try set(sections)
  }

  /// Replaces the cell generators of a header's section.
  ///
  /// Complexity: O(n log n).
  ///
  /// - Throws: `TableDataError` of code `.unknownGenerator` if the header is not in the list, and of code
  ///   `.duplicateIdentity`.
  @discardableResult
  public func setCellGenerators(
    _ generators: [any TableCellGenerator], toHeader header: any TableHeaderGenerator
  ) throws -> TableChanges {
    var sections = store.sections
    // The other sections have the children of their unfolded generators already.
    sections[try section(of: header)].items = expanded(generators)
    return try setShown(sections, parents: children(of: generators))
  }

  private func set(_ sections: [GeneratorSection]) throws -> TableChanges {
    try setShown(
      sections.map { GeneratorSection(header: $0.header, items: expanded($0.items)) },
      parents: children(of: sections.flatMap(\.items)), keepsOthers: false)
  }

  // MARK: Moving

  /// Moves a generator, with its unfolded children, before a row or to the end of its section.
  ///
  /// - Parameter indexPath: the index path after the move.
  /// - Throws: `TableDataError` of code `.unknownGenerator`, and if the index path does not exist.
  @discardableResult
  public func move(
    _ generator: any TableCellGenerator, to indexPath: IndexPath
  ) throws -> TableChanges {
    let path = try requireIndexPath(of: generator)
    let section = store.sections[path.section]
    if shownChildren[generator.identity] == nil, section.header != nil || section.items.count > 1 {
      return try store.move(from: path, to: indexPath, for: self)
    }
    return try moveGroup(of: generator) { sections in
      try indexPath.requireRow(inSections: sections.count, allowsEnd: true) {
        sections[$0].items.count
      }
      return indexPath
    }
  }

  /// Moves a generator, with its unfolded children, after another one and its unfolded children.
  ///
  /// Complexity: O(n log n).
  @discardableResult
  public func move(
    _ generator: any TableCellGenerator, after anchor: any TableCellGenerator
  ) throws -> TableChanges {
    guard generator !== anchor else { return TableChanges() }
    let last = shownDescendants(of: anchor.identity)
    return try moveGroup(of: generator) { sections in
      let path = try indexPath(of: anchor, in: sections)
      let rows = sections[path.section].items
      let row = rows.lastIndex { last.contains($0.identity) } ?? path.row
      return IndexPath(row: max(row, path.row) + 1, section: path.section)
    }
  }

  /// Moves a generator, with its unfolded children, before another one.
  ///
  /// Complexity: O(n log n).
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

  private func indexPath(
    of anchor: any TableCellGenerator, in sections: [GeneratorSection]
  ) throws -> IndexPath {
    for (number, section) in sections.enumerated() {
      if let row = section.items.firstIndex(where: { $0.identity == anchor.identity }) {
        return IndexPath(row: row, section: number)
      }
    }
    throw unknown(anchor, id: anchor.identity)
  }

  // MARK: Folding

  /// Folds or unfolds a generator: its children are removed from the list, or inserted after it. Its own row is
  /// updated.
  ///
  /// Complexity: O(n log n).
  ///
  /// - Returns: the changes; none if it is already folded or unfolded.
  /// - Throws: `TableDataError` of code `.unknownGenerator`, and of code `.duplicateIdentity` if a child is
  ///   already in the list.
  @discardableResult
  public func setFolded(
    _ isFolded: Bool, _ generator: any FoldableCellGenerator
  ) throws -> TableChanges {
    let path = try requireIndexPath(of: generator)
    let id = generator.identity
    guard isFolded == (shownChildren[id] != nil) else { return TableChanges() }
    var sections = store.sections
    let wasFolded = generator.isFolded
    generator.isFolded = isFolded
    do {
      if isFolded {
        let hidden = shownDescendants(of: id)
        for section in sections.indices {
          sections[section].items.removeAll { hidden.contains($0.identity) }
        }
        return try setShown(sections, folded: id, updated: [id])
      }
      sections[path.section].items.insert(
        contentsOf: expanded(generator.children), at: path.row + 1)
      return try setShown(sections, parents: children(of: [generator]), updated: [id])
    } catch {
      generator.isFolded = wasFolded
      throw error
    }
  }

  /// Generators, and the children of those that are unfolded.
  ///
  /// - Parameter parents: the identities of the generators above. One that is below itself is in the result twice,
  ///   so that it is refused.
  func expanded(
    _ generators: [any TableCellGenerator], below parents: Set<AnyHashable> = []
  ) -> [any TableCellGenerator] {
    generators.flatMap { generator in
      let children = generator.shownChildren
      guard !children.isEmpty, !parents.contains(generator.identity) else { return [generator] }
      return [generator] + expanded(children, below: parents.union([generator.identity]))
    }
  }

  /// The identities of the shown children of generators and of their shown descendants, by parent.
  func children(of generators: [any TableCellGenerator]) -> [AnyHashable: [AnyHashable]] {
    var parents: [AnyHashable: [AnyHashable]] = [:]
    for generator in expanded(generators)
    where (generator as? any FoldableCellGenerator)?.isFolded == false {
      parents[generator.identity] = generator.shownChildren.map(\.identity)
    }
    return parents
  }

  /// The identities of the rows that belong to a generator, at all levels.
  func shownDescendants(of id: AnyHashable) -> Set<AnyHashable> {
    var found: Set<AnyHashable> = []
    var waiting = shownChildren[id] ?? []
    while let child = waiting.popLast() {
      guard found.insert(child).inserted else { continue }
      waiting += shownChildren[child] ?? []
    }
    return found
  }

  // MARK: Content with children

  /// Replaces the shown rows.
  ///
  /// - Parameters:
  ///   - parents: the children that are shown now.
  ///   - keepsOthers: whether the children of other generators stay known, if those stay.
  ///   - folded: the generator that is folded.
  ///   - updated: rows that are updated although their generator is the same.
  func setShown(
    _ sections: [GeneratorSection], parents: [AnyHashable: [AnyHashable]] = [:],
    keepsOthers: Bool = true, folded: AnyHashable? = nil, updated: Set<AnyHashable> = []
  ) throws -> TableChanges {
    let generators = sections.flatMap(\.items)
    let remaining = Set(generators.map(\.identity))
    let objects = Set(generators.map { ObjectIdentifier($0) })
    let removed = cellGenerators.filter { !remaining.contains($0.identity) }
    let replaced = cellGenerators.filter {
      remaining.contains($0.identity) && !objects.contains(ObjectIdentifier($0))
    }
    let old = shownChildren
    let oldHeaders = store.sections.compactMap(\.header)
    shownChildren = (keepsOthers ? old.merging(parents) { $1 } : parents)
      .filter { remaining.contains($0.key) && $0.key != folded }
    do {
      let changes = try adopting(generators) {
        try store.set(sections, updated: updated, for: self)
      }
      abandon(removed)
      replace(replaced, by: generators)
      for header in oldHeaders { header.displayManager = nil }
      for header in store.sections.compactMap(\.header) { header.displayManager = self }
      return changes
    } catch {
      shownChildren = old
      throw error
    }
  }

  /// Becomes the list of generators while they are added, so that they can use it at once.
  func adopting<Result>(
    _ generators: [any TableCellGenerator], _ body: () throws -> Result
  ) throws -> Result {
    let new = generators.filter { $0.displayManager !== self }.map { ($0, $0.displayManager) }
    for (generator, _) in new { generator.displayManager = self }
    do {
      return try body()
    } catch {
      for (generator, manager) in new { generator.displayManager = manager }
      throw error
    }
  }

  /// Lets generators take the place of those with the same identity, also on the screen.
  private func replace(
    _ replaced: [any TableCellGenerator], by generators: [any TableCellGenerator]
  ) {
    guard !replaced.isEmpty else { return }
    let new = Dictionary(
      generators.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    for generator in replaced {
      if generator.displayManager === self { generator.displayManager = nil }
      if displayed[generator.identity] != nil {
        displayed[generator.identity] = new[generator.identity]
      }
    }
  }

  /// Forgets generators that are no longer in the list.
  func abandon(_ generators: [any TableCellGenerator]) {
    for generator in generators {
      shownChildren[generator.identity] = nil
      if generator.displayManager === self { generator.displayManager = nil }
    }
  }
}

extension TableCellGenerator {
  /// The children, if they are not hidden.
  fileprivate var shownChildren: [any TableCellGenerator] {
    guard let parent = self as? any FoldableCellGenerator, !parent.isFolded else { return [] }
    return parent.children
  }
}
