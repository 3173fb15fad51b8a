import FetchedResults
import RowQueries
import SQLiteStorage

extension ScreenOutput {
  func press(_ key: Key) throws {
    guard !panes.isEmpty else {
      if case .character("q") = key { quit() }
      return
    }
    searching?.cancel()
    searching = nil
    note = nil
    switch mode {
    case .browsing: browse(key)
    case .typing(let text): type(key, after: text)
    case .choosing(var menu):
      switch menu.press(key) {
      case .none: mode = .choosing(menu)
      case .closed: mode = .browsing
      case .section(let section):
        mode = .browsing
        let pane = panes[focus]
        // The list may have changed since the menu was opened.
        let count = pane.snapshot.numberOfSections
        if count > 0 { pane.scroll(toSection: min(section, count - 1)) }
      }
    }
  }

  private func browse(_ key: Key) {
    let pane = panes[focus]
    switch key {
    case .character("q"): quit()
    case .up, .character("k"): pane.scroll(by: -1)
    case .down, .character("j"), .enter: pane.scroll(by: 1)
    case .pageUp, .character("b"): pane.scroll(byPages: -1)
    case .pageDown, .character("f"), .character(" "): pane.scroll(byPages: 1)
    case .home, .character("g"): pane.scrollToStart()
    case .end, .character("G"): pane.scrollToEnd()
    case .tab: focus = (focus + 1) % panes.count
    case .backTab: focus = (focus + panes.count - 1) % panes.count
    case .character("/"): mode = .typing("")
    case .character("n"): search(isForward: true)
    case .character("N"): search(isForward: false)
    case .character("i"): showIndex()
    case .escape: pane.pattern = nil
    default: break
    }
  }

  private func showIndex() {
    guard let menu = panes[focus].sectionIndex.flatMap(SectionIndexMenu.init) else {
      note = "there are no sections. Divide the rows with --by"
      return
    }
    mode = .choosing(menu)
  }

  // MARK: Searching

  private func type(_ key: Key, after text: String) {
    switch key {
    case .character(let character): mode = .typing(text + String(character))
    case .backspace: mode = text.isEmpty ? .browsing : .typing(String(text.dropLast()))
    case .escape: mode = .browsing
    case .enter:
      mode = .browsing
      // Without a text, the last one is searched again.
      let pattern = SearchPattern(text)
      if let pattern { panes[focus].pattern = pattern }
      search(isForward: true, isNew: pattern != nil)
    default: break
    }
  }

  /// Starts to search for the text of the focused list. The next key ends it.
  private func search(isForward: Bool, isNew: Bool = false) {
    let pane = panes[focus]
    guard let pattern = pane.pattern else {
      note = "type / and a text to find"
      return
    }
    let search = TextSearch(
      pattern, isForward: isForward,
      from: pane.searchStart(isForward: isForward, isNew: isNew),
      rowCount: pane.snapshot.numberOfRows)
    searching = Task { [weak self, focus] in await self?.run(search, inPane: focus) }
  }

  /// Searches until a row is found or another key is pressed. Keys are handled between two steps.
  private func run(_ search: TextSearch, inPane number: Int) async {
    guard !Task.isCancelled, panes.indices.contains(number) else { return }
    let pane = panes[number]
    var search = search
    let clock = ContinuousClock()
    var lastReport = clock.now
    do {
      while !search.hasEnded {
        guard !Task.isCancelled else { return }
        if let position = try search.step(pane.snapshot) {
          note = search.hasWrapped ? "searched on from the other end" : nil
          pane.reveal(position)
          return try draw()
        }
        if clock.now - lastReport > .milliseconds(300) {
          lastReport = clock.now
          note = "searching, \(search.percentage)%"
          try drawStatus()
        }
        await Task.yield()
      }
      guard !Task.isCancelled else { return }
      note = "no row has \"\(search.pattern.text)\""
      try drawStatus()
    } catch {
      show(error)
    }
  }
}
