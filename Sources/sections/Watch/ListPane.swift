import CountedTrees
import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// One list on the screen of a terminal. The user sees a part of it, and scrolls.
///
/// Only the rows on the screen are read. The heading of the first row's section is always on the screen.
final class ListPane {
  let list: WatchedList
  private(set) var snapshot: FetchedSnapshot<Row>
  private(set) var viewport = Viewport()
  var pattern: SearchPattern?
  /// The row that was found last.
  private var match: IndexPath?
  /// The changes whose rows are highlighted for a moment.
  private var changes = TableChanges()
  private var lines: ResultLines
  /// The index of the sections, if it was needed since the last change.
  private var index: SectionIndex?

  private var columns: [String] = []
  private var layout = TableLayout(columns: [], rows: [], width: nil)
  private var layoutWidth: Int?

  init(_ list: WatchedList, _ snapshot: FetchedSnapshot<Row>) {
    self.list = list
    self.snapshot = snapshot
    lines = ListPane.lines(of: snapshot, list.query)
  }

  private static func lines(of snapshot: FetchedSnapshot<Row>, _ query: RowQuery) -> ResultLines {
    ResultLines(
      of: snapshot, hasHeadings: query.sectionKey != nil, hasTotals: !query.totals.isEmpty)
  }

  /// Shows the next version.
  func show(_ update: FetchedUpdates<Row>.Element) {
    let old = lines
    show(update.new)
    index = nil
    if update.isReset {
      viewport.resize(height: viewport.height, lineCount: lines.count)
      (changes, match) = (TableChanges(), nil)
    } else {
      changes = update.changes
      let map = IndexPathMap(changes)
      viewport.follow(map, from: old, to: lines)
      match = match.flatMap(map.placeKept(by:))
    }
  }

  /// Shows another version, at the same place. Its content is the same, or the caller follows the changes.
  func show(_ snapshot: FetchedSnapshot<Row>) {
    self.snapshot = snapshot
    lines = ListPane.lines(of: snapshot, list.query)
  }

  /// Whether changed rows are highlighted.
  var isHighlighting: Bool { !changes.isEmpty }

  func removeHighlight() { changes = TableChanges() }

  // MARK: Places

  func scroll(by distance: Int) { viewport.scroll(by: distance) }
  func scroll(byPages count: Int) { viewport.scroll(byPages: count) }
  func scrollToStart() { viewport.scroll(to: 0) }
  func scrollToEnd() { viewport.scroll(to: lines.count) }
  func scroll(toSection section: Int) { viewport.scroll(to: lines.start(ofSection: section)) }

  /// The index titles of the sections; nil if the list has no sections.
  var sectionIndex: SectionIndex? {
    guard list.query.sectionKey != nil else { return nil }
    let made =
      index ?? SectionIndex(sections: (0..<snapshot.numberOfSections).lazy.map(snapshot.section))
    index = made
    return made
  }

  /// The position of the row from which a search starts: after the row that was found last, if that is on
  /// the screen, or else at the first row on it.
  func searchStart(isForward: Bool, isNew: Bool) -> Int {
    if !isNew, let match, viewport.lines.contains(lines.position(of: match)) {
      return position(of: match) + (isForward ? 1 : -1)
    }
    let rows = viewport.lines.lazy.compactMap { line -> IndexPath? in
      if case .row(let row) = self.lines.line(at: line) { row } else { nil }
    }
    return (rows.first.map(position(of:)) ?? 0) - (isForward ? 0 : 1)
  }

  /// Shows the row at a position of the list, which a search has found, as the first one.
  func reveal(_ position: Int) {
    let row = snapshot.indexPath(of: position)
    match = row
    viewport.scroll(to: lines.position(of: row) - (lines.hasHeadings ? 1 : 0))
  }

  private func position(of row: IndexPath) -> Int {
    snapshot.rows(inSection: row.section).lowerBound + row.row
  }

  // MARK: Drawing

  /// The number of lines that show everything.
  func fullHeight(showsIndex: Bool) -> Int { headHeight(showsIndex: showsIndex) + lines.count }

  private func headHeight(showsIndex: Bool) -> Int {
    (list.name == nil ? 0 : 1) + (showsIndex ? 2 : 0) + (list.query.columns.isEmpty ? 0 : 2)
  }

