#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit

  extension AppKitTable {
    /// The table calls it when a row is dragged.
    func tableView(
      _ tableView: NSTableView, pasteboardWriterForRow row: Int
    ) -> (any NSPasteboardWriting)? {
      guard case .row(let path)? = rows.line(at: row),
        answer(false, { try source.row(at: path).canMove })
      else { return nil }
      dragged = (path, answer(nil) { try source.row(at: path).identity })
      let item = NSPasteboardItem()
      item.setString("\(row)", forType: .tableRow)
      return item
    }

    /// The table calls it while a row is dragged. A row is dropped between two rows, and one at a time.
    func tableView(
      _ tableView: NSTableView, validateDrop info: any NSDraggingInfo, proposedRow row: Int,
      proposedDropOperation dropOperation: NSTableView.DropOperation
    ) -> NSDragOperation {
      guard move(of: info, in: tableView, to: row) != nil else { return [] }
      tableView.setDropRow(row, dropOperation: .above)
      return .move
    }

    /// The table calls it. The changes of the data source then move the row.
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
      let target = answer(nil) { try source.destination(of: .move(path, to: proposed)) } ?? path
      return target == path ? nil : TableChanges.Move(from: path, to: target)
    }
  }

  // MARK: - Display

  extension AppKitTable {
    /// The table calls it. The data source is notified when the table has finished, because the content may
    /// change then.
    func tableView(
      _ tableView: NSTableView, didAdd rowView: NSTableRowView, forRow row: Int
    ) {
      guard case .row(let path)? = rows.line(at: row),
        let identity = answer(
          nil, { try displayed.add(source.row(at: path), in: rowView).identity })
      else { return }
      Task { notifyWillDisplay(identity) }
    }

    private func notifyWillDisplay(_ identity: AnyHashable) {
      reporting {
        guard let path = try source.indexPath(forIdentity: identity) else { return }
        try source.row(at: path).willDisplay()
      }
    }

    func tableView(
      _ tableView: NSTableView, didRemove rowView: NSTableRowView, forRow row: Int
    ) {
      guard let displayedRow = answer(nil, { try displayed.remove(rowView) }) else { return }
      Task { displayedRow.didEndDisplaying() }
    }

    /// The height of the row, else its estimated height, else the one of the table.
    func tableView(_ tableView: NSTableView, heightOfRow row: Int) -> CGFloat {
      guard case .row(let path)? = rows.line(at: row) else { return -1 }
      let height: Double? = answer(nil) {
        let row = try source.row(at: path)
        return row.height ?? row.estimatedHeight
      }
      return height.map { CGFloat($0) } ?? -1
    }
  }

  extension NSPasteboard.PasteboardType {
    static let tableRow = NSPasteboard.PasteboardType("org.fetchedresults.table-row")
  }
#endif
