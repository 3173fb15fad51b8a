import CountedTrees

extension ComposedTableViewDataSource {
  /// Inserts a component at the end.
  public func append(_ component: any ComposableTableViewDataSource) throws {
    try insert(component, at: components.count)
  }

  /// Inserts a component before another one, or at the end. O(components).
  ///
  /// - Throws: `TableDataError`; then nothing has changed. The codes are: `.duplicateComponent` if the component is
  ///   already in the list at any depth, or if this list is inside the component; `.alreadyObserved` if it has another
  ///   observer; `.unknownComponent` if the index is out of range; `.changeInProgress` if a component is between
  ///   `contentWillChange` and `contentDidChange`, or if the observer of this list is in `contentWillChange`.
  public func insert(_ component: any ComposableTableViewDataSource, at index: Int) throws {
    try requireIndex(index, allowsEnd: true)
    try requireNoneChanging()
    try observe(component)
    beginBatch()
    if component.numberOfSections > 0 { whileClosed { notifyWillChange() } }
    components.insert(component, at: index)
    sectionCounts.insert(component.numberOfSections, at: index)
    batch?.inserted.insert(ObjectIdentifier(component))
    updateIndices(from: index)
    endBatch()
  }

  func observe(_ component: any ComposableTableViewDataSource) throws {
    try requireNew(component)
    try component.setObserver(self)
  }

  /// Removes a component from the list. It has no observer afterwards, so another list can use it. O(components).
  ///
  /// - Throws: `TableDataError` with code `.unknownComponent` or `.changeInProgress`, as ``insert(_:at:)``.
  public func remove(_ component: any ComposableTableViewDataSource) throws {
    let id = ObjectIdentifier(component)
    let index = try requireIndex(of: component)
    try requireNoneChanging()
    beginBatch()
    if sectionCounts[index] > 0 { whileClosed { notifyWillChange() } }
    component.observer = nil
    components.remove(at: index)
    sectionCounts.remove(at: index)
    indices[id] = nil
    if batch?.inserted.remove(id) == nil { batch?.removed.insert(id) }
    updateIndices(from: index)
    endBatch()
  }

  /// Moves a component to another index of ``components``, the one after the move.
  ///
  /// The observer is notified of one batch. The rows between the old and the new place move, and the headers there
  /// are updated, so that the rows keep their cells and stay selected. If they are more than 1,000, or in a
  /// ``performBatch(_:)``, the sections of the component are deleted and inserted instead. Complexity: O(components +
  /// rows that move).
  ///
  /// - Throws: `TableDataError` with code `.unknownComponent` or `.changeInProgress`, as ``insert(_:at:)``.
  public func move(_ component: any ComposableTableViewDataSource, to index: Int) throws {
    let old = try requireIndex(of: component)
    try requireIndex(index)
    var order = components
    order.insert(order.remove(at: old), at: index)
    try rearrange(to: order, moved: [component])
  }

  /// Swaps two components, as one batch, in the same way as ``move(_:to:)``.
  public func swap(
    _ component: any ComposableTableViewDataSource, _ other: any ComposableTableViewDataSource
  ) throws {
    let index = try requireIndex(of: component)
    let otherIndex = try requireIndex(of: other)
    var order = components
    order.swapAt(index, otherIndex)
    try rearrange(to: order, moved: index < otherIndex ? [other, component] : [component, other])
  }

  static let maximumMovedRows = 1_000

  /// - Parameter moved: the components that are removed and inserted if the rows do not move, in their new order.
  private func rearrange(
    to order: [any ComposableTableViewDataSource], moved: [any ComposableTableViewDataSource]
  ) throws {
    try requireNoneChanging()
    // A component that is swapped with itself must not be removed twice.
    guard !order.elementsEqual(components, by: ===) else { return }
    guard batch == nil, let changes = try movesOfRows(to: order) else {
      return try performBatch {
        for component in moved { try remove(component) }
        for component in moved {
          let index = order.firstIndex { $0 === component } ?? components.count
          try insert(component, at: index)
        }
      }
    }
    if !changes.isEmpty { whileClosed { observer?.contentWillChange(of: self) } }
    components = order
    sectionCounts = PrefixSums(order.lazy.map(\.numberOfSections))
    updateIndices(from: 0)
    if !changes.isEmpty { observer?.contentDidChange(of: self, by: changes) }
  }

