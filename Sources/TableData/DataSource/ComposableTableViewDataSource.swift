/// A data source that can be the only one of a table, or a component of a ``ComposedTableViewDataSource``.
///
/// All section numbers and index paths are its own: it does not know the components before it. A conforming type
/// implements sections and rows; the other requirements have defaults.
///
/// ```swift
/// final class Greeting: ComposableTableViewDataSource {
///   weak var observer: (any TableChangesObserver)?
///   let numberOfSections = 1
///   func section(_ section: Int) -> TableSection { TableSection(numberOfRows: 1) }
///   func row(at indexPath: IndexPath) -> TableRow {
///     TableRow("Hello", cell: TableCell(GreetingCell.self))
///   }
/// }
/// ```
///
/// A section or row that does not exist throws `TableDataError`. Not Sendable: use it on the actor of its table.
public protocol ComposableTableViewDataSource: TableChangesSender {
  /// The number of sections.
  var numberOfSections: Int { get }

  /// The number of rows of a section. The default is that of ``section(_:)``.
  func numberOfRows(inSection section: Int) throws -> Int

  func section(_ section: Int) throws -> TableSection

  /// What a table shows of a row, and what the user can do with it.
  func row(at indexPath: IndexPath) throws -> TableRow

  /// The index path of the row with an identity; nil if there is none. A composed list also finds the identity of an
  /// item, in the first component that has it. The default reads all rows: O(n).
  func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath?

  /// Where an edit would lead: for a delete and an insert its own index path, for a move the accepted index path
  /// nearest to the proposed one. Nil if the edit is not allowed. By default a row can be deleted and moved if it
  /// says so, and nothing can be inserted.
  func destination(of edit: TableEdit) throws -> IndexPath?

  /// Makes an edit for the user, whose changes then update the table. If it is not allowed, as by default, throws
  /// `TableDataError` with code `.notEditable`.
  func perform(_ edit: TableEdit) throws
}

extension ComposableTableViewDataSource {
  /// That of ``section(_:)``.
  public func numberOfRows(inSection section: Int) throws -> Int {
    try self.section(section).numberOfRows
  }

  /// The first row with the identity. O(n).
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    for section in 0..<numberOfSections {
      for path in IndexPath.rows(try numberOfRows(inSection: section), inSection: section)
      where try row(at: path).identity == identity { return path }
    }
    return nil
  }

  /// Its own index path if the row can be deleted or moved; nil for an insert.
  public func destination(of edit: TableEdit) throws -> IndexPath? {
    switch edit {
    case .delete(let path): try row(at: path).canDelete ? path : nil
    case .move(let path, to: let newPath): try row(at: path).canMove ? newPath : nil
    case .insert: nil
    }
  }

  /// Throws an error: nothing can be edited.
  public func perform(_ edit: TableEdit) throws { throw TableDataError.notEditable(edit) }

  /// The titles of the section index, and the section that each leads to. O(sections).
  public var sectionIndex: SectionIndex {
    get throws {
      SectionIndex(
        sections: try (0..<numberOfSections).map {
          SectionInfo(name: nil, indexTitle: try section($0).indexTitle, numberOfRows: 0)
        })
    }
  }

  /// Whether a row is the last one of all: the sections after its own are empty.
  func isLastRow(at indexPath: IndexPath) throws -> Bool {
    guard try indexPath.row == numberOfRows(inSection: indexPath.section) - 1 else { return false }
    return try (indexPath.section + 1..<numberOfSections).allSatisfy {
      try numberOfRows(inSection: $0) == 0
    }
  }
}

extension TableDataError {
  static func notEditable(_ edit: TableEdit, nextStep: String? = nil) -> TableDataError {
    let message =
      switch edit {
      case .delete(let path): "the row \(path) cannot be deleted"
      case .move(let path, _): "the row \(path) cannot be moved"
      case .insert(let viewModel, let path):
        "\(type(of: viewModel)) cannot be inserted at \(path)"
      }
    return TableDataError(.notEditable, message, nextStep: nextStep)
  }
}
