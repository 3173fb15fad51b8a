#if canImport(UIKit) && !os(watchOS)
  import UIKit

  extension UICollectionView: @MainActor SelectableTable {
    var selectedRows: [IndexPath] { indexPathsForSelectedItems ?? [] }

    func select(_ indexPath: IndexPath) {
      selectItem(at: indexPath, animated: true, scrollPosition: [])
    }

    func deselect(_ indexPath: IndexPath) { deselectItem(at: indexPath, animated: true) }
  }

  /// The updates of a UICollectionView. Its batch is a closure that it may keep, so a batch is collected
  /// first.
  @MainActor
  final class CollectionUpdates: @MainActor TableUpdating {
    var refreshHeaders: ([Int]) -> Void = { _ in }
    private weak var view: UICollectionView?
    private var batch: [(UICollectionView) -> Void]?

    init(_ view: UICollectionView) { self.view = view }

    func reloadData() { view?.reloadData() }

    func performBatch(_ body: () throws -> Void) throws {
      batch = []
      defer { batch = nil }
      try body()
      guard let view, let updates = batch else { return }
      // Outside of a window it may not be laid out yet, and would take the new rows for the old ones.
      guard view.window != nil else { return view.reloadData() }
      view.performBatchUpdates { for update in updates { update(view) } }
    }

    func deleteSections(_ sections: [Int]) { update { $0.deleteSections(IndexSet(sections)) } }

    func insertSections(_ sections: [Int]) { update { $0.insertSections(IndexSet(sections)) } }

    func deleteRows(at indexPaths: [IndexPath]) { update { $0.deleteItems(at: indexPaths) } }

    func insertRows(at indexPaths: [IndexPath]) { update { $0.insertItems(at: indexPaths) } }

    func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
      update { $0.moveItem(at: indexPath, to: newIndexPath) }
    }

    func reloadRows(at indexPaths: [IndexPath]) { update { $0.reloadItems(at: indexPaths) } }

    func reloadHeaders(ofSections sections: [Int]) { refreshHeaders(sections) }

    private func update(_ update: @escaping (UICollectionView) -> Void) {
      if batch == nil {
        if let view { update(view) }
      } else {
        batch?.append(update)
      }
    }
  }
#endif
