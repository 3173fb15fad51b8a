import Covers
import SQLiteStorage
import TableData
import TableDataTesting

/// The demo's screen: a list, the page of the selected cover, and a line of help.
///
/// It does not use a terminal: it gets keys, and returns lines. The list and the page share only
/// the selection.
final class LiveScreen {
  /// What keys do at the moment.
  enum Mode {
    case browsing, searching, editing
    /// The user chooses one of ``choices``.
    case choosing
  }

  let list: LiveList
  let controller: TableViewController
  let selection = Selection()
  /// The covers to delete together.
  let marked = Selection(allowsMultipleSelection: true)
  let detail: CoverDetail
  let covers: DataController
  private let images: CoverImages?
  private var relay: ChangeRelay?

  var mode = Mode.browsing
  /// The actions of a row that can be chosen.
  var choices: [RowAction] = []
  /// The heading that the cursor is on, with the identity of its section; nil if the cursor is on a row.
  var heading: (section: Int, identity: AnyHashable?)?
  /// The message about the last key, until the next one.
  var message: StyledText?
  /// The last line of the cursor, and the first line that is shown.
  var lastPosition = 0
  private var top = 0
  /// The number of lines of the list that were drawn last.
  private(set) var pageHeight = 10

  /// Makes the screen of a store.
  ///
  /// - Parameters:
  ///   - images: loads the image of the page; nil for none.
  ///   - noteChange: called when the content of the screen has changed.
  /// - Throws: `FetchError` and `DatabaseError` if the store has no covers.
  init(
    _ covers: DataController, images: CoverImages? = nil, noteChange: @escaping () -> Void
  ) throws {
    self.covers = covers
    self.images = images
    let failure = Failure()
    list = try LiveList(covers) { failure.report($0) }
    controller = TableViewController(selection: selection) { failure.report($0) }
    detail = try CoverDetail(covers, selection: selection, images: images) { failure.report($0) }
    failure.report = { [unowned self] error in
      showError(error)
      noteChange()
    }
    detail.didChange = noteChange
    images?.didChange = { _ in noteChange() }
    list.form.onSubmit = { [unowned self] draft, isFirst in
      try covers.add(draft, first: isFirst)
      message = StyledText("\(draft.label) by \(draft.artist) was added.")
    }
    try controller.setDataSource(list.source)
    list.covers.didChange = { [unowned self, note = list.covers.didChange] in
      note($0)
      unmarkDeleted()
    }
    relay = ChangeRelay(controller, noteChange: noteChange)
    list.source.observer = relay
  }

  /// Forwards errors to the screen, which is made after the objects that report them.
  private final class Failure {
    var report: (any Error) -> Void = { _ in }
  }

  /// Notes each change of the list after the table shows it.
  private final class ChangeRelay: TableChangesObserver {
    let table: TableViewController
    let noteChange: () -> Void

    init(_ table: TableViewController, noteChange: @escaping () -> Void) {
      self.table = table
      self.noteChange = noteChange
    }

    func contentWillChange(of sender: any TableChangesSender) {
      table.contentWillChange(of: sender)
    }

    func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      table.contentDidChange(of: sender, by: changes)
      noteChange()
    }

    func content(of sender: any TableChangesSender, didFailWith error: any Error) {
      table.content(of: sender, didFailWith: error)
    }
  }

  /// Starts observing commits of all connections.
  func start(isolation: isolated any Actor) throws {
    list.start(isolation: isolation)
    try detail.start(isolation: isolation)
    images?.start(isolation: isolation)
  }

  // MARK: Drawing

  /// The current lines of the table.
  var lines: TableLines {
    get throws {
      let counts = controller.tableView.numbersOfRows
      return TableLines(
        rowCounts: counts,
        headers: try counts.indices.map { try list.source.section($0).header.title })
    }
  }

  /// Draws everything.
  func draw(width: Int, height: Int, usesColor: Bool) throws -> [String] {
    let lines = try lines
    // A title above the list; below it an empty line, the page and the help. They are left out if
    // there is hardly space for the list.
    let extra = height >= 8 ? 4 : height >= 3 ? 1 : 0
    pageHeight = max(height - extra, 1)
    let cursor = try cursor(in: lines)
    lastPosition = lines.position(of: cursor) ?? 0
    top = min(max(top, lastPosition - pageHeight + 1), lastPosition)
    top = max(0, min(top, lines.count - pageHeight))
    let window = top..<min(top + pageHeight, lines.count)
    // The page beside the list, or one line of it below.
    let pageWidth = extra == 4 ? LiveScreen.pageWidth(in: width) : nil
    let options = TerminalOptions(width: max(width, 1), usesColor: usesColor)
    var renderer = TableRenderer(options: options)
    renderer.heading = { [list] in list.heading(of: $0) }
    renderer.isMarked = isMarked
    if let pageWidth {
      renderer.options.width = width - pageWidth
      renderer.fillsLines = true
    }
    var drawn = try renderer.draw(controller.tableView, lines, window: window, cursor: cursor)
    guard extra > 0 else { return drawn }
    let empty = renderer.draw(TerminalRow(leading: []))
    drawn += Array(repeating: empty, count: pageHeight - drawn.count)
    if let pageWidth { put(page, beside: &drawn, width: pageWidth, usesColor: usesColor) }
    renderer = TableRenderer(options: options)
    if extra == 4 {
      drawn.insert(renderer.draw(title), at: 0)
      drawn.append(renderer.draw(place(of: window, in: lines)))
      drawn.append(renderer.draw(footer(showsPage: pageWidth == nil)))
    }
    drawn.append(renderer.draw(TerminalRow(leading: [StyledText(help, .dim)])))
    return drawn
  }

  private func put(
    _ rows: [TerminalRow], beside lines: inout [String], width: Int, usesColor: Bool
  ) {
    let renderer = TableRenderer(
      options: TerminalOptions(width: width - 2, usesColor: usesColor))
    for index in lines.indices {
      lines[index] += " │" + (index < rows.count ? renderer.draw(rows[index]) : "")
    }
  }

  private var title: TerminalRow {
    let sections = list.covers.sections
    let count = sections.reduce(0) { $0 + $1.numberOfRows }
    let marks = marked.identities.isEmpty ? "" : "\(marked.identities.count) marked of "
    let numbers =
      "\(marks)\("cover".counted(count)) by \("artist".counted(sections.count))"
    let text = list.covers.searchText
    guard mode == .searching || !text.isEmpty else {
      return TerminalRow(
        leading: [StyledText("Covers", .bold)], trailing: [StyledText(numbers, .dim)])
    }
    return TerminalRow(
      leading: [
        StyledText("Search: ", .bold), StyledText(text), StyledText(mode == .searching ? "▏" : ""),
      ], trailing: [StyledText(numbers, .dim)])
  }

  /// The number of lines of the list above and below the window.
  private func place(of window: Range<Int>, in lines: TableLines) -> TerminalRow {
    let above = window.lowerBound > 0 ? "↑ \(window.lowerBound) more" : ""
    let below = lines.count - window.upperBound
    return TerminalRow(
      leading: [StyledText(above, .dim)],
      trailing: below > 0 ? [StyledText("↓ \(below) more", .dim)] : [])
  }

  private var help: String {
    switch mode {
    case .browsing:
      "↑↓ go  ⏎ do  a actions  x mark  d delete  f/F fold  J/K move  / find  q quit"
    case .choosing: "1–9 do it  Esc do nothing"
    case .searching: "type to search  ⏎ keep  Esc show all"
    case .editing: "type  ⏎ next field  Esc done"
    }
  }
}
