import Foundation
import SQLiteStorage
import TableData

@testable import FetchedResults

/// A provider of rows as the harness wants them: with their identity.
final class IdentifiedRows: ViewModelDataProvider {
  /// A row, recognised by its identity.
  struct Item: Identifiable, Equatable {
    let id: RowIdentity
    let values: [Value]
  }

  let base: FetchedResultsProvider<Row>
  weak var observer: (any TableChangesObserver)?

  init(_ base: FetchedResultsProvider<Row>) { self.base = base }

  var sections: [SectionInfo] { base.sections }

  func item(at indexPath: IndexPath) throws -> Item {
    let row = try base.object(at: indexPath)
    return Item(id: try base.identity(at: indexPath), values: row.values)
  }

  func identityForSection(_ section: Int) throws -> AnyHashable? {
    try base.identityForSection(section)
  }
}