  /// Draws the lines that fit, with escape sequences and without line ends. If a row cannot be read, the
  /// error is in place of the rows.
  func draw(
    height: Int, options: TerminalOptions, showsIndex: Bool, isFocused: Bool
  ) -> [String] {
    let headHeight = headHeight(showsIndex: showsIndex)
    viewport.resize(height: height - headHeight, lineCount: lines.count)
    var shown = shownLines
    var names = list.query.columns
    var cells: [[DisplayCell]] = []
    var message: String?
    do {
      // Only what is shown of a row is kept: its blobs may be large.
      try snapshot.forEachObject(at: positions(in: shown)) { row in
        if cells.isEmpty { names = row.columnNames.names }
        cells.append(row.values.map { DisplayCell($0) })
      }
    } catch {
      (message, shown, cells) = ("\(list.query.described(error))", [], [])
    }
    fit(names, cells, width: options.width)

    let buffer = OutputBuffer()
    let writer = LineWriter(output: buffer, options: options)
    if let name = list.name {
      writer.writeLine([
        StyledText(isFocused ? "› " : "  "), StyledText(name, .bold),
        StyledText(" (\(snapshot.numberOfRows))", .dim),
      ])
    }
    if showsIndex { writer.writeIndex(sectionIndex?.titles ?? []) }
    writer.writeNames(columns, layout)
    var rows = cells.makeIterator()
    if let message { writer.writeLine([StyledText(message, .bold)]) }
    for line in shown { write(line, &rows, to: writer) }
    var drawn = buffer.contents.split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast().map { String($0) }
    if options.usesColor {
      for (line, position) in zip(shown, (drawn.count - shown.count)...) {
        drawn[position] = highlighted(line, drawn[position])
      }
    }
    return Array(drawn.prefix(height))
  }

  /// The positions of the rows in some lines that follow each other. There are only headings and totals in
  /// between.
  private func positions(in shown: [ResultLines.Line]) -> Range<Int> {
    let places = shown.compactMap { if case .row(let place) = $0 { place } else { nil } }
    guard let first = places.first, let last = places.last else { return 0..<0 }
    return position(of: first)..<(position(of: last) + 1)
  }

  private var shownLines: [ResultLines.Line] {
    var shown = viewport.lines.map(lines.line(at:))
    if case .row(let row)? = shown.first, lines.hasHeadings { shown[0] = .heading(row.section) }
    return shown
  }

  /// Makes room for rows in the layout. The columns may change with the schema.
  private func fit(_ columns: [String], _ cells: [[DisplayCell]], width: Int?) {
    if columns == self.columns, width == layoutWidth { return layout.add(cells) }
    self.columns = columns
    layoutWidth = width
    layout = TableLayout(columns: columns, rows: cells, width: width)
  }

  /// Writes a line.
  ///
  /// - Parameter rows: the cells of the rows that are not written yet.
  private func write(
    _ line: ResultLines.Line, _ rows: inout IndexingIterator<[[DisplayCell]]>,
    to writer: LineWriter
  ) {
    switch line {
    case .heading(let section):
      writer.writeHeading(SectionHeader(of: section, in: snapshot))
    case .row: writer.writeCells(rows.next()?.map(\.styled) ?? [], layout)
    case .totals(let section):
      writer.writeTotals(list.query.printed(snapshot.totals(at: section).values))
    case .empty: writer.endLine()
    case .wholeTotals: writer.writeWholeTotals(list.query.printed(snapshot.totals.values))
    }
  }

  private func highlighted(_ line: ResultLines.Line, _ text: String) -> String {
    guard case .row(let place) = line else { return text }
    let isChanged = changes.leads(to: place)
    let text = isChanged ? text.inReverse : text
    return pattern?.highlighted(in: text, isReversed: isChanged) ?? text
  }
}

extension ListPane {
  /// The heights of panes that share the lines of a screen. Each gets what it wants if others want less;
  /// if there is hardly space, the others are a line each.
  ///
  /// - Parameter wanted: the heights that show everything.
  static func heights(_ wanted: [Int], in total: Int, focus: Int) -> [Int] {
    guard total >= wanted.count * 5 else {
      return wanted.indices.map { $0 == focus ? max(total - wanted.count + 1, 1) : 1 }
    }
    var heights = wanted.map { _ in 0 }
    var (rest, open) = (total, Array(wanted.indices))
    // Those that want less than an equal share leave the rest to the others.
    while let position = open.firstIndex(where: { wanted[$0] <= rest / open.count }) {
      let index = open.remove(at: position)
      heights[index] = wanted[index]
      rest -= wanted[index]
    }
    for (number, index) in open.enumerated() {
      heights[index] = rest / open.count + (number < rest % open.count ? 1 : 0)
    }
    return heights
  }
}

extension TableChanges {
  /// Whether a row of the new version is inserted, moved or updated.
  ///
  /// Complexity: O(log changes).
  func leads(to place: IndexPath) -> Bool {
    insertedRows.contains(place, at: \.self) || movedRows.contains(place, at: \.to)
      || updatedRows.contains(place, at: \.new)
  }
}

extension Array {
  /// Whether an element has an index path, by which the elements are sorted.
  fileprivate func contains(_ place: IndexPath, at path: KeyPath<Element, IndexPath>) -> Bool {
    let index = partitionPoint { $0[keyPath: path] < place }
    return index < endIndex && self[index][keyPath: path] == place
  }
}
