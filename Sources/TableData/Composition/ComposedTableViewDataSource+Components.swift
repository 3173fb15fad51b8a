// Adding and removing a component is a change like any other: its sections come or go.
extension ComposedTableViewDataSource {
  /// Adds a component at the end.
  ///
  /// - Throws: as ``insert(_:at:)``.
  public func append(_ component: any ComposableTableViewDataSource) throws {
    try insert(component, at: components.count)
  }

  /// Puts a component before another one, or at the end.
  ///
  /// Complexity: O(components).
  ///
  /// - Parameter index: an index of ``components``, or their number.
  /// - Throws: `TableDataError` of code `.duplicateComponent` where it is in the list already, at
  ///   whatever depth, or the list in it; of code `.alreadyObserved` where it has another observer;
  ///   of code `.unknownComponent` where there is no such index; of code `.changeInProgress` while a
  ///   component tells that it will change. Then nothing has changed.
  public func insert(_ component: any ComposableTableViewDataSource, at index: Int) throws {
    guard 0...components.count ~= index else {
      throw TableDataError(
        .unknownComponent, "there is no component \(index): the list has \(components.count)")
    }
    try requireNothingOpen()
    try adopt(component)
    beginBatch()
    if component.numberOfSections > 0 { tellWill() }
    components.insert(component, at: index)
    sectionCounts.insert(component.numberOfSections, at: index)
    batch?.arrived.insert(ObjectIdentifier(component))
    number(from: index)
    endBatch()
  }

  /// Becomes the observer of a component that is not in the list yet.
  func adopt(_ component: any ComposableTableViewDataSource) throws {
    try requireNew(component)
    try component.beObserved(by: self)
  }

  /// Takes a component out of the list. It has no observer then, and may become part of another one.
  ///
  /// Complexity: O(components).
  ///
  /// - Throws: `TableDataError` of code `.unknownComponent` where it is not in ``components``; of
  ///   code `.changeInProgress` while a component tells that it will change.
  public func remove(_ component: any ComposableTableViewDataSource) throws {
    let id = ObjectIdentifier(component)
    guard let index = indices[id] else {
      throw TableDataError(
        .unknownComponent,
        "\(type(of: component)) is not one of the \(components.count) components of this list")
    }
    try requireNothingOpen()
    beginBatch()
    if sectionCounts[index] > 0 { tellWill() }
    component.observer = nil
    components.remove(at: index)
    sectionCounts.remove(at: index)
    indices[id] = nil
    batch?.changes[id] = nil
    if batch?.arrived.remove(id) == nil { batch?.departed.insert(id) }
    number(from: index)
    endBatch()
  }

  /// Gives the components from an index on their numbers.
  func number(from index: Int) {
    for (number, component) in components[index...].enumerated() {
      indices[ObjectIdentifier(component)] = index + number
    }
    forgetIndex()
  }

  private func requireNothingOpen() throws {
    guard batch?.open.isEmpty ?? true else {
      throw TableDataError(
        .changeInProgress,
        "components cannot be added or removed while one tells that it will change: wait for "
          + "contentDidChange")
    }
  }

  private func requireNew(_ component: any ComposableTableViewDataSource) throws {
    let lists = sequence(first: self) { $0.observer as? ComposedTableViewDataSource }
    guard !lists.contains(where: { $0 === component }) else {
      throw TableDataError(
        .duplicateComponent, "a composed list cannot be a component of itself, or of its own one")
    }
    guard let other = component.observer as? ComposedTableViewDataSource else { return }
    guard other.root !== root else {
      throw TableDataError(
        .duplicateComponent,
        "\(type(of: component)) is already a component of this list"
          + (other === self ? "" : ", inside of another one"))
    }
  }

  /// The list that this one is part of, through all depths.
  private var root: ComposedTableViewDataSource {
    var root = self
    while let list = root.observer as? ComposedTableViewDataSource { root = list }
    return root
  }
}
