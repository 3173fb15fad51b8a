#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The rows that a PagingDataProvider shows: those of its base, and its status rows.

extension PagingDataProvider {
  /// The numbers of the base's sections.
  var baseSections: Range<Int> {
    let start = edges[.start] == nil ? 0 : 1
    return start..<start + base.numberOfSections
  }

  /// The row at an end, if the section is one of those.
  func status(ofSection section: Int) -> PageStatus? {
    if section == 0, let edge = edges[.start] { return edge.status }
    return section == baseSections.upperBound ? edges[.end]?.status : nil
  }

  /// The sections of the base, and those of the status rows.
  public var sections: [SectionInfo] {
    func info(_ edge: PageEdge) -> [SectionInfo] {
      guard let status = edges[edge]?.status else { return [] }
      return [SectionInfo(name: nil, numberOfRows: showsStatus(status) ? 1 : 0)]
    }
    return info(.start) + base.sections + info(.end)
  }

  /// The number of sections.
  public var numberOfSections: Int { base.numberOfSections + edges.count }

  /// The number of rows of a section.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try TableDataError.requireSection(section, count: numberOfSections)
    if let status = status(ofSection: section) { return showsStatus(status) ? 1 : 0 }
    return try base.numberOfRows(inSection: section - baseSections.lowerBound)
  }

  /// The title of a section's header, as the base gives it; nil for a status row.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func title(forSection section: Int) throws -> String? {
    try TableDataError.requireSection(section, count: numberOfSections)
    guard status(ofSection: section) == nil else { return nil }
    return try base.title(forSection: section - baseSections.lowerBound)
  }

  /// The identity of a section, as the base gives it; the ``PageEdge`` of a status row.
  ///
  /// - Throws: `TableDataError` of code `.sectionOutOfRange`.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try TableDataError.requireSection(section, count: numberOfSections)
    if let status = status(ofSection: section) { return status.edge }
    return try base.identityForSection(section - baseSections.lowerBound)
  }

  /// The index titles of the base.
  public func sectionIndexTitles() -> [String] { base.sectionIndexTitles() }

  /// The first section with an index title.
  ///
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  public func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
    try base.section(forSectionIndexTitle: title, at: position) + baseSections.lowerBound
  }

  /// The item of the base, or the ``PageStatus``, of a row.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func itemForRow(at indexPath: IndexPath) throws -> Any {
    if let path = try baseIndexPath(for: indexPath) {
      return try base.itemForRow(at: path)
    }
    guard let status = status(ofSection: indexPath.section) else {
      throw TableDataError.sectionOutOfRange(indexPath, count: numberOfSections)
    }
    return status
  }

  /// The identity of a row, as the base gives it; the ``PageEdge`` of a status row.
  ///
  /// - Throws: as ``itemForRow(at:)``.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    if let path = try baseIndexPath(for: indexPath) {
      return try base.identityForRow(at: path)
    }
    return status(ofSection: indexPath.section).map { AnyHashable($0.edge) }
  }

  /// The index path of the row with an identity; nil if there is none.
  ///
  /// - Throws: any error of the base.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    if let edge = identity.base as? PageEdge, let status = edges[edge]?.status {
      guard showsStatus(status) else { return nil }
      return IndexPath(row: 0, section: edge == .start ? 0 : baseSections.upperBound)
    }
    return try base.indexPath(forIdentity: identity).map(indexPath(forBase:))
  }

  /// The index path in the base of a row of this list; nil for a status row.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func baseIndexPath(for indexPath: IndexPath) throws -> IndexPath? {
    try indexPath.requireRow(inSections: numberOfSections, rowCount: numberOfRows(inSection:))
    guard status(ofSection: indexPath.section) == nil else { return nil }
    return indexPath.offset(by: -baseSections.lowerBound)
  }

  /// The index path in this list of a row of the base. It does not check that the row exists.
  public func indexPath(forBase indexPath: IndexPath) -> IndexPath {
    indexPath.offset(by: baseSections.lowerBound)
  }

  /// Notifies the base, and loads a page if the row is near an end.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    if let identity = try identityForRow(at: indexPath) { displayed.insert(identity) }
    if let path = try baseIndexPath(for: indexPath) { try base.willDisplayRow(at: path) }
    loadIfNeeded()
  }

  /// Notifies the base.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    displayed.remove(identity)
    if !(identity.base is PageEdge) { base.didEndDisplayingRow(withIdentity: identity) }
  }
}

