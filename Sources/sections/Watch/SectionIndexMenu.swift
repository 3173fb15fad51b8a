import RowQueries
import SectionedData

struct SectionIndexMenu {
  /// What a key leads to.
  enum Choice: Equatable {
    case none, closed
    /// The number of the section that the title leads to.
    case section(Int)
  }

  let index: SectionIndex
  private(set) var selected = 0
  private var viewport = Viewport()

  /// Returns nil for an index without titles.
  init?(_ index: SectionIndex) {
    guard !index.titles.isEmpty else { return nil }
    self.index = index
  }

  /// Handles a key: arrows select a title, as does its first letter.
  mutating func press(_ key: Key) -> Choice {
    switch key {
    case .escape: return .closed
    case .enter: return .section(index.sections[selected])
    case .up: select(selected - 1)
    case .down, .tab: select(selected + 1)
    case .pageUp: select(selected - viewport.height)
    case .pageDown: select(selected + viewport.height)
    case .home: select(0)
    case .end: select(index.titles.count - 1)
    case .character(let letter):
      let start = String(letter).lowercased()
      if let title = index.titles.firstIndex(where: { $0.lowercased().hasPrefix(start) }) {
        select(title)
      }
    default: break
    }
    return .none
  }

  private mutating func select(_ number: Int) {
    selected = min(max(number, 0), index.titles.count - 1)
  }

  /// Draws the titles that fit, each with the first section that it leads to.
  ///
  /// - Parameter name: returns the name of a section.
  mutating func draw(
    height: Int, options: TerminalOptions, name: (Int) -> String?
  ) -> [String] {
    viewport.resize(height: height, lineCount: index.titles.count)
    if selected < viewport.top { viewport.scroll(to: selected) }
    if selected >= viewport.top + viewport.height {
      viewport.scroll(to: selected - viewport.height + 1)
    }
    return viewport.lines.map { number in
      let texts = [
        StyledText(number == selected ? "› " : "  "), StyledText(index.titles[number], .bold),
        StyledText("  "), StyledText(name(index.sections[number]) ?? "", .dim),
      ]
      let line = LineWriter.line(texts, options)
      return number == selected && options.usesColor ? line.inReverse : line
    }
  }
}
