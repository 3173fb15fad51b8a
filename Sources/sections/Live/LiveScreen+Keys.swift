import Covers
import TableData
import TableDataTesting

extension LiveScreen {
  /// Handles a key. Errors are shown on the screen.
  ///
  /// - Returns: false if the user quits.
  func press(_ key: Key) -> Bool {
    message = nil
    do {
      switch mode {
      case .browsing: return try browse(key)
      case .searching: try search(key)
      case .editing: try edit(key)
      case .choosing: try choose(key)
      }
    } catch {
      showError(error)
    }
    return true
  }

  private func browse(_ key: Key) throws -> Bool {
    switch key {
    case .character("q"): return false
    case .up, .character("k"): try moveCursor(by: -1)
    case .down, .character("j"): try moveCursor(by: 1)
    case .pageUp: try moveCursor(by: -pageHeight)
    case .pageDown: try moveCursor(by: pageHeight)
    case .home, .character("g"): try moveCursor(by: -lastPosition)
    case .end, .character("G"): try moveCursor(by: .max / 2)
    case .enter, .character(" "): try activate()
    case .left, .right, .tab, .character("f"): try fold()
    case .character("F"): try foldAll()
    case .delete, .backspace, .character("d"): try delete()
    case .character("x"): try mark()
    case .character("a"): try showActions()
    case .shiftUp, .character("K"): try reorder(by: -1)
    case .shiftDown, .character("J"): try reorder(by: 1)
    case .character("/"): mode = .searching
    case .escape:
      try list.covers.search("")
      marked.select(nil)
    default: break
    }
    return true
  }

  // MARK: Rows

  private func currentRow() throws -> IndexPath? {
    guard case .row(let path) = try cursor(in: try lines) else { return nil }
    return path
  }

  private func activate() throws {
    guard let row = try currentRow() else { return try fold() }
    try controller.selectRow(at: row)
    if list.form.editedField != nil { mode = .editing }
  }

  // MARK: Marks

  /// Whether the row of a cover is marked.
  func isMarked(_ row: IndexPath) -> Bool {
    guard list.coverSection(row.section) != nil,
      let id = try? list.source.row(at: row).itemIdentity
    else { return false }
    return marked.contains(id)
  }

  private func mark() throws {
    guard let row = try currentRow(), list.coverSection(row.section) != nil,
      let id = try list.source.row(at: row).itemIdentity
    else { return message = StyledText("! only covers can be marked", .bold) }
    if marked.contains(id) { marked.remove(id) } else { marked.insert(id) }
  }

  /// Removes the marks of covers that were deleted. A search hides others, which keep theirs.
  func unmarkDeleted() {
    guard list.covers.searchText.isEmpty else { return }
    do {
      for id in marked.identities where try list.covers.indexPath(forIdentity: id) == nil {
        marked.remove(id)
      }
    } catch { showError(error) }
  }

  // MARK: Actions

  private func showActions() throws {
    guard let row = try currentRow() else { return }
    choices = try list.source.row(at: row).actions.all
    guard !choices.isEmpty else { return message = StyledText("! this row has no actions", .bold) }
    mode = .choosing
  }

  private func choose(_ key: Key) throws {
    switch key {
    case .character(let character):
      guard let number = character.wholeNumberValue, choices.indices.contains(number - 1) else {
        return
      }
      mode = .browsing
      try choices[number - 1].perform()
    case .escape: mode = .browsing
    default: break
    }
  }

  // MARK: Editing

  private func delete() throws {
    let ids = marked.identities(as: Cover.ID.self)
    guard ids.isEmpty else {
      try covers.delete(ids)
      return marked.select(nil)
    }
    guard let row = try currentRow() else { return }
    guard list.coverSection(row.section) != nil else {
      message = StyledText("! only covers can be deleted", .bold)
      return
    }
    try controller.deleteRow(at: row)
  }

  /// Moves the cover up or down; from the edge of its artist's covers, to the next artist.
  private func reorder(by step: Int) throws {
    guard let row = try currentRow() else { return }
    guard list.coverSection(row.section) != nil else {
      message = StyledText("! only covers can be moved", .bold)
      return
    }
    var target = IndexPath(row: row.row + step, section: row.section)
    let count = controller.tableView.numbersOfRows[row.section]
    if !(0..<count ~= target.row) {
      let section = row.section + step
      guard let neighbor = list.coverSection(section) else { return }
      let rows = try list.covers.numberOfRows(inSection: neighbor)
      try list.folded.setFolded(false, section: neighbor)
      target = IndexPath(row: step > 0 ? 0 : rows, section: section)
    }
    try controller.moveRow(at: row, to: target)
  }

  // MARK: Sections

  private func fold() throws {
    let lines = try lines
    let section =
      switch try cursor(in: lines) {
      case .header(let section): section
      case .row(let path): path.section
      }
    guard let cover = list.coverSection(section) else { return }
    // On the heading, as the row disappears.
    try setCursor(.header(section), in: lines)
    try list.folded.setFolded(!list.folded.isFolded(section: cover), section: cover)
  }

  private func foldAll() throws {
    let lines = try lines
    if let row = try currentRow(), list.coverSection(row.section) != nil {
      try setCursor(.header(row.section), in: lines)
    }
    try list.toggleAll()
  }

  // MARK: Typing

  private func search(_ key: Key) throws {
    let text = list.covers.searchText
    switch key {
    case .character(let character): try list.covers.search(text + String(character))
    case .backspace: try list.covers.search(String(text.dropLast()))
    case .escape:
      mode = .browsing
      try list.covers.search("")
    case .enter: mode = .browsing
    case .up: try moveCursor(by: -1)
    case .down: try moveCursor(by: 1)
    default: break
    }
  }

  private func edit(_ key: Key) throws {
    switch key {
    case .character(let character): list.form.changeText { $0.append(character) }
    case .backspace: list.form.changeText { _ = $0.popLast() }
    case .enter, .tab, .down:
      let next = list.form.nextField
      try moveCursor(by: 1)
      list.form.edit(next)
      if next == nil { mode = .browsing }
    case .escape:
      list.form.edit(nil)
      mode = .browsing
    default: break
    }
  }
}
