import CountedTrees

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ComposedTableViewDataSource {
  /// The component of a section, and the section's number there. O(log components).
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  func resolve(
    section: Int
  ) throws -> (component: any ComposableTableViewDataSource, section: Int) {
    try TableDataError.requireSection(section, count: numberOfSections)
    let (index, section) = sectionCounts.position(containingWeight: section)
    return (components[index], section)
  }

  /// The component of a row, and the row's index path there. O(log components), and it reads the
  /// component's number of rows.
  ///
  /// - Parameter allowsEnd: whether the end of a section is allowed too.
  /// - Throws: `TableDataError` with the index path in the whole list.
  func resolve(
    _ indexPath: IndexPath, allowsEnd: Bool = false
  ) throws -> (component: any ComposableTableViewDataSource, indexPath: IndexPath) {
    try indexPath.requireRow(
      inSections: numberOfSections, allowsEnd: allowsEnd, rowCount: numberOfRows(inSection:))
    let (component, section) = try resolve(section: indexPath.section)
    return (component, IndexPath(row: indexPath.row, section: section))
  }

  /// The sections of a component in this list; nil if the list does not have the component.
  ///
  /// Complexity: O(log components).
  public func sections(of component: any ComposableTableViewDataSource) -> Range<Int>? {
    guard let index = indices[ObjectIdentifier(component)] else { return nil }
    let start = sectionCounts.weight(before: index)
    return start..<start + sectionCounts[index]
  }

  /// The index path in this list of a row of a component; nil if the list does not have the component.
  /// It does not check that the row exists.
  ///
  /// Complexity: O(log components).
  public func indexPath(
    of indexPath: IndexPath, in component: any ComposableTableViewDataSource
  ) -> IndexPath? {
    guard indexPath.count == 2, let sections = sections(of: component) else { return nil }
    return indexPath.offset(by: sections.lowerBound)
  }

  // MARK: Selection

  /// The identity of a row's item, as its component gives it.
  ///
  /// - Throws: as ``viewModelForRow(at:)``.
  public func itemIdentityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    let (component, indexPath) = try resolve(indexPath)
    return try component.itemIdentityForRow(at: indexPath)
  }

  /// The index path of the row with an item, in the first component that has it; nil if none has.
  ///
  /// Complexity: O(components), and each is asked.
  ///
  /// - Throws: any error of a component.
  public func indexPath(forItemIdentity identity: AnyHashable) throws -> IndexPath? {
    var sectionsBefore = 0
    for (component, sectionCount) in zip(components, sectionCounts.elements()) {
      if let path = try component.indexPath(forItemIdentity: identity) {
        return path.offset(by: sectionsBefore)
      }
      sectionsBefore += sectionCount
    }
    return nil
  }

  /// Notifies the row's component that the user selected the row.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func didSelectRow(at indexPath: IndexPath) throws {
    let (component, indexPath) = try resolve(indexPath)
    try component.didSelectRow(at: indexPath)
  }

  // MARK: Display, actions, heights

  /// Notifies the row's component that the row is displayed, and that its last row is.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    let (component, localPath) = try resolve(indexPath)
    if let identity = try identityForRow(at: indexPath) { displayed[identity] = component }
    try component.notifyWillDisplayRow(at: localPath)
  }

  /// Notifies the row's component that the row is no longer displayed, also if the component was removed.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    guard let component = displayed.removeValue(forKey: identity),
      let identity = identity.base as? RowID
    else { return }
    component.didEndDisplayingRow(withIdentity: identity.id)
  }

  /// Calls ``onLastRow``.
  ///
  /// - Throws: any error of it.
  public func willDisplayLastRow() throws { try onLastRow() }

  /// The actions of a row, as its component gives them.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func actionsForRow(at indexPath: IndexPath) throws -> RowActions {
    let (component, indexPath) = try resolve(indexPath)
    return try component.actionsForRow(at: indexPath)
  }

  /// The height of a row, as its component gives it.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func heightForRow(at indexPath: IndexPath) throws -> Double? {
    let (component, indexPath) = try resolve(indexPath)
    return try component.heightForRow(at: indexPath)
  }

  /// Notifies the row's component that the user deselected the row.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func didDeselectRow(at indexPath: IndexPath) throws {
    let (component, indexPath) = try resolve(indexPath)
    try component.didDeselectRow(at: indexPath)
  }

  /// Whether the row stays selected, as its component says.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func staysSelected(at indexPath: IndexPath) throws -> Bool {
    let (component, indexPath) = try resolve(indexPath)
    return try component.staysSelected(at: indexPath)
  }
}

