#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit

  extension AppKitTable {
    /// A row without trailing actions that can be deleted has a button for that.
    func tableView(
      _ tableView: NSTableView, rowActionsForRow row: Int, edge: NSTableView.RowActionEdge
    ) -> [NSTableViewRowAction] {
      guard case .row(let path)? = rows.line(at: row) else { return [] }
      let actions =
        edge == .leading
        ? updater.answer([], at: path) { try $0.actions.leading }
        : updater.trailingActions(at: path, deleteTitle: deleteTitle)
      return actions.map { action in
        let style = action.style == .destructive ? NSTableViewRowAction.Style.destructive : .regular
        return NSTableViewRowAction(style: style, title: action.title) { [weak self] _, _ in
          self?.reporting { try action.perform() }
        }
      }
    }

    @objc func performAction(of item: NSMenuItem) {
      guard let action = item.representedObject as? RowAction else { return }
      reporting { try action.perform() }
    }
  }

  extension AppKitTable: NSMenuDelegate {
    /// The items are those of the row's menu, and then the accessory and the insert action, for which NSTableView has
    /// no buttons. A menu without items does not open.
    func menuNeedsUpdate(_ menu: NSMenu) {
      menu.removeAllItems()
      guard let tableView, case .row(let path)? = rows.line(at: tableView.clickedRow) else {
        return
      }
      let actions = updater.answer(RowActions(), at: path) { try $0.actions }
      for action in actions.menu + [actions.accessory, actions.insert].compactMap(\.self) {
        let item = NSMenuItem(
          title: action.title, action: #selector(performAction(of:)), keyEquivalent: "")
        item.target = self
        item.representedObject = action
        item.image = action.imageName.flatMap {
          NSImage(systemSymbolName: $0, accessibilityDescription: nil)
        }
        menu.addItem(item)
      }
    }
  }
#endif
