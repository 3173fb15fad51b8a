#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// These change the provider, and the provider's changes update the table.
extension TableViewDataSource {
  private var editable: (any EditableDataProvider<Provider.Item>)? {
    dataProvider as? any EditableDataProvider<Provider.Item>
  }

  private func requireEditable() throws -> any EditableDataProvider<Provider.Item> {
    guard let editable else {
      throw TableDataError(
        .notEditable, "the rows of \(Provider.self) cannot be edited",
        nextStep: "Use a provider that is an EditableDataProvider")
    }
    return editable
  }

  /// Whether the user may delete the row: the provider must be editable and allow it.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func canEditRow(at indexPath: IndexPath) throws -> Bool {
    try requireRow(at: indexPath)
    return try editable?.destination(of: .delete(indexPath)) != nil
  }

  /// Deletes the row from the provider.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` if the provider does not allow it, or if there is
  ///   no such row; any error of the provider.
  public func commitDelete(forRowAt indexPath: IndexPath) throws {
    let editable = try requireEditable()
    guard try canEditRow(at: indexPath) else {
      throw TableDataError(.notEditable, "the row \(indexPath) cannot be deleted")
    }
    try editable.removeRow(at: indexPath)
  }

  /// Whether the user may move the row: the provider must be editable and allow it.
  ///
  /// - Throws: `TableDataError` if the row does not exist.
  public func canMoveRow(at indexPath: IndexPath) throws -> Bool {
    try requireRow(at: indexPath)
    return try editable?.destination(of: .move(indexPath, to: indexPath)) != nil
  }

  /// Moves the row in the provider.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` if the provider does not allow it, or if there is
  ///   no such index path; any error of the provider.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    let editable = try requireEditable()
    guard try canMoveRow(at: indexPath) else {
      throw TableDataError(.notEditable, "the row \(indexPath) cannot be moved")
    }
    try editable.moveRow(at: indexPath, to: newIndexPath)
  }

  /// Where a dragged row is to go, as the provider says.
  ///
  /// - Throws: any error of the provider.
  public func targetIndexPathForMove(
    from indexPath: IndexPath, toProposed proposed: IndexPath
  ) throws -> IndexPath {
    guard let editable else { return proposed }
    return try editable.destination(of: .move(indexPath, to: proposed)) ?? indexPath
  }

  /// Whether a view model can be inserted: the provider must be editable, with items of its type.
  public func canInsertRow(_ viewModel: Any, at indexPath: IndexPath) -> Bool {
    guard let editable, let item = viewModel as? Provider.Item else { return false }
    // A place that does not exist is none for the item.
    return (try? editable.destination(of: .insert(item, at: indexPath))) ?? nil != nil
  }

  /// Inserts a view model into the provider.
  ///
  /// - Throws: `TableDataError` of code `.notEditable` if the provider has items of another type, or if
  ///   the index path does not exist; any error of the provider.
  public func insertRow(_ viewModel: Any, at indexPath: IndexPath) throws {
    let editable = try requireEditable()
    guard let item = viewModel as? Provider.Item else {
      throw TableDataError(
        .notEditable,
        "\(type(of: viewModel)) cannot be inserted at \(indexPath): the items there are "
          + "\(Provider.Item.self)")
    }
    try editable.insertRow(item, at: indexPath)
  }

  private func requireRow(at indexPath: IndexPath) throws {
    _ = try dataProvider.itemForRow(at: indexPath)
  }
}
