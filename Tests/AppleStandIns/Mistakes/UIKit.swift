// What the check must refuse: each line after a comment, for the reason that it gives.

import TableData
import UIKit

final class Titles: NSObject, UITableViewDataSource {
  // refused: cannot convert return expression of type 'String' to return type 'Int'
  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { "1" }

  func tableView(
    _ tableView: UITableView, cellForRowAt indexPath: IndexPath
  ) -> UITableViewCell { UITableViewCell() }

  // refused: nearly matches optional requirement 'tableView(_:titleForHeaderInSection:)'
  func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> Int { 1 }
}

final class Screen: UIKitTableViewController {
  // refused: has different argument labels from any potential overrides
  override func tableView(_ tableView: UITableView, didSelectRowsAt indexPath: IndexPath) {}
}

nonisolated func reload(_ tableView: UITableView) {
  // refused: call to main actor-isolated instance method 'reloadData()'
  tableView.reloadData()
}

// refused: has no member 'tableView(_:heightOfRow:)'
let missing = #selector((any UITableViewDelegate).tableView(_:heightOfRow:))
