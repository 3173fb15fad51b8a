#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  // A UIKitTableViewController calls these. Without one, the adapter can be the delegate of the table, or the
  // delegate calls them. They do not set a selection.
  extension UIKitTableViewAdapter: UITableViewDelegate {
    // MARK: Display

    /// Notifies the data source that a row is displayed. The data source may change its content.
    public func tableView(
      _ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) {
      deferringChanges {
        displayedIdentities[ObjectIdentifier(cell)] = try source.identityForRow(at: indexPath)
        try source.notifyWillDisplayRow(at: indexPath)
      }
    }

    /// Notifies the data source that a row is no longer displayed.
    public func tableView(
      _ tableView: UITableView, didEndDisplaying cell: UITableViewCell,
      forRowAt indexPath: IndexPath
    ) {
      guard let identity = displayedIdentities.removeRow(of: cell) else { return }
      deferringChanges { source.didEndDisplayingRow(withIdentity: identity) }
    }

    /// The height that the data source gives, or the one that the cell determines.
    public func tableView(
      _ tableView: UITableView, heightForRowAt indexPath: IndexPath
    ) -> CGFloat {
      updater.answer(nil) { try source.heightForRow(at: indexPath) }.map { CGFloat($0) }
        ?? UITableView.automaticDimension
    }

    // MARK: Actions

    /// Notifies the data source that the user selected a row.
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
      updater.reporting { try source.didSelectRow(at: indexPath) }
    }

    /// Performs the action of the row's accessory.
    public func tableView(
      _ tableView: UITableView, accessoryButtonTappedForRowWith indexPath: IndexPath
    ) { updater.reporting { try actions(at: indexPath).accessory?.perform() } }

    #if !os(tvOS)
      /// The leading actions of the row.
      public func tableView(
        _ tableView: UITableView,
        leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
      ) -> UISwipeActionsConfiguration? {
        swipeActions(updater.answer([]) { try actions(at: indexPath).leading })
      }

      /// The trailing actions of the row. If there are none, the table has its own button to delete the row, if
      /// the data source allows it.
      public func tableView(
        _ tableView: UITableView,
        trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
      ) -> UISwipeActionsConfiguration? {
        swipeActions(updater.answer([]) { try actions(at: indexPath).trailing })
      }

      /// The menu of the row.
      public func tableView(
        _ tableView: UITableView, contextMenuConfigurationForRowAt indexPath: IndexPath,
        point: CGPoint
      ) -> UIContextMenuConfiguration? {
        let actions = updater.answer([]) { try self.actions(at: indexPath).menu }
        return actions.isEmpty ? nil : actions.menuConfiguration(updater.reporting)
      }

      private func swipeActions(_ actions: [RowAction]) -> UISwipeActionsConfiguration? {
        actions.isEmpty ? nil : actions.swipeConfiguration(updater.answer)
      }
    #endif

    /// Insert if the row has such an action, and delete if the data source allows it.
    public func tableView(
      _ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath
    ) -> UITableViewCell.EditingStyle {
      updater.answer(.none) {
        if try actions(at: indexPath).insert != nil { return .insert }
        return try source.canEditRow(at: indexPath) ? .delete : .none
      }
    }

    /// Where the data source accepts the row that is being dragged.
    public func tableView(
      _ tableView: UITableView,
      targetIndexPathForMoveFromRowAt sourceIndexPath: IndexPath,
      toProposedIndexPath proposedDestinationIndexPath: IndexPath
    ) -> IndexPath {
      updater.answer(sourceIndexPath) {
        try source.targetIndexPathForMove(
          from: sourceIndexPath, toProposed: proposedDestinationIndexPath)
      }
    }

    func actions(at indexPath: IndexPath) throws -> RowActions {
      try source.actionsForRow(at: indexPath)
    }
  }

  #if !os(tvOS)
    extension [RowAction] {
      /// The buttons of a swipe.
      ///
      /// - Parameter answer: reports an error, and returns its first argument then.
      @MainActor
      func swipeConfiguration(
        _ answer: @escaping (Bool, () throws -> Bool) -> Bool
      ) -> UISwipeActionsConfiguration {
        UISwipeActionsConfiguration(
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

      /// A menu.
      ///
      /// - Parameter reporting: reports an error.
      @MainActor
      func menuConfiguration(
        _ reporting: @escaping (() throws -> Void) -> Void
      ) -> UIContextMenuConfiguration {
        UIContextMenuConfiguration(identifier: nil, previewProvider: nil) { _ in
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
