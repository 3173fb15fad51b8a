#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
  /// model. Then the row is inserted there and deleted here, in one batch.
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
    guard try source.component.canMoveRow(at: source.indexPath),
      try source.component.canEditRow(at: source.indexPath),
      try target.component.canInsertRow(viewModel, at: target.indexPath)
    else {
      throw TableDataError(
        .notEditable,
        "the row \(indexPath) cannot be moved to \(newIndexPath): the target is in another component, "
          + "and one of the two components does not allow the move")
    }
    try performBatch {
      try target.component.insertRow(viewModel, at: target.indexPath)
      try source.component.commitDelete(forRowAt: source.indexPath)
    }
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
