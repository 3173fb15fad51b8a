import Dispatch
import FetchedResults
import RowQueries
import SQLiteStorage
import TableData

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#endif

/// A table for people, redrawn in place. Changed rows are highlighted for a second.
actor ScreenOutput: WatchOutput {
  private let query: RowQuery
  private let showsIndex: Bool
  private let format: FormatOptions
  private let screen = Screen(environment: Terminal.environment)
  private let resizes: any DispatchSourceSignal

  private var latest: FetchedSnapshot<Row>?
  private var changed: Set<IndexPath> = []
  private var changeCount = 0
  private var time = ""
  private var message: String?
  private var fading: Task<Void, Never>?

  init(_ query: RowQuery, showsIndex: Bool, format: FormatOptions) {
    self.query = query
    self.showsIndex = showsIndex
    self.format = format
    resizes = DispatchSource.makeSignalSource(signal: SIGWINCH)
  }

  func show(_ update: FetchedUpdates<Row>.Element, version: Int, isReset: Bool) async throws {
    if latest == nil {
      try screen.enter()
      resizes.setEventHandler { [weak self] in Task { await self?.redraw() } }
      resizes.resume()
    }
    latest = update.new
    changeCount = version
    time = ScreenOutput.now()
    message = nil
    // After a reset everything is new, and nothing is highlighted.
    changed = isReset ? [] : update.changes.newPlaces
    try draw()
    fade()
  }

  func show(_ message: String) async throws {
    self.message = message
    time = ScreenOutput.now()
    try draw()
  }

  func end() async {
    fading?.cancel()
    guard latest != nil else { return resizes.resume() }
    resizes.cancel()
    latest = nil
    screen.leave()
  }

  private func fade() {
    fading?.cancel()
    guard !changed.isEmpty else { return }
    fading = Task { [weak self] in
      guard (try? await Task.sleep(for: .seconds(1), clock: .suspending)) != nil else { return }
      await self?.removeHighlight()
    }
  }

  private func removeHighlight() {
    guard !Task.isCancelled else { return }
    changed = []
    redraw()
  }

  /// Draws the same content again. An error will occur again at the next change, and be thrown
  /// there.
  private func redraw() { try? draw() }
}

// MARK: - Drawing

extension ScreenOutput {
  private func draw() throws {
    guard let latest else { return }
    let options = format.terminalOptions
    let reader = SnapshotReader(latest)
    let room = screen.height.map { max($0 - 1, 1) } ?? .max
    var lines = try query.tableLines(
      of: reader, indexTitles: showsIndex ? latest.indexTitles : nil, highlighting: changed,
      options: options, height: room)
    lines.append(status(rowCount: reader.rowCount, options))
    try screen.draw(lines)
  }

  private func status(rowCount: Int, _ options: TerminalOptions) -> String {
    var texts = [StyledText("\(time) · ", .dim)]
    // First, as a line that is too long is cut at its end.
    if let message { texts += [StyledText(message, .bold), StyledText(" · ", .dim)] }
    texts.append(
      StyledText(
        "\("change".counted(changeCount)) · \("row".counted(rowCount))", .dim))
    let buffer = OutputBuffer()
    let writer = LineWriter(output: buffer, options: options)
    if let width = options.width { writer.write(texts, limit: width) } else { writer.write(texts) }
    return buffer.contents
  }

  /// The local time of day.
  private static func now() -> String {
    var seconds = time_t(Date().timeIntervalSince1970)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}

extension TableChanges {
  /// The new index paths of inserted, moved and updated rows.
  fileprivate var newPlaces: Set<IndexPath> {
    Set(insertedRows + movedRows.map(\.to) + updatedRows.map(\.new))
  }
}

extension FetchedSnapshot {
  fileprivate var indexTitles: [String] { SectionIndex(sections: sections).titles }
}
