#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// What the user does with the rows of a form.

extension DataDisplayManager {
  /// Whether the row's generator allows the user to delete it.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    try store.item(at: indexPath).canDelete
  }

  /// Removes the row's generator.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` if the generator does not allow it, and if the row does
  ///   not exist.
  public func commitDelete(forRowAt indexPath: IndexPath) throws {
    let generator = try store.item(at: indexPath)
    guard generator.canDelete else {
      throw TableDataError(
        .notEditable, "the row \(indexPath) cannot be deleted",
        nextStep: "Let canDelete of \(type(of: generator)) be true")
    }
    try remove(generator)
  }

  /// Whether the row's generator allows the user to move it.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    try store.item(at: indexPath).canMove
  }

  /// Moves the row's generator, with its unfolded children.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` if the generator does not allow it, and if an index path
  ///   does not exist.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    let generator = try store.item(at: indexPath)
    guard generator.canMove else {
      throw TableDataError(
        .notEditable, "the row \(indexPath) cannot be moved",
        nextStep: "Let canMove of \(type(of: generator)) be true")
    }
    try move(generator, to: newIndexPath)
  }

  /// Whether the view model is a generator that is not in the list yet.
  public func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) throws -> Bool {
    guard let generator = viewModel as? any TableCellGenerator else { return false }
    return store.indexPath(forIdentity: generator.identity) == nil
  }

  /// Inserts a generator of another form.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` if it is not a generator, of code `.duplicateIdentity`
  ///   if it is already in the list, and if the index path does not exist.
  public func insertRow(_ viewModel: Any, at indexPath: IndexPath) throws {
    guard let generator = viewModel as? any TableCellGenerator else {
      throw TableDataError(
        .notEditable,
        "\(type(of: viewModel)) cannot be inserted at \(indexPath): the rows there are generators")
    }
    try insert([generator], at: indexPath)
  }

  /// The actions of the row's generator.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func actionsForRow(at indexPath: IndexPath) throws -> RowActions {
    try store.item(at: indexPath).actions
  }

  /// The height of the row's generator.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func heightForRow(at indexPath: IndexPath) throws -> Double? {
    try store.item(at: indexPath).height
  }

  /// Notifies the row's generator that it is displayed.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    let generator = try store.item(at: indexPath)
    displayed[generator.identity] = generator
    generator.willDisplay()
  }

  /// Notifies a generator that it is no longer displayed, also if it was removed.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    displayed.removeValue(forKey: identity)?.didEndDisplaying()
  }

  /// Calls ``onLastRow``.
  ///
  /// - Throws: any error of it.
  public func willDisplayLastRow() throws { try onLastRow() }
}
