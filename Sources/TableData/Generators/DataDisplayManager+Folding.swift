extension DataDisplayManager {
  /// Folds or unfolds a generator: its children are removed from the list, or inserted after it. Its own row is
  /// updated. O(n log n).
  ///
  /// - Returns: the changes; none if it is already folded or unfolded.
  @discardableResult
  public func setFolded(
    _ isFolded: Bool, _ generator: any FoldableCellGenerator
  ) throws -> TableChanges {
    let path = try requireIndexPath(of: generator)
    let id = generator.identity
    guard isFolded == (shownChildren[id] != nil) else { return TableChanges() }
    // A child that the generator gave up itself may be one of its children again.
    removedChildren[id]?.removeAll { child in !generator.children.contains { $0 === child } }
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
        contentsOf: expanded(shownChildren(of: generator)), at: path.row + 1)
      return try setShown(sections, parents: children(of: [generator]), updated: [id])
    } catch {
      generator.isFolded = wasFolded
      throw error
    }
  }

  /// Generators, and the children of those that are unfolded.
  ///
  /// - Parameter parents: the identities of the generators above. One that is below itself is in the result twice, so
  ///   that it is refused.
  func expanded(
    _ generators: [any TableCellGenerator], below parents: Set<AnyHashable> = []
  ) -> [any TableCellGenerator] {
    generators.flatMap { generator in
      let children = shownChildren(of: generator)
      guard !children.isEmpty, !parents.contains(generator.identity) else { return [generator] }
      return [generator] + expanded(children, below: parents.union([generator.identity]))
    }
  }

  /// The children of a generator, if they are not hidden and were not removed from the list.
  private func shownChildren(of generator: any TableCellGenerator) -> [any TableCellGenerator] {
    guard let parent = generator as? any FoldableCellGenerator, !parent.isFolded else { return [] }
    let removed = removedChildren[parent.identity] ?? []
    return parent.children.filter { child in !removed.contains { $0 === child } }
  }

  /// Notes that a generator was removed, so that its parent does not show it when it is unfolded again.
  func noteRemoval(of child: any TableCellGenerator) {
    for (parent, children) in shownChildren where children.contains(child.identity) {
      removedChildren[parent, default: []].append(child)
      shownChildren[parent] = children.filter { $0 != child.identity }
    }
  }

  /// The identities of the shown children of generators and of their shown descendants, by parent.
  func children(of generators: [any TableCellGenerator]) -> [AnyHashable: [AnyHashable]] {
    var parents: [AnyHashable: [AnyHashable]] = [:]
    for generator in expanded(generators)
    where (generator as? any FoldableCellGenerator)?.isFolded == false {
      parents[generator.identity] = shownChildren(of: generator).map(\.identity)
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
    for header in sections.compactMap(\.header) { try requireNoOtherList(of: header) }
    let old = shownChildren
    let oldHeaders = store.sections.compactMap(\.header)
    shownChildren = (keepsOthers ? old.merging(parents) { $1 } : parents)
      .filter { remaining.contains($0.key) && $0.key != folded }
    do {
      let changes = try adopting(generators) {
        try store.set(sections, updated: updated)
      }
      abandon(removed)
      if folded == nil { for generator in removed { removedChildren[generator.identity] = nil } }
      replace(replaced, by: generators)
      for header in oldHeaders where header.displayManager === self { header.displayManager = nil }
      for header in store.sections.compactMap(\.header) { header.displayManager = self }
      return changes
    } catch {
      shownChildren = old
      throw error
    }
  }

  /// Becomes the list of generators while they are added, so that they can use it at once.
  ///
  /// - Parameter allowsOthers: whether they may be in another list, which removes them next.
  func adopting<Result>(
    _ generators: [any TableCellGenerator], allowsOthers: Bool = false, _ body: () throws -> Result
  ) throws -> Result {
    let new = generators.filter { $0.displayManager !== self }.map { ($0, $0.displayManager) }
    for case (let generator, let manager?) in new where !allowsOthers && manager.has(generator) {
      throw inAnotherList(generator, a: "generator")
    }
    for (generator, _) in new { generator.displayManager = self }
    do {
      return try body()
    } catch {
      for (generator, manager) in new { generator.displayManager = manager }
      throw error
    }
  }

  func has(_ generator: any TableCellGenerator) -> Bool {
    guard let path = store.indexPath(forIdentity: generator.identity) else { return false }
    return store.sections[path.section].items[path.row] === generator
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

  /// Forgets generators that are no longer in the list. An observer of the change may have added them again.
  func abandon(_ generators: [any TableCellGenerator]) {
    for generator in generators where !has(generator) {
      if store.indexPath(forIdentity: generator.identity) == nil {
        shownChildren[generator.identity] = nil
      }
      if generator.displayManager === self { generator.displayManager = nil }
    }
  }
}