// MARK: - Editing

extension ComposedTableViewDataSource {
  /// Whether the row's component allows the user to delete the row.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    let (component, indexPath) = try resolve(indexPath)
    return try component.canEditRow(at: indexPath)
  }

  /// Deletes the row from its component.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the component.
  public func commitDelete(forRowAt indexPath: IndexPath) throws {
    let (component, indexPath) = try resolve(indexPath)
    try component.commitDelete(forRowAt: indexPath)
  }

  /// Whether the row's component allows the user to move the row. ``moveRow(at:to:)`` checks the target.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    let (component, indexPath) = try resolve(indexPath)
    return try component.canMoveRow(at: indexPath)
  }

  /// Moves a row.
  ///
  /// A component itself moves rows inside of it. From one component to another, both must allow the
  /// move: the first must allow to move and to delete the row, the second must allow to insert its view
  /// model. Then the row is inserted there and deleted here, in one batch. If its item has the same identity
  /// in both, that is reported as one move, and the row stays selected; if not, as an insert and a delete.
  ///
  /// - Parameter newIndexPath: the index path after the move.
  /// - Throws: `TableDataError` if the index path does not exist, and of code `.notEditable` if a
  ///   component does not allow the move; then nothing has changed. Any error of the components.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    let source = try resolve(indexPath)
    let target = try resolve(newIndexPath, allowsEnd: true)
    guard source.component !== target.component else {
      return try source.component.moveRow(at: source.indexPath, to: target.indexPath)
    }
    let viewModel = try source.component.viewModelForRow(at: source.indexPath)
    guard try Self.allowsMove(of: viewModel, from: source, to: target) else {
      throw TableDataError(
        .notEditable,
        "the row \(indexPath) cannot be moved to \(newIndexPath): the target is in another component, "
          + "and one of the two components does not allow the move")
    }
    let identity = try source.component.itemIdentityForRow(at: source.indexPath)
    try performBatch {
      if let identity {
        batch?.noteMove(
          of: identity, at: source.indexPath, from: ObjectIdentifier(source.component),
          to: ObjectIdentifier(target.component))
      }
      try target.component.insertRow(viewModel, at: target.indexPath)
      try source.component.commitDelete(forRowAt: source.indexPath)
    }
  }

  private typealias Place = (component: any ComposableTableViewDataSource, indexPath: IndexPath)

  /// Whether two components allow a move of a row from one to the other.
  private static func allowsMove(
    of viewModel: Any, from source: Place, to target: Place
  ) throws -> Bool {
    try source.component.canMoveRow(at: source.indexPath)
      && source.component.canEditRow(at: source.indexPath)
      && target.component.canInsertRow(viewModel, at: target.indexPath)
  }

  /// Where a dragged row is to go: the proposed place if ``moveRow(at:to:)`` accepts it, or else the nearest
  /// place in the row's component. Inside of a component, the component says where.
  ///
  /// - Parameter proposed: the index path after the move.
  /// - Throws: `TableDataError` if an index path does not exist; any error of the components.
  public func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath {
    let source = try resolve(indexPath)
    let target = try resolve(proposed, allowsEnd: true)
    guard let sections = sections(of: source.component) else { return indexPath }
    var nearest = target.indexPath
    if source.component !== target.component {
      let viewModel = try source.component.viewModelForRow(at: source.indexPath)
      guard try !Self.allowsMove(of: viewModel, from: source, to: target) else { return proposed }
      nearest = IndexPath(row: 0, section: 0)
      if proposed.section >= sections.upperBound {
        let last = sections.count - 1
        let end = try source.component.numberOfRows(inSection: last)
        nearest = IndexPath(
          row: last == source.indexPath.section ? end - 1 : end, section: last)
      }
    }
    let path = try source.component.targetIndexPathForMove(
      from: source.indexPath, toProposed: nearest)
    return path.offset(by: sections.lowerBound)
  }

  /// Whether the section's component allows to insert a view model of another component.
  ///
  /// - Throws: `TableDataError` if the index path does not exist.
  public func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) throws -> Bool {
    let (component, indexPath) = try resolve(indexPath, allowsEnd: true)
    return try component.canInsertRow(viewModel, at: indexPath)
  }

  /// Inserts a row into the section's component.
  ///
  /// - Throws: `TableDataError` if the index path does not exist; any error of the component.
  public func insertRow(_ viewModel: Any, at indexPath: IndexPath) throws {
    let (component, indexPath) = try resolve(indexPath, allowsEnd: true)
    try component.insertRow(viewModel, at: indexPath)
  }
}
