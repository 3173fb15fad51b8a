import CountedTrees

// The observer is notified of inserted and removed components as of inserted and deleted sections.
extension ComposedTableViewDataSource {
  /// Inserts a component at the end.
  ///
  /// - Throws: as ``insert(_:at:)``.
  public func append(_ component: any ComposableTableViewDataSource) throws {
    try insert(component, at: components.count)
  }

  /// Inserts a component before another one, or at the end.
  ///
  /// Complexity: O(components).
  ///
  /// - Parameter index: an index of ``components``, or their number.
  /// - Throws: `TableDataError`. Then nothing has changed. The codes are: `.duplicateComponent` if the
  ///   component is already in the list at any depth, or the list in it; `.alreadyObserved` if it has
  ///   another observer; `.unknownComponent` if the index is out of range; `.changeInProgress` if a
  ///   component is between `contentWillChange` and `contentDidChange`.
  public func insert(_ component: any ComposableTableViewDataSource, at index: Int) throws {
    guard 0...components.count ~= index else {
      throw TableDataError(
        .unknownComponent, "there is no component \(index): the list has \(components.count)")
    }
    try requireNoneChanging()
    try observe(component)
    beginBatch()
    if component.numberOfSections > 0 { notifyWillChange() }
    components.insert(component, at: index)
    sectionCounts.insert(component.numberOfSections, at: index)
    batch?.inserted.insert(ObjectIdentifier(component))
    updateIndices(from: index)
    endBatch()
  }

  /// Becomes the observer of a component that is not yet in the list.
  func observe(_ component: any ComposableTableViewDataSource) throws {
    try requireNew(component)
    try component.setObserver(self)
  }

  /// Removes a component from the list. It has no observer afterwards, so another list can use it.
  ///
  /// Complexity: O(components).
  ///
  /// - Throws: `TableDataError` of code `.unknownComponent` if it is not in ``components``, and of code
  ///   `.changeInProgress` if a component is between `contentWillChange` and `contentDidChange`.
  public func remove(_ component: any ComposableTableViewDataSource) throws {
    let id = ObjectIdentifier(component)
    guard let index = indices[id] else {
      throw TableDataError(
        .unknownComponent,
        "\(type(of: component)) is not one of the \(components.count) components of this list")
    }
    try requireNoneChanging()
    beginBatch()
    if sectionCounts[index] > 0 { notifyWillChange() }
    component.observer = nil
    components.remove(at: index)
    sectionCounts.remove(at: index)
    indices[id] = nil
    if batch?.inserted.remove(id) == nil { batch?.removed.insert(id) }
    updateIndices(from: index)
    endBatch()
  }

  /// Updates the indices of the components from `index` on.
  func updateIndices(from index: Int) {
    for (number, component) in components[index...].enumerated() {
      indices[ObjectIdentifier(component)] = index + number
    }
    clearIndexTitles()
  }

  /// Checks that the indices and the counts of sections agree with the components. O(components).
  ///
  /// - Throws: ``BrokenInvariant``.
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

  private func requireNoneChanging() throws {
    guard batch?.changing.isEmpty ?? true else {
      throw TableDataError(
        .changeInProgress,
        "a component of the list is changing",
        nextStep: "Insert and remove components after its contentDidChange")
    }
  }

  private func requireNew(_ component: any ComposableTableViewDataSource) throws {
    let lists = sequence(first: self) { $0.observer as? ComposedTableViewDataSource }
    guard !lists.contains(where: { $0 === component }) else {
      throw TableDataError(
        .duplicateComponent,
        "a composed list cannot be a component of itself, or of one of its components")
    }
    guard let other = component.observer as? ComposedTableViewDataSource else { return }
    guard other.root !== root else {
      throw TableDataError(
        .duplicateComponent,
        "\(type(of: component)) is already a component of this list"
          + (other === self ? "" : ", inside of another component"))
    }
  }

  /// The outermost list that contains this one.
  private var root: ComposedTableViewDataSource {
    var root = self
    while let list = root.observer as? ComposedTableViewDataSource { root = list }
    return root
  }
}
