/// What the user does with the rows of a list. Not Sendable: use it on the actor of its list.
public enum RowEdit<Item> {
  /// Deletes a row.
  case delete(IndexPath)
  /// Moves a row. The second index path is the one after the move.
  case move(IndexPath, to: IndexPath)
  /// Inserts an item before a row, or at the end of a section. The index path is that of the new row.
  case insert(Item, at: IndexPath)

  /// The index path that the edit leads to: of the deleted row, or of a row after the edit.
  public var target: IndexPath {
    switch self {
    case .delete(let indexPath), .move(_, to: let indexPath), .insert(_, at: let indexPath):
      indexPath
    }
  }

  /// The same edit in a list of other items; nil for an item that it cannot have.
  package func of<Other>(_ type: Other.Type) -> RowEdit<Other>? {
    switch self {
    case .delete(let path): .delete(path)
    case .move(let path, to: let newPath): .move(path, to: newPath)
    case .insert(let item, at: let path): (item as? Other).map { .insert($0, at: path) }
    }
  }
}

/// What the user does with the rows of a table. An inserted item is the view model of a row of another list.
public typealias TableEdit = RowEdit<Any>

/// A provider whose rows the user can delete, move and insert.
///
/// The observer is notified once of each edit, as of any change.
///
/// ```swift
/// if let list = provider as? any EditableDataProvider { try list.removeRow(at: path) }
/// ```
public protocol EditableDataProvider<Item>: ViewModelDataProvider {
  /// Where an edit may lead: its ``RowEdit/target``, by default, or another index path, or nil if the edit is not
  /// allowed. While a row is dragged, this is called for each row that it passes over.
  func destination(of edit: RowEdit<Item>) throws -> IndexPath?

  /// Makes an edit. ``removeRow(at:)``, ``moveRow(at:to:)`` and ``insertRow(_:at:)`` check that the rows exist, and
  /// call it. An inserted row may be the first one of a new section at the end.
  ///
  /// - Throws: `TableDataError` if an index path does not exist, and with code `.notEditable` if the edit is not
  ///   allowed; any error of writing.
  func perform(_ edit: RowEdit<Item>) throws
}

extension EditableDataProvider {
  /// The target of the edit: all edits of rows that exist are allowed, and inserts into sections that exist.
  public func destination(of edit: RowEdit<Item>) throws -> IndexPath? {
    try requireRows(of: edit)
    if case .insert(_, let path) = edit { try requireRow(at: path, allowsEnd: true) }
    return edit.target
  }

  /// Deletes a row.
  public func removeRow(at indexPath: IndexPath) throws {
    try requireRows(of: TableEdit.delete(indexPath))
    try perform(.delete(indexPath))
  }

  /// Moves a row. The second index path is the one after the move.
  public func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) throws {
    try requireRows(of: TableEdit.move(indexPath, to: newIndexPath))
    try perform(.move(indexPath, to: newIndexPath))
  }

  /// Inserts a row at an index path.
  public func insertRow(_ item: Item, at indexPath: IndexPath) throws {
    try requireRows(of: RowEdit.insert(item, at: indexPath))
    try perform(.insert(item, at: indexPath))
  }
}

extension ViewModelDataProvider {
  /// Throws unless the rows of an edit exist. An inserted row may be the first one of a new section at the end.
  package func requireRows<Other>(of edit: RowEdit<Other>) throws {
    switch edit {
    case .delete(let path): try requireRow(at: path)
    case .move(let path, to: let newPath):
      try requireRow(at: path)
      try requireRow(at: newPath, allowsEnd: path.section != newPath.first)
    case .insert(_, let path):
      if path != [numberOfSections, 0] { try requireRow(at: path, allowsEnd: true) }
    }
  }
}
