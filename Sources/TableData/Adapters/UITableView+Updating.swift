#if canImport(UIKit) && !os(watchOS)
  internal import UIKit

  // `reloadData()` and `moveRow(at:to:)` are UITableView's own.
  extension UITableView: @MainActor TableUpdating {
    func performBatch(_ body: () throws -> Void) throws {
      beginUpdates()
      defer { endUpdates() }
      try body()
    }

    func deleteSections(_ sections: [Int]) {
      deleteSections(IndexSet(sections), with: .automatic)
    }

    func insertSections(_ sections: [Int]) {
      insertSections(IndexSet(sections), with: .automatic)
    }

    func deleteRows(at indexPaths: [IndexPath]) { deleteRows(at: indexPaths, with: .automatic) }

    func insertRows(at indexPaths: [IndexPath]) { insertRows(at: indexPaths, with: .automatic) }

    func reloadRows(at indexPaths: [IndexPath]) { reloadRows(at: indexPaths, with: .automatic) }
  }

  extension UITableView: @MainActor SelectableTable {
    var selectedRow: IndexPath? { indexPathForSelectedRow }

    func select(_ indexPath: IndexPath) {
      selectRow(at: indexPath, animated: true, scrollPosition: .none)
    }

    func deselect(_ indexPath: IndexPath) { deselectRow(at: indexPath, animated: true) }
  }
#endif
