/// What the adapters of UIKit and AppKit have in common: it makes the cells of a table, notifies the rows that are
/// displayed, and keeps the table in step with its data source. An adapter only calls it by the names of its table.
///
/// When the user drags a row, UIKit's tables show it at its new place before the data source knows. The changes that
/// the data source then sends lead from its old state to the new one, so they must be converted: the table shows
/// neither. Changes that come while the table calls the data source are shown after the call.
final class TableUpdater {
  let source: any ComposableTableViewDataSource
  /// Called after changes are shown.
  var didShow: () -> Void = {}
  /// Called after a call of the table in which changes came. ``showPending()`` shows them when it has finished.
  var didDefer: () -> Void = {}

  let onError: (any Error) -> Void
  private let show: (TableChanges) throws -> Void
  private let showAgain: ([IndexPath]) throws -> Void
  private var prepared = PreparedCells()
  private var displayed = DisplayedRows()
  /// The moves of the user that the data source has not yet sent, each in the coordinates after the ones before it.
  private var moves: [TableChanges.Move] = []
  /// Whether the table is calling the data source. It must not be changed then.
  private var isAsking = false
  /// The changes to show after the call, and the rows to refresh then.
  private var pending = (changes: TableChanges(), rows: [IndexPath]())

  /// Becomes the observer of a data source. `show` shows changes in the table, and `showAgain` shows the content of
  /// rows again, in their cells.
  init(
    _ source: any ComposableTableViewDataSource, onError: @escaping (any Error) -> Void,
    show: @escaping (TableChanges) throws -> Void,
    showAgain: @escaping ([IndexPath]) throws -> Void
  ) throws {
    self.source = source
    self.onError = onError
    self.show = show
    self.showAgain = showAgain
    try source.setObserver(self)
  }

  // MARK: Rows

  func makeCell<Table: CellTable>(
    for row: TableRow, at indexPath: IndexPath, in table: Table
  ) throws -> Table.Cell { try table.makeCell(for: row, at: indexPath, prepared: &prepared) }

  func showAgain<Table: CellTable>(
    rowsAt indexPaths: [IndexPath], in table: Table,
    displayedIn view: (Table.Cell) -> AnyObject? = { $0 }
  ) throws {
    try table.showAgain(
      rowsAt: indexPaths, row: { try source.row(at: $0) },
      displayed: { view($0).flatMap { displayed.row(of: $0) } })
  }

  func willDisplay(_ cell: AnyObject, at indexPath: IndexPath) {
    deferringChanges {
      try displayed.add(source.row(at: indexPath), in: cell).willDisplay()
    }
  }

  func didEndDisplaying(_ cell: AnyObject) {
    deferringChanges { try displayed.remove(cell)?.didEndDisplaying() }
  }

  /// The table is about to show another data source. It will end the display of the cells too late for this one.
  func endDisplaying() {
    for cell in displayed.cells {
      deferringChanges { try displayed.remove(cell)?.didEndDisplaying() }
    }
  }

  /// A property of a row, or another value if there is an error, which is reported.
  func answer<Answer>(
    _ other: Answer, at indexPath: IndexPath, _ question: (TableRow) throws -> Answer
  ) -> Answer { answer(other) { try question(source.row(at: indexPath)) } }

  /// The header or the footer of a section; an empty one if there is an error, which is reported.
  func heading(_ heading: KeyPath<TableSection, TableHeading>, _ section: Int) -> TableHeading {
    answer(TableHeading()) { try source.section(section)[keyPath: heading] }
  }

  /// The buttons of a swipe: the row's actions, or one to delete it if it has none and can be deleted.
  func trailingActions(at indexPath: IndexPath, deleteTitle: String) -> [RowAction] {
    answer([], at: indexPath) { row in
      let actions = try row.actions.trailing
      guard actions.isEmpty, try row.canDelete else { return actions }
      return [
        RowAction(deleteTitle, style: .destructive) { [source, identity = try row.identity] in
          // The row may have moved since its button was shown.
          let path = try identity.map(source.indexPath(forIdentity:)) ?? indexPath
          if let path { try source.perform(.delete(path)) }
        }
      ]
    }
  }

  // MARK: Moves

  /// Where the data source accepts a row that is being dragged.
  func target(ofMoveFrom indexPath: IndexPath, to proposed: IndexPath) -> IndexPath {
    answer(nil) { try source.destination(of: .move(indexPath, to: proposed)) } ?? indexPath
  }

  /// Moves a row for the user. The table already shows it at its new index path.
  ///
  /// If the data source refuses, the row goes back.
  func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
    guard indexPath != newIndexPath else { return }
    moves.append(TableChanges.Move(from: indexPath, to: newIndexPath))
    deferringChanges {
      do {
        try source.perform(.move(indexPath, to: newIndexPath))
      } catch {
        // What the data source sent before the error is already pending.
        if !moves.isEmpty { showLater(rest(of: TableChanges())) }
        throw error
      }
    }
  }

  /// Makes a call of the table, in which the content may change: a row is displayed, say.
  func deferringChanges(_ body: () throws -> Void) {
    let wasAsking = isAsking
    isAsking = true
    reporting(body)
    isAsking = wasAsking
    if hasPending { didDefer() }
  }

  var hasPending: Bool { !pending.changes.isEmpty || !pending.rows.isEmpty }

  /// Shows the changes that came during a call of the table.
  func showPending() {
    guard hasPending, !isAsking else { return }
    let (changes, rows) = pending
    pending = (TableChanges(), [])
    reporting { try show(changes) }
    if !rows.isEmpty { reporting { try showAgain(rows) } }
    didShow()
  }

  private func showLater(_ next: (changes: TableChanges, rows: [IndexPath])) {
    guard hasPending else { return pending = next }
    var before = pending.changes
    before.updatedRows += pending.rows.map { TableChanges.Update(old: $0, new: $0) }
    var after = next.changes
    after.updatedRows += next.rows.map { TableChanges.Update(old: $0, new: $0) }
    pending = (before.followed(by: after), [])
  }

  /// The changes from what the table shows to the new state, and the moved rows that it already shows at their new
  /// index paths.
  private func rest(of changes: TableChanges) -> (changes: TableChanges, rows: [IndexPath]) {
    defer { moves = [] }
    guard !moves.isEmpty else { return (changes, []) }
    let back = moves.reversed().reduce(TableChanges()) { back, move in
      back.followed(by: TableChanges(movedRows: [.init(from: move.to, to: move.from)]))
    }
    var rest = back.followed(by: moves.reduce(into: changes) { $0.join($1) })
    let shown = rest.updatedRows.filter { update in
      update.old == update.new && moves.contains { $0.to == update.old }
    }
    rest.updatedRows.removeAll { shown.contains($0) }
    return (rest, shown.map(\.new))
  }
}

extension TableUpdater: ErrorReporting {}

extension TableUpdater {
  /// Shows the changes that came in a call of the table, when it has finished.
  @MainActor func showPendingLater() { Task { showPending() } }
}

extension TableUpdater: TableChangesObserver {
  func contentWillChange(of sender: any TableChangesSender) {}

  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    showLater(rest(of: changes))
    showPending()
  }

  func content(of sender: any TableChangesSender, didFailWith error: any Error) { onError(error) }
}
