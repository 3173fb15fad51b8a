extension ComposedTableViewDataSource {
  private typealias Place = (component: any ComposableTableViewDataSource, indexPath: IndexPath)

  /// Where an edit would lead, as the component says.
  ///
  /// A row moves to another component if both allow it: the first must allow to move and to delete the row, the
  /// second must allow to insert its view model. If they do not, the row goes to the nearest place in its component.
  public func destination(of edit: TableEdit) throws -> IndexPath? {
    switch edit {
    case .delete(let path):
      let (component, local) = try resolve(path)
      return try component.destination(of: .delete(local)) == nil ? nil : path
    case .insert(let viewModel, at: let path):
      let (component, local) = try resolve(path, allowsEnd: true)
      return try component.destination(of: .insert(viewModel, at: local)) == nil ? nil : path
    case .move(let path, to: let proposed):
      let source = try resolve(path)
      let target = try resolve(proposed, allowsEnd: true)
      guard let sections = sections(of: source.component) else { return nil }
      var nearest = target.indexPath
      if source.component !== target.component {
        guard try !allowsMove(from: source, to: target) else { return proposed }
        nearest = IndexPath(row: 0, section: 0)
        if proposed.section >= sections.upperBound {
          let last = sections.count - 1
          let end = try source.component.numberOfRows(inSection: last)
          nearest = IndexPath(
            row: last == source.indexPath.section ? end - 1 : end, section: last)
        }
      }
      return try source.component.destination(of: .move(source.indexPath, to: nearest))?
        .offset(by: sections.lowerBound)
    }
  }

  /// Makes an edit in its component.
  ///
  /// A row that moves to another component is inserted there and deleted here, in one batch. If its item has the same
  /// identity in both, that is reported as one move, and the row stays selected; if not, as an insert and a delete.
  ///
  /// - Throws: `TableDataError` with code `.notEditable` if a component does not allow the edit; then nothing has
  ///   changed.
  public func perform(_ edit: TableEdit) throws {
    switch edit {
    case .delete(let path):
      let (component, local) = try resolve(path)
      try component.perform(.delete(local))
    case .insert(let viewModel, at: let path):
      let (component, local) = try resolve(path, allowsEnd: true)
      try component.perform(.insert(viewModel, at: local))
    case .move(let path, to: let newPath):
      let source = try resolve(path)
      let target = try resolve(newPath, allowsEnd: true)
      guard source.component !== target.component else {
        return try source.component.perform(.move(source.indexPath, to: target.indexPath))
      }
      guard try allowsMove(from: source, to: target) else {
        throw TableDataError(
          .notEditable,
          "the row \(path) cannot be moved to \(newPath): the target is in another component, "
            + "and one of the two components does not allow the move")
      }
      try move(from: source, to: target)
    }
  }

  /// Whether two components allow a move of a row from one to the other.
  private func allowsMove(from source: Place, to target: Place) throws -> Bool {
    let row = try source.component.row(at: source.indexPath)
    return try row.canMove && row.canDelete
      && target.component.destination(of: .insert(row.viewModel, at: target.indexPath)) != nil
  }

  private func move(from source: Place, to target: Place) throws {
    let row = try source.component.row(at: source.indexPath)
    let identity = try row.itemIdentity
    try performBatch {
      if let identity {
        batch?.noteMove(
          of: identity, at: source.indexPath, from: ObjectIdentifier(source.component),
          to: ObjectIdentifier(target.component))
      }
      try target.component.perform(.insert(row.viewModel, at: target.indexPath))
      try source.component.perform(.delete(source.indexPath))
    }
  }
}
