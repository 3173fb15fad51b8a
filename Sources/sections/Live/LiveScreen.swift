import Covers
import SQLiteStorage
import TableData

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The demo's screen: a list, the page of the cover that is selected in it, and a line of help.
///
/// It knows no terminal: it is told of keys, and gives lines. The list and the page share only what is
/// selected.
final class LiveScreen {
  /// What keys mean at the moment.
  enum Mode {
    case browsing, searching, editing
  }

  let list: LiveList
  let controller: TableViewController
  let selection = Selection()
  let detail: CoverDetail

  var mode = Mode.browsing
  /// The heading that the cursor is on; nil where it is on a row.
  var heading: (section: Int, title: String)?
  /// What there is to say of the last key, until the next one.
  var message: StyledText?
  /// The line that the cursor was on last, and the first line that is shown.
  var lastPosition = 0
  private var top = 0
  /// How many lines of the list were shown last.
  private(set) var pageHeight = 10

  /// Makes the screen of a store.
  ///
  /// - Parameter noteChange: called when something else is to be shown.
  /// - Throws: `FetchError` and `DatabaseError` where it has no covers.
  init(_ covers: DataController, noteChange: @escaping () -> Void) throws {
    let failure = Failure()
    list = try LiveList(covers) { failure.report($0) }
    controller = TableViewController(selection: selection) { failure.report($0) }
    detail = try CoverDetail(covers, selection: selection) { failure.report($0) }
    failure.report = { [unowned self] error in
      showError(error)
      noteChange()
    }
    detail.didChange = noteChange
    list.form.onSubmit = { [unowned self] draft, isFirst in
      try covers.add(draft, first: isFirst)
      message = StyledText("\(draft.label) by \(draft.artist) was added.")
    }
    try controller.setDataSource(list.source)
    list.covers.didChange = { [note = list.covers.didChange] in
      note($0)
      noteChange()
    }
  }

  /// Where errors go. The screen that shows them is made after those who have them.
  private final class Failure {
    var report: (any Error) -> Void = { _ in }
  }

  /// Follows what anybody commits.
  func start(isolation: isolated any Actor) throws {
    list.covers.startObserving(isolation: isolation)
    try detail.start(isolation: isolation)
  }

  // MARK: Drawing

  /// The lines of the table as it is.
  var lines: TableLines {
    get throws {
      let counts = controller.tableView.numbersOfRows
      return TableLines(
        rowCounts: counts,
        headers: try counts.indices.map { try list.source.titleForHeader(inSection: $0) })
    }
  }

  /// Draws everything.
  ///
  /// - Throws: what reading the content throws.
  func draw(width: Int, height: Int, usesColor: Bool) throws -> [String] {
    let lines = try lines
    // Above the list a title; below it a line between, the page and the help. Where there is hardly
    // room for the list, they go.
    let extra = height >= 8 ? 4 : height >= 3 ? 1 : 0
    pageHeight = max(height - extra, 1)
    let cursor = try cursor(in: lines)
    lastPosition = lines.position(of: cursor) ?? 0
    top = min(max(top, lastPosition - pageHeight + 1), lastPosition)
    top = max(0, min(top, lines.count - pageHeight))
    let window = top..<min(top + pageHeight, lines.count)
    // Side by side, or one line of the page below.
    let pageWidth = extra == 4 ? LiveScreen.pageWidth(in: width) : nil
    let options = TerminalOptions(width: max(width, 1), usesColor: usesColor)
    var renderer = TableRenderer(options: options)
    renderer.heading = { [list] in list.heading(of: $0) }
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
    let numbers =
      "\(count) cover\(count == 1 ? "" : "s") by \(sections.count) "
      + "artist\(sections.count == 1 ? "" : "s")"
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

  /// How much of the list is above and below.
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
      "↑↓ move  ⏎ do  f/F fold  J/K reorder  d delete  / search  q quit"
    case .searching: "type to search  ⏎ keep  Esc show all"
    case .editing: "type  ⏎ next field  Esc done"
    }
  }
}
