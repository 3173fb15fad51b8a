#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Written through to the provider: what happened comes back from there.
extension TableViewDataSource {
  private var editable: (any EditableDataProvider<Provider.Item>)? {
    dataProvider as? any EditableDataProvider<Provider.Item>
  }

  private func requireEditable() throws -> any EditableDataProvider<Provider.Item> {
    guard let editable else {
      throw TableDataError(
        .notEditable,
        "the rows of \(Provider.self) cannot be changed by the user: it is not an "
          + "EditableDataProvider")
    }
    return editable
  }

  /// Whether the row may be deleted: where the provider can be edited and allows it.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    try requireRow(at: indexPath)
    return try editable?.canEditRow(atIndexPath: indexPath) ?? false
  }

  /// Deletes the row from the provider.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` where that is not allowed, and where there is
  ///   no such row; what the provider throws.
  public func commitDelete(forRowAt indexPath: IndexPath) throws {
    let editable = try requireEditable()
    guard try canEditRow(at: indexPath) else {
      throw TableDataError(.notEditable, "the row \(indexPath) cannot be deleted")
    }
    try editable.removeRow(atIndexPath: indexPath)
  }

  /// Whether the row may be moved: where the provider can be edited and allows it.
  ///
  /// - Throws: `TableDataError` where there is no such row.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    try requireRow(at: indexPath)
    return try editable?.canMoveRow(atIndexPath: indexPath) ?? false
  }

  /// Moves the row in the provider.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` where that is not allowed, and where there is
  ///   no such place; what the provider throws.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    let editable = try requireEditable()
    guard try canMoveRow(at: indexPath) else {
      throw TableDataError(.notEditable, "the row \(indexPath) cannot be moved")
    }
    try editable.moveRow(atIndexPath: indexPath, toIndexPath: newIndexPath)
  }

  /// Whether a view model can be inserted: where the provider can be edited and has such items.
  public func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) -> Bool {
    editable != nil && viewModel is Provider.Item
  }

  /// Inserts a view model into the provider.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` where the provider has other items, and where
  ///   there is no such place; what the provider throws.
  public func insertRow(_ viewModel: Any, at indexPath: IndexPath) throws {
    let editable = try requireEditable()
    guard let item = viewModel as? Provider.Item else {
      throw TableDataError(
        .notEditable,
        "\(type(of: viewModel)) cannot be inserted at \(indexPath): the items there are "
          + "\(Provider.Item.self)")
    }
    try editable.insertRow(item, atIndexPath: indexPath)
  }

  private func requireRow(at indexPath: IndexPath) throws {
    _ = try dataProvider.itemForRow(atIndexPath: indexPath)
  }
}
