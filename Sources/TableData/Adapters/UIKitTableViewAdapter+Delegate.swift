#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  // A UIKitTableViewController calls these. Without one, the adapter can be the delegate of the table, or the
  // delegate calls them. They do not set a selection.
  extension UIKitTableViewAdapter: UITableViewDelegate {
    /// Notifies the row that it is displayed. The content may change.
    public func tableView(
      _ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) { updater.willDisplay(cell, at: indexPath) }

    /// Notifies the row that it is no longer displayed.
    public func tableView(
      _ tableView: UITableView, didEndDisplaying cell: UITableViewCell,
      forRowAt indexPath: IndexPath
    ) { updater.didEndDisplaying(cell) }

    /// The height of the row, or the one that the cell determines.
    public func tableView(
      _ tableView: UITableView, heightForRowAt indexPath: IndexPath
    ) -> CGFloat { points(at: indexPath) { $0.height } }

    /// The estimated height of the row, else its height, else the one of the table.
    public func tableView(
      _ tableView: UITableView, estimatedHeightForRowAt indexPath: IndexPath
    ) -> CGFloat { points(at: indexPath) { $0.estimatedHeight ?? $0.height } }

    private func points(at indexPath: IndexPath, _ height: (TableRow) -> Double?) -> CGFloat {
      updater.answer(nil, at: indexPath, height).map { CGFloat($0) }
        ?? UITableView.automaticDimension
    }

    /// The view of the section's header; nil for a title.
    public func tableView(_ tableView: UITableView, viewForHeaderInSection section: Int) -> UIView?
    { view(of: updater.heading(\.header, section)) }

    /// The view of the section's footer; nil for a title.
    public func tableView(_ tableView: UITableView, viewForFooterInSection section: Int) -> UIView?
    { view(of: updater.heading(\.footer, section)) }

    /// Notifies the row that the user selected it.
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
      updater.reporting { try source.row(at: indexPath).select() }
    }

    /// Performs the action of the row's accessory.
    public func tableView(
      _ tableView: UITableView, accessoryButtonTappedForRowWith indexPath: IndexPath
    ) { updater.reporting { try source.row(at: indexPath).actions.accessory?.perform() } }

    #if !os(tvOS)
      /// The leading actions of the row.
      public func tableView(
        _ tableView: UITableView,
        leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
      ) -> UISwipeActionsConfiguration? {
        updater.answer([], at: indexPath) { try $0.actions.leading }
          .swipeConfiguration(updater.answer)
      }

      /// The trailing actions of the row. If there are none, the table has its own button to delete the row, if the
      /// row allows it.
      public func tableView(
        _ tableView: UITableView,
        trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
      ) -> UISwipeActionsConfiguration? {
        updater.answer([], at: indexPath) { try $0.actions.trailing }
          .swipeConfiguration(updater.answer)
      }

      /// The menu of the row.
      public func tableView(
        _ tableView: UITableView, contextMenuConfigurationForRowAt indexPath: IndexPath,
        point: CGPoint
      ) -> UIContextMenuConfiguration? {
        updater.answer([], at: indexPath) { try $0.actions.menu }
          .menuConfiguration(updater.reporting)
      }
    #endif

    /// Insert if the row has such an action, and delete if the row allows it.
    public func tableView(
      _ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath
    ) -> UITableViewCell.EditingStyle {
      updater.answer(.none, at: indexPath) { row in
        if try row.actions.insert != nil { return .insert }
        return try row.canDelete ? .delete : .none
      }
    }

    /// Where the data source accepts the row that is being dragged.
    public func tableView(
      _ tableView: UITableView,
      targetIndexPathForMoveFromRowAt sourceIndexPath: IndexPath,
      toProposedIndexPath proposedDestinationIndexPath: IndexPath
    ) -> IndexPath { updater.target(ofMoveFrom: sourceIndexPath, to: proposedDestinationIndexPath) }
  }
#endif
