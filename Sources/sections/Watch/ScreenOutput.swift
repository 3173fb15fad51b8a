import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// Tables for people, redrawn in place, which the user scrolls by keys. Changed rows are highlighted for a
/// second.
///
/// If standard input is not a terminal, no keys are read.
actor ScreenOutput: WatchOutput {
  /// What keys do at the moment.
  enum Mode {
    case browsing
    /// The user types a text to find.
    case typing(String)
    case choosing(SectionIndexMenu)
  }

  private let lists: [WatchedList]
  private let showsIndex: Bool
  private let style: StyleOptions
  /// Called when the user quits.
  let quit: @Sendable () -> Void

  /// Nil before the first version and after the end.
  private var terminal: LiveTerminal?
  /// Whether the user has suspended the tool. Then the terminal is the shell's, until `resumed` is handled.
  private var isSuspended = false
  private var keys = KeyReader()
  var mode = Mode.browsing
  /// The lists that have been read; empty before the first version, and while there is none: then only the
  /// last lines are shown.
  var panes: [ListPane] { panesOfLists.compactMap(\.self) }
  /// For each list its pane; nil as long as the list cannot be read.
  private var panesOfLists: [ListPane?]
  /// The list that the keys are for.
  var focus = 0
  private var status = WatchStatus()
  /// The answer to the last key.
  var note: String?
  /// The lines that were drawn last; without the status.
  private var drawn: [String] = []

  private var listening: Task<Void, Never>?
  private var fading: Task<Void, Never>?
  private var aging: Task<Void, Never>?
  var searching: Task<Void, Never>?

  init(
    _ lists: [WatchedList], showsIndex: Bool, style: StyleOptions,
    quit: @escaping @Sendable () -> Void
  ) {
    self.lists = lists
    panesOfLists = lists.map { _ in nil }
    self.showsIndex = showsIndex
    self.style = style
    self.quit = quit
  }

  func show(
    _ results: IndependentUpdates<Row>.Element, version: Int
  ) async throws -> IndependentUpdates<Row>.Element {
    let updates = results.compactMap { try? $0.get() }
    let focused = panes.isEmpty ? nil : panes[focus]
    for (position, result) in results.enumerated() {
      guard let update = try? result.get() else { continue }
      if let pane = panesOfLists[position] {
        pane.show(update)
      } else {
        panesOfLists[position] = ListPane(lists[position], update.new)
        searching?.cancel()
      }
    }
    // A list that is read for the first time may be before it.
    if let focused { focus = panes.firstIndex { $0 === focused } ?? 0 }
    focus = max(0, min(focus, panes.count - 1))
    if terminal == nil { try enter() }
    let change = updates.first { !$0.changes.isEmpty }
    let hasReset = updates.contains(where: \.isReset)
    status.add(version: version, source: hasReset ? nil : change?.source, at: .now)
    status.message = lists.problems(in: results).line
    try draw()
    fade()
    age()
    return results
  }

  func showUnchanged(_ results: IndependentUpdates<Row>.Element) async throws {
    for (pane, result) in zip(panesOfLists, results) {
      if let update = try? result.get() { pane?.show(update.new) }
    }
    let message = lists.problems(in: results).line
    guard message != status.message else { return }
    status.message = message
    try drawStatus()
  }

  func releaseVersion() async {
    searching?.cancel()
    searching = nil
    mode = .browsing
    panesOfLists = lists.map { _ in nil }
  }

  func show(_ problems: [WatchProblem]) async throws {
    status.message = problems.line
    try draw()
  }

  func end() async {
    for task in [listening, fading, aging, searching] { task?.cancel() }
    terminal?.leave()
    terminal?.close()
    terminal = nil
  }

  private func enter() throws {
    let terminal = LiveTerminal()
    self.terminal = terminal
    try terminal.enter()
    listening = Task { [weak self, events = terminal.events] in
      for await event in events { await self?.handle(event) }
    }
  }

  private func handle(_ event: LiveTerminal.Event) {
    guard let terminal else { return }
    do {
      switch event {
      case .input(let bytes):
        for key in keys.keys(in: bytes) { try press(key) }
      case .ended: return quit()
      case .suspended:
        isSuspended = true
        return terminal.suspend()
      case .resumed:
        isSuspended = false
        try terminal.enter()
      case .resized: break
      }
      try draw()
    } catch {
      show(error)
    }
  }

  /// Shows the error of a key or of a drawing. Without a terminal the watch ends.
  func show(_ error: any Error) {
    if error is OutputError { return quit() }
    note = "\(error)"
    do { try drawStatus() } catch { quit() }
  }

  // MARK: Time

  private func fade() {
    fading?.cancel()
    guard panes.contains(where: \.isHighlighting) else { return }
    fading = Task { [weak self] in
      guard (try? await Task.sleep(for: .seconds(1), clock: .suspending)) != nil else { return }
      await self?.removeHighlight()
    }
  }

  private func removeHighlight() {
    guard !Task.isCancelled else { return }
    for pane in panes { pane.removeHighlight() }
    do { try draw() } catch { show(error) }
  }

  /// Redraws the status line when the age of the newest change is another one.
  private func age() {
    aging?.cancel()
    guard let delay = status.nextChange(at: .now) else { return }
    aging = Task { [weak self] in
      guard (try? await Task.sleep(for: delay, clock: .suspending)) != nil else { return }
      await self?.showAge()
    }
  }

  private func showAge() {
    guard !Task.isCancelled, terminal != nil else { return }
    do { try drawStatus() } catch { show(error) }
    age()
  }

  // MARK: Drawing

  func draw() throws {
    guard let terminal, !isSuspended else { return }
    guard !panes.isEmpty else { return try drawStatus() }
    let options = style.terminalOptions
    let wanted = panes.map { $0.fullHeight(showsIndex: showsIndex) }
    let room = terminal.height.map { max($0 - 1, 1) } ?? wanted.reduce(0, +)
    if case .choosing(var menu) = mode {
      let snapshot = panes[focus].snapshot
      drawn = menu.draw(height: room, options: options) { section in
        section < snapshot.numberOfSections ? snapshot.section(at: section).name : nil
      }
      mode = .choosing(menu)
    } else {
      let heights = ListPane.heights(wanted, in: max(room, wanted.count), focus: focus)
      drawn = zip(panes, heights).enumerated().flatMap { number, pane in
        pane.0.draw(
          height: pane.1, options: options, showsIndex: showsIndex, isFocused: number == focus)
      }
    }
    try drawStatus()
  }

  /// Draws the status, and the other lines as they are.
  func drawStatus() throws {
    guard let terminal, !isSuspended else { return }
    try terminal.draw(drawn + [statusLine(style.terminalOptions, hasKeys: terminal.readsKeys)])
  }

  private func statusLine(_ options: TerminalOptions, hasKeys: Bool) -> String {
    var texts: [StyledText]
    if case .typing(let text) = mode {
      texts = [StyledText("/", .bold), StyledText(text), StyledText("▏")]
    } else {
      // First, as a line that is too long is cut at its end.
      texts = [note, status.message].compactMap(\.self).flatMap {
        [StyledText($0, .bold), StyledText(" · ", .dim)]
      }
      texts.append(StyledText(statusParts(hasKeys: hasKeys).joined(separator: " · "), .dim))
    }
    return LineWriter.line(texts, options)
  }

  private func statusParts(hasKeys: Bool) -> [String] {
    guard !panes.isEmpty else { return hasKeys ? ["q quit"] : [] }
    let pane = panes[focus]
    var parts = ["row".counted(pane.snapshot.numberOfRows)]
    if pane.list.query.sectionKey != nil {
      parts[0] += " in \("section".counted(pane.snapshot.numberOfSections))"
    }
    if case .choosing = mode { return parts + ["⏎ go to the section", "Esc close"] }
    if let percentage = pane.viewport.percentage { parts.append("\(percentage)%") }
    parts += status.texts(at: .now)
    guard hasKeys else { return parts }
    return parts + (panes.count > 1 ? ["⇥ next list"] : []) + ["/ find", "i index", "q quit"]
  }
}
