import Covers
import TableData
import TableDataTesting

/// The screen of the collection: a list, and the page of the selected cover.
///
/// It does not use a terminal: it gets commands, and returns lines. The list and the page share only the selection.
///
/// Not Sendable: use it on one actor.
final class Screen {
  let list: CoversList
  let controller: TableViewController
  let selection = Selection()
  let detail: CoverDetail
  private let covers: DataController
  private let images: CoverImages?
  /// The message about the last command; empty for none.
  private var message = ""

  static let help = """
    a number selects its row · + and - scroll · /text searches · d number deletes · f number puts first · \
    x number folds its section · q quits
    """

  /// Makes the screen of a store.
  ///
  /// - Parameter images: loads the image of the page; nil for none.
  /// - Throws: `FetchError` and `DatabaseError` if the store has no covers.
  init(_ covers: DataController, images: CoverImages? = nil, height: Int = 16) throws {
    self.covers = covers
    self.images = images
    let failure = Failure()
    list = try CoversList(covers) { failure.report($0) }
    controller = TableViewController(selection: selection, height: height) { failure.report($0) }
    detail = try CoverDetail(covers, selection: selection, images: images) { failure.report($0) }
    failure.report = { [unowned self] in message = "! \($0)" }
    list.form.onSubmit = { [unowned self] draft, isFirst in
      try covers.add(draft, first: isFirst)
      message = "\(draft.label) by \(draft.artist) was added."
    }
    try controller.setDataSource(list.source)
  }

  /// Forwards errors to the screen, which is made after the objects that report them.
  private final class Failure {
    var report: (any Error) -> Void = { _ in }
  }

  /// Starts observing commits of all connections.
  func start(isolation: isolated any Actor) throws {
    list.start(isolation: isolation)
    try detail.start(isolation: isolation)
    images?.start(isolation: isolation)
  }

  // MARK: Commands

  /// Handles a line that the user has entered. Errors are shown on the screen.
  ///
  /// - Returns: false if the user quits.
  func enter(_ line: String) -> Bool {
    message = ""
    do {
      guard list.form.editedField == nil else {
        list.form.enter(line)
        return true
      }
      return try perform(line)
    } catch {
      message = "! \(error)"
      return true
    }
  }

  private func perform(_ line: String) throws -> Bool {
    let words = line.split(separator: " ")
    switch words.first {
    case "q": return false
    case "+": try scroll(by: controller.tableView.height)
    case "-": try scroll(by: -controller.tableView.height)
    case "d": if let row = try row(words.last) { try controller.deleteRow(at: row) }
    case "f":
      guard let row = try row(words.last) else { break }
      let actions = try list.source.row(at: row).actions
      try actions.leading.first?.perform()
    case "x": if let row = try row(words.last) { try list.toggle(row.section) }
    case _ where line.hasPrefix("/"): try list.covers.search(String(line.dropFirst()))
    default: if let row = try row(words.first) { try controller.selectRow(at: row) }
    }
    return true
  }

  private func scroll(by distance: Int) throws {
    let table = controller.tableView
    let count = table.numbersOfRows.reduce(0, +)
    try table.setContentOffset(max(0, min(table.contentOffset + distance, count - table.height)))
  }

  /// The visible row with a number; nil, and a message, if there is none.
  private func row(_ number: Substring?) throws -> IndexPath? {
    let rows = controller.tableView.indexPathsForVisibleRows
    guard let number = number.flatMap({ Int($0) }), rows.indices.contains(number - 1) else {
      message = Screen.help
      return nil
    }
    return rows[number - 1]
  }

  // MARK: Drawing

  /// The lines of the visible rows with their headings, of the page, and of the message.
  func lines() throws -> [String] {
    let table = controller.tableView
    var lines = [heading]
    var section: Int?
    for (number, path) in table.indexPathsForVisibleRows.enumerated() {
      if section != path.section, let title = try table.titleForHeader(inSection: path.section) {
        lines.append("  \(title)")
      }
      section = path.section
      let mark = table.indexPathForSelectedRow == path ? "›" : " "
      let text = (table.cellForRow(at: path) as? any TextCell)?.text ?? ""
      lines.append("\(mark) \(number < 9 ? " " : "")\(number + 1) \(text)")
    }
    lines.append("")
    lines += page
    if !message.isEmpty { lines.append(message) }
    return lines
  }

  private var heading: String {
    let sections = list.covers.sections
    let count = sections.reduce(0) { $0 + $1.numberOfRows }
    let search = list.covers.searchText
    return "\("cover".counted(count)) by \("artist".counted(sections.count))"
      + (search.isEmpty ? "" : " with “\(search)”")
  }

  private var page: [String] {
    switch detail.state {
    case .nothing: []
    case .deleted: ["This cover was deleted."]
    case .shown(let cover):
      ["\(cover.label) by \(cover.artist), \(cover.releaseYear.map(String.init) ?? "year unknown")"]
        + [image].compactMap(\.self)
    }
  }

  /// The image of the page, which is not drawn; nil for none.
  private var image: String? {
    switch detail.image.state {
    case .empty: nil
    case .loading: "loading the image…"
    case .shown(let image): "\(image.format.rawValue), \(image.width) × \(image.height)"
    case .failed(let error): "! \(error.message)"
    }
  }
}

extension String {
  /// The number and the noun: "1 cover", "2 covers".
  fileprivate func counted(_ count: Int) -> String { "\(count) \(self)\(count == 1 ? "" : "s")" }
}