  /// The moves of all rows whose section has another number in another order of the components; nil if they are too
  /// many. Each number is that of a section before and after, whose header is then another one.
  private func movesOfRows(
    to order: [any ComposableTableViewDataSource]
  ) throws -> TableChanges? {
    var changes = TableChanges()
    var new = 0
    for component in order {
      for section in 0..<component.numberOfSections {
        let old = (sections(of: component)?.lowerBound ?? 0) + section
        if old != new {
          changes.updatedSections.append(TableChanges.SectionUpdate(old: new, new: new))
          let count = try component.numberOfRows(inSection: section)
          guard changes.movedRows.count + count <= Self.maximumMovedRows else { return nil }
          changes.movedRows += IndexPath.rows(count, inSection: new).map {
            TableChanges.Move(
              from: IndexPath(row: $0.row, section: old), to: $0, keepsContent: true)
          }
        }
        new += 1
      }
    }
    return changes
  }

  private func requireIndex(of component: any ComposableTableViewDataSource) throws -> Int {
    guard let index = indices[ObjectIdentifier(component)] else {
      throw TableDataError(
        .unknownComponent,
        "\(type(of: component)) is not one of the \(components.count) components of this list")
    }
    return index
  }

  private func requireIndex(_ index: Int, allowsEnd: Bool = false) throws {
    guard 0..<components.count + (allowsEnd ? 1 : 0) ~= index else {
      throw TableDataError(
        .unknownComponent, "there is no component \(index): the list has \(components.count)")
    }
  }

  func updateIndices(from index: Int) {
    for (number, component) in components[index...].enumerated() {
      indices[ObjectIdentifier(component)] = index + number
    }
  }

  /// Checks that the indices and the counts of sections agree with the components. O(components).
  package func checkInvariants() throws {
    try sectionCounts.checkInvariants()
    let counts = components.map(\.numberOfSections)
    try BrokenInvariant.check(
      Array(sectionCounts.elements()) == counts,
      "\(Array(sectionCounts.elements())) sections, but the components have \(counts)")
    try BrokenInvariant.check(
      indices.count == components.count
        && components.enumerated().allSatisfy { indices[ObjectIdentifier($1)] == $0 },
      "the indices are not those of the \(components.count) components")
    try BrokenInvariant.check(
      components.allSatisfy { $0.observer === self }, "a component has another observer")
  }

  /// Notifies the observer. If it changed the components now, the indices that are in use would be wrong.
  private func whileClosed(_ notify: () -> Void) {
    gate.isClosed = true
    defer { gate.isClosed = false }
    notify()
  }

  private func requireNoneChanging() throws {
    try gate.requireOpen()
    guard batch?.changing.isEmpty ?? true else {
      throw TableDataError(
        .changeInProgress,
        "a component of the list is changing",
        nextStep: "Insert and remove components after its contentDidChange")
    }
  }

  private func requireNew(_ component: any ComposableTableViewDataSource) throws {
    guard !lists.contains(where: { $0 === component }) else {
      throw TableDataError(
        .duplicateComponent,
        "a composed list cannot be a component of itself, or of one of its components")
    }
    guard let other = component.observer as? ComposedTableViewDataSource else { return }
    guard !other.lists.contains(where: { list in lists.contains { $0 === list } }) else {
      throw TableDataError(
        .duplicateComponent,
        "\(type(of: component)) is already a component of this list"
          + (other === self ? "" : ", inside another component"))
    }
  }

  /// This list, the one that contains it, and so on.
  private var lists: some Sequence<ComposedTableViewDataSource> {
    sequence(first: self) { $0.observer as? ComposedTableViewDataSource }
  }
}
