extension PagingDataProvider {
  /// The sections of the base, and those of the status rows.
  public var sections: [SectionInfo] {
    if let sectionCache { return sectionCache }
    func info(_ edge: PageEdge) -> [SectionInfo] {
      guard let status = edges[edge]?.status else { return [] }
      return [SectionInfo(name: nil, numberOfRows: showsStatus(status) ? 1 : 0)]
    }
    let sections = info(.start) + base.sections + info(.end)
    // Between `contentWillChange` and `contentDidChange` the base may change.
    if batch == nil { sectionCache = sections }
    return sections
  }

  var baseSections: Range<Int> {
    let start = edges[.start] == nil ? 0 : 1
    return start..<start + base.numberOfSections
  }

  private func status(ofSection section: Int) -> PageStatus? {
    if section == 0, let edge = edges[.start] { return edge.status }
    return section == baseSections.upperBound ? edges[.end]?.status : nil
  }

  /// The item of the base, or the ``PageStatus``, of a row.
  public func item(at indexPath: IndexPath) throws -> Any {
    if let path = baseIndexPath(for: indexPath) { return try base.itemForRow(at: path) }
    guard let status = status(ofSection: indexPath.section) else {
      throw TableDataError.sectionOutOfRange(indexPath, count: numberOfSections)
    }
    return status
  }

  /// The identity of a section, as the base gives it; the ``PageEdge`` of a status row.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    try TableDataError.requireSection(section, count: numberOfSections)
    if let status = status(ofSection: section) { return status.edge }
    return try base.identityForSection(section - baseSections.lowerBound)
  }

  /// The identity of a row, as the base gives it; the ``PageEdge`` of a status row.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try requireRow(at: indexPath)
    if let path = baseIndexPath(for: indexPath) { return try base.identityForRow(at: path) }
    return status(ofSection: indexPath.section).map { AnyHashable($0.edge) }
  }

  /// The index path of the row with an identity; nil if there is none.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    if let edge = identity.base as? PageEdge, let status = edges[edge]?.status {
      guard showsStatus(status) else { return nil }
      return IndexPath(row: 0, section: edge == .start ? 0 : baseSections.upperBound)
    }
    return try base.indexPath(forIdentity: identity).flatMap(indexPath(forBase:))
  }

  /// The index path in the base; nil for a status row. It does not check that the row exists.
  public func baseIndexPath(for indexPath: IndexPath) -> IndexPath? {
    guard indexPath.count == 2, baseSections.contains(indexPath.section) else { return nil }
    return indexPath.offset(by: -baseSections.lowerBound)
  }

  /// The index path of a row of the base. It does not check that the row exists.
  public func indexPath(forBase indexPath: IndexPath) -> IndexPath? {
    indexPath.isRow ? indexPath.offset(by: baseSections.lowerBound) : nil
  }

  /// Notifies the base, and loads a page if the row is near an end.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    if let identity = try identityForRow(at: indexPath) { displayed.insert(identity) }
    try willDisplayBaseRow(of: indexPath)
    loadIfNeeded()
  }

  /// Notifies the base.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    displayed.remove(identity)
    if !(identity.base is PageEdge) {
      (base as? any RowDisplayObserver)?.didEndDisplayingRow(withIdentity: identity)
    }
  }
}

extension PagingDataProvider: BatchingSender {
  /// The base calls it.
  public func contentWillChange(of sender: any TableChangesSender) {
    // The base may call this twice before its contentDidChange. Counted twice, the batch would never end.
    guard batch?.isBaseChanging != true else { return }
    beginBatch()
    batch?.isBaseChanging = true
    notifyWillChange()
  }

  /// The base calls it.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    // The base may have omitted `contentWillChange`, but the observer always gets both.
    contentWillChange(of: sender)
    batch?.isBaseChanging = false
    if let before = batch?.baseChanges {
      let count = (batch?.baseSectionCount ?? 0) + before.sectionGrowth
      let changes = changes.wellFormed(old: count, new: base.numberOfSections)
      batch?.baseChanges = before.followed(by: changes)
    }
    endBatch()
  }
}

extension PagingDataProvider: EditableDataProvider where Base: EditableDataProvider {
  /// Where the base lets an edit lead. A status row cannot be the target of a drag, but the end of the base next to it
  /// can.
  public func destination(of edit: RowEdit<Any>) throws -> IndexPath? {
    guard case .move(let from, let proposed) = edit, proposed.count == 2,
      baseIndexPath(for: from) != nil, !baseSections.contains(proposed.section)
    else { return try destinationInBase(of: edit) }
    var target = IndexPath(row: 0, section: baseSections.lowerBound)
    if proposed.section >= baseSections.upperBound {
      let last = baseSections.upperBound - 1
      let count = try numberOfRows(inSection: last)
      target = IndexPath(row: last == from.section ? count - 1 : count, section: last)
    }
    return try destinationInBase(of: .move(from, to: target))
  }
}
