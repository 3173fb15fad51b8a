#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ComposedTableViewDataSource {
  /// Whether the row's component lets it be deleted.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    let place = try place(of: indexPath)
    return try place.component.canEditRow(at: place.indexPath)
  }

  /// Deletes the row from its component.
  ///
  /// - Throws: `TableDataError` where there is no such row; what the component throws.
  public func commitDelete(forRowAt indexPath: IndexPath) throws {
    let place = try place(of: indexPath)
    try place.component.commitDelete(forRowAt: place.indexPath)
  }

  /// Whether the row's component lets it be moved. Where to is decided by ``moveRow(at:to:)``.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    let place = try place(of: indexPath)
    return try place.component.canMoveRow(at: place.indexPath)
  }

  /// Moves a row.
  ///
  /// Inside of a component that is the component's affair. From one component to another both must
  /// allow it: the one that the row can be moved and deleted, the other that what it shows can be
  /// inserted. Then it is inserted there and deleted here, in one batch.
  ///
  /// - Parameter newIndexPath: its place afterwards.
  /// - Throws: `TableDataError` where there is no such place, and of code `.notEditable` where a
  ///   component does not allow it: then nothing has changed. What the components throw.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    let source = try place(of: indexPath)
    let target = try place(of: newIndexPath, isGap: true)
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
        "the row \(indexPath) cannot be moved to \(newIndexPath): that is another component, and "
          + "not both of them allow it")
    }
    try performBatch {
      try target.component.insertRow(viewModel, at: target.indexPath)
      try source.component.commitDelete(forRowAt: source.indexPath)
    }
  }

  /// Whether the component of that section takes what a row of another one shows.
  ///
  /// - Throws: `TableDataError` where there is no such place.
  public func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) throws -> Bool {
    let place = try place(of: indexPath, isGap: true)
    return try place.component.canInsertRow(viewModel, at: place.indexPath)
  }

  /// Inserts a row into the component of that section.
  ///
  /// - Throws: `TableDataError` where there is no such place; what the component throws.
  public func insertRow(_ viewModel: Any, at indexPath: IndexPath) throws {
    let place = try place(of: indexPath, isGap: true)
    try place.component.insertRow(viewModel, at: place.indexPath)
  }
}
