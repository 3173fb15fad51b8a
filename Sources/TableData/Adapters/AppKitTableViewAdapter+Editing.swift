#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit

  extension AppKitTable {
    func tableView(
      _ tableView: NSTableView, pasteboardWriterForRow row: Int
    ) -> (any NSPasteboardWriting)? {
      guard case .row(let path)? = rows.line(at: row),
        updater.answer(false, at: path, { try $0.canMove })
      else { return nil }
      dragged = (path, updater.answer(nil, at: path) { try $0.identity })
      let item = NSPasteboardItem()
      item.setString("\(row)", forType: .tableRow)
      return item
    }

    /// A row is dropped between two rows, and one at a time.
    func tableView(
      _ tableView: NSTableView, validateDrop info: any NSDraggingInfo, proposedRow row: Int,
      proposedDropOperation dropOperation: NSTableView.DropOperation
    ) -> NSDragOperation {
      guard move(of: info, in: tableView, to: row) != nil else { return [] }
      tableView.setDropRow(row, dropOperation: .above)
      return .move
    }

    /// The changes of the data source then move the row.
    func tableView(
      _ tableView: NSTableView, acceptDrop info: any NSDraggingInfo, row: Int,
      dropOperation: NSTableView.DropOperation
    ) -> Bool {
      guard let move = move(of: info, in: tableView, to: row) else { return false }
      dragged = nil
      return answer(false) {
        try source.perform(.move(move.from, to: move.to))
        return true
      }
    }

    private func move(
      of info: any NSDraggingInfo, in tableView: NSTableView, to row: Int
    ) -> TableChanges.Move? {
      guard let dragged, info.draggingSource as? NSTableView === tableView,
        info.draggingPasteboard.pasteboardItems?.count == 1
      else { return nil }
      // The row may have moved since it was lifted.
      let path = answer(nil) {
        try dragged.identity.map(source.indexPath(forIdentity:)) ?? dragged.indexPath
      }
      guard let path, let proposed = rows.dropTarget(of: path, at: row) else { return nil }
      let target = updater.target(ofMoveFrom: path, to: proposed)
      return target == path ? nil : TableChanges.Move(from: path, to: target)
    }
  }

  extension AppKitTable {
    func tableView(_ tableView: NSTableView, didAdd rowView: NSTableRowView, forRow row: Int) {
      guard case .row(let path)? = rows.line(at: row) else { return }
      updater.willDisplay(rowView, at: path)
    }

    func tableView(_ tableView: NSTableView, didRemove rowView: NSTableRowView, forRow row: Int) {
      updater.didEndDisplaying(rowView)
    }

    /// The height of the row, else its estimated height, else the one of the table.
    func tableView(_ tableView: NSTableView, heightOfRow row: Int) -> CGFloat {
      guard case .row(let path)? = rows.line(at: row) else { return -1 }
      return updater.answer(-1, at: path) { CGFloat($0.height ?? $0.estimatedHeight ?? -1) }
    }
  }

  extension NSPasteboard.PasteboardType {
    static let tableRow = NSPasteboard.PasteboardType("org.fetchedresults.table-row")
  }
#endif