extension PagingDataProvider: BatchingSender {}

extension PagingDataProvider: TableChangesObserver {
  /// The base calls it.
  public func contentWillChange(of sender: any TableChangesSender) {
    beginBatch()
    notifyWillChange()
  }

  /// The base calls it.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    // The base may have omitted `contentWillChange`, but the observer always gets both.
    if batch == nil { contentWillChange(of: sender) }
    if let before = batch?.baseChanges { batch?.baseChanges = before.followed(by: changes) }
    endBatch()
  }
}

extension PagingDataProvider: EditableDataProvider where Base: EditableDataProvider {
  /// Whether the base allows the user to delete the row. A status row cannot be deleted.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    try baseIndexPath(for: indexPath).map(base.canEditRow(at:)) ?? false
  }

  /// Whether the base allows the user to move the row. A status row cannot be moved.
  ///
  /// - Throws: `TableDataError` if the row does not exist; any error of the base.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    try baseIndexPath(for: indexPath).map(base.canMoveRow(at:)) ?? false
  }

  /// Deletes the row from the base.
  ///
  /// - Throws: `TableDataError` if the row does not exist, and of code `.notEditable` for a status row; any
  ///   error of the base.
  public func removeRow(at indexPath: IndexPath) throws {
    guard let path = try baseIndexPath(for: indexPath) else { throw notEditable(indexPath) }
    try base.removeRow(at: path)
  }

  /// Moves the row in the base.
  ///
  /// - Throws: `TableDataError` if an index path does not exist, and of code `.notEditable` for a status row
  ///   or its section; any error of the base.
  public func moveRow(
    at indexPath: IndexPath, to newIndexPath: IndexPath
  ) throws {
    guard let path = try baseIndexPath(for: indexPath) else { throw notEditable(indexPath) }
    try base.moveRow(at: path, to: targetInBase(newIndexPath))
  }

  /// Where a dragged row is to go: a status row is no target, but the end of the base next to it is.
  ///
  /// - Throws: `TableDataError` if an index path does not exist; any error of the base.
  public func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath {
    guard let path = try baseIndexPath(for: indexPath), proposed.count == 2 else {
      return indexPath
    }
    var target = proposed
    if proposed.section < baseSections.lowerBound {
      target = IndexPath(row: 0, section: baseSections.lowerBound)
    } else if proposed.section >= baseSections.upperBound {
      let last = baseSections.upperBound - 1
      let count = try numberOfRows(inSection: last)
      target = IndexPath(row: last == indexPath.section ? count - 1 : count, section: last)
    }
    return self.indexPath(
      forBase: try base.targetIndexPathForMove(from: path, toProposed: targetInBase(target)))
  }

  /// Whether an item can be inserted: it must be an item of the base, and not go beside a status row.
  public func canInsertRow(_ item: Any, at indexPath: IndexPath) -> Bool {
    item is Base.Item && indexPath.count == 2 && baseSections.contains(indexPath.section)
  }

  /// Inserts an item into the base.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` if it is not an item of the base, or for the section
  ///   of a status row; any error of the base.
  public func insertRow(_ item: Any, at indexPath: IndexPath) throws {
    guard let item = item as? Base.Item else {
      throw TableDataError(
        .notEditable,
        "\(type(of: item)) cannot be inserted at \(indexPath): the items there are "
          + "\(Base.Item.self)")
    }
    try base.insertRow(item, at: targetInBase(indexPath))
  }

  private func targetInBase(_ indexPath: IndexPath) throws -> IndexPath {
    guard indexPath.count == 2 else { throw TableDataError.malformedIndexPath(indexPath) }
    guard baseSections.contains(indexPath.section) else { throw notEditable(indexPath) }
    return indexPath.offset(by: -baseSections.lowerBound)
  }

  private func notEditable(_ indexPath: IndexPath) -> TableDataError {
    TableDataError(.notEditable, "the row \(indexPath) shows the status of the pages")
  }
}
