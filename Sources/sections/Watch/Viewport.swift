import SectionedData

/// The part of a list's lines that is on the screen.
struct Viewport: Equatable {
  /// The position of the first line.
  private(set) var top = 0
  /// The number of lines that the screen has for the list.
  private(set) var height = 1
  private(set) var lineCount = 0

  var lines: Range<Int> { top..<min(top + height, lineCount) }

  /// The part of the list above the screen, in per cent; nil if all lines are on the screen.
  var percentage: Int? { lastTop > 0 ? top * 100 / lastTop : nil }

  private var lastTop: Int { max(lineCount - height, 0) }

  /// Sets the sizes. The first line stays, as far as there are lines.
  mutating func resize(height: Int, lineCount: Int) {
    self.height = max(height, 1)
    self.lineCount = lineCount
    scroll(to: top)
  }

  /// Shows a line first, or the last lines if there are not enough below it.
  mutating func scroll(to line: Int) { top = min(max(line, 0), lastTop) }

  mutating func scroll(by distance: Int) { scroll(to: top + distance) }

  /// Scrolls by pages, with one line in common.
  mutating func scroll(byPages count: Int) { scroll(by: count * max(height - 1, 1)) }

  /// Follows the list to its next version: the first row on the screen that is neither deleted nor
  /// moved keeps its line. At the start of the list, the start stays on the screen.
  mutating func follow(_ map: IndexPathMap, from old: ResultLines, to new: ResultLines) {
    defer { resize(height: height, lineCount: new.count) }
    guard top > 0 else { return }
    for position in lines {
      guard case .row(let row) = old.line(at: position), let place = map.placeKept(by: row)
      else { continue }
      top = max(new.position(of: place) - (position - top), 0)
      return
    }
  }
}
