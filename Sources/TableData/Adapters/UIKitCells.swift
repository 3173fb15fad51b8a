#if canImport(UIKit) && !os(watchOS)
  package import UIKit

  // How UIKit's two tables have cells and show changes. `reloadData()` is their own method.

  extension UITableView: @MainActor CellTable {
    package func register(_ cell: TableCell) {
      switch cell.origin {
      case .nib(let nib): register(nib as? UINib, forCellReuseIdentifier: cell.identifier)
      case .code, .closure: register(cell.cellClass, forCellReuseIdentifier: cell.identifier)
      case .storyboard: break
      }
    }

    package func dequeue(_ cell: TableCell, for indexPath: IndexPath) -> UITableViewCell {
      dequeueReusableCell(withIdentifier: cell.identifier, for: indexPath)
    }

    package func cell(at indexPath: IndexPath) -> UITableViewCell? { cellForRow(at: indexPath) }

    package func identifier(of cell: UITableViewCell) -> String? { cell.reuseIdentifier }

    package func reloadRows(at indexPaths: [IndexPath]) {
      reloadRows(at: indexPaths, with: .automatic)
    }
  }

  extension UITableView {
    /// Makes the inserts, deletes and moves of changes, as one batch.
    func showBatch(_ changes: TableChanges) {
      beginUpdates()
      defer { endUpdates() }
      deleteSections(IndexSet(changes.deletedSections), with: .automatic)
      insertSections(IndexSet(changes.insertedSections), with: .automatic)
      deleteRows(at: changes.deletedRows, with: .automatic)
      insertRows(at: changes.insertedRows, with: .automatic)
      for move in changes.movedRows { moveRow(at: move.from, to: move.to) }
    }
  }

  extension UITableView: @MainActor SelectableTable {
    package var selectedRows: [IndexPath] { indexPathsForSelectedRows ?? [] }

    package func select(_ indexPath: IndexPath) {
      selectRow(at: indexPath, animated: true, scrollPosition: .none)
    }

    package func deselect(_ indexPath: IndexPath) { deselectRow(at: indexPath, animated: true) }
  }

  extension UICollectionView: @MainActor CellTable {
    package func register(_ cell: TableCell) {
      switch cell.origin {
      case .nib(let nib): register(nib as? UINib, forCellWithReuseIdentifier: cell.identifier)
      case .code, .closure: register(cell.cellClass, forCellWithReuseIdentifier: cell.identifier)
      case .storyboard: break
      }
    }

    package func dequeue(_ cell: TableCell, for indexPath: IndexPath) -> UICollectionViewCell {
      dequeueReusableCell(withReuseIdentifier: cell.identifier, for: indexPath)
    }

    package func cell(at indexPath: IndexPath) -> UICollectionViewCell? {
      cellForItem(at: indexPath)
    }

    package func identifier(of cell: UICollectionViewCell) -> String? { cell.reuseIdentifier }

    package func reconfigureRows(at indexPaths: [IndexPath]) { reconfigureItems(at: indexPaths) }

    package func reloadRows(at indexPaths: [IndexPath]) { reloadItems(at: indexPaths) }
  }

  extension UICollectionView {
    /// Makes the inserts, deletes and moves of changes, as one batch.
    func showBatch(_ changes: TableChanges) {
      // Outside of a window it may not be laid out yet, and would take the new rows for the old ones.
      guard window != nil else { return reloadData() }
      performBatchUpdates {
        self.deleteSections(IndexSet(changes.deletedSections))
        self.insertSections(IndexSet(changes.insertedSections))
        self.deleteItems(at: changes.deletedRows)
        self.insertItems(at: changes.insertedRows)
        for move in changes.movedRows { self.moveItem(at: move.from, to: move.to) }
      }
    }
  }

  extension UICollectionView: @MainActor SelectableTable {
    package var selectedRows: [IndexPath] { indexPathsForSelectedItems ?? [] }

    package func select(_ indexPath: IndexPath) {
      selectItem(at: indexPath, animated: true, scrollPosition: [])
    }

    package func deselect(_ indexPath: IndexPath) { deselectItem(at: indexPath, animated: true) }
  }

  #if !os(tvOS)
    extension [RowAction] {
      /// The buttons of a swipe; nil for none.
      ///
      /// - Parameter answer: reports an error, and returns its first argument then.
      @MainActor
      func swipeConfiguration(
        _ answer: @escaping (Bool, () throws -> Bool) -> Bool
      ) -> UISwipeActionsConfiguration? {
        guard !isEmpty else { return nil }
        return UISwipeActionsConfiguration(
          actions: map { action in
            let style =
              action.style == .destructive ? UIContextualAction.Style.destructive : .normal
            let button = UIContextualAction(style: style, title: action.title) {
              _, _, completion in
              completion(
                answer(false) {
                  try action.perform()
                  return true
                })
            }
            button.image = action.imageName.flatMap { UIImage(systemName: $0) }
            return button
          })
      }

      /// A menu; nil for none.
      ///
      /// - Parameter reporting: reports an error.
      @MainActor
      func menuConfiguration(
        _ reporting: @escaping (() throws -> Void) -> Void
      ) -> UIContextMenuConfiguration? {
        guard !isEmpty else { return nil }
        return UIContextMenuConfiguration(identifier: nil, previewProvider: nil) { _ in
          UIMenu(
            children: self.map { action in
              UIAction(
                title: action.title,
                image: action.imageName.flatMap { UIImage(systemName: $0) },
                attributes: action.style == .destructive ? .destructive : []
              ) { _ in reporting { try action.perform() } }
            })
        }
      }
    }
  #endif
#endif
