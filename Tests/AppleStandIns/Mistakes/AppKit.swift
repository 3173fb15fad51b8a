// What the check must refuse: each line after a comment, for the reason that it gives.

import AppKit
import TableData

final class Rows: NSObject, NSTableViewDataSource {
  // refused: nearly matches optional requirement 'numberOfRows(in:)'
  func numberOfRows(in tableView: NSTableView) -> UInt { 0 }
}

final class Menu: NSObject, NSMenuDelegate {
  // refused: nearly matches optional requirement 'menuNeedsUpdate'
  func menuNeedsUpdate(for menu: NSMenu) {}
}

@MainActor func count(_ tableView: NSTableView) -> Int {
  // refused: value of optional type '(any NSTableViewDataSource)?' must be unwrapped
  tableView.dataSource.numberOfRows?(in: tableView) ?? 0
}
