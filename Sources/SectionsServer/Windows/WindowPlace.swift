import FetchedResults
import RowQueries
import SQLiteStorage

/// What a window is to show of a list.
struct WindowPlace: Sendable {
  /// The number of the first line.
  var from = 0
  var size = 1
  /// The key of a row that is in the middle instead, if there is one.
  var key: String?
  var part = WindowContent.Part.lines

  /// The first line, if the window shows lines that follow each other.
  func start(_ snapshot: FetchedSnapshot<Row>, _ query: RowQuery) throws -> Int {
    guard part == .lines else { return 0 }
    let position = try key.flatMap(snapshot.findPosition(ofKey:))
    return WindowContent.start(
      position.map { snapshot.line(ofPosition: $0, query) - size / 2 } ?? from, size: size,
      lineCount: snapshot.lineCount(query))
  }

  /// Whether a window that was made for this place, which begins with the line `start`, is the given one.
  func isShown(by content: WindowContent, start: Int) -> Bool {
    guard part == content.part else { return false }
    switch part {
    case .lines: return content.from == start && content.size == size
    case .row: return true
    case .largestSections: return content.size == size
    }
  }

  /// Reads what the window shows, which begins with the line `start`.
  func content(
    _ snapshot: FetchedSnapshot<Row>, _ query: RowQuery, start: Int
  ) throws -> WindowContent {
    try WindowContent(snapshot, query, part, from: start, size: size)
  }
}
