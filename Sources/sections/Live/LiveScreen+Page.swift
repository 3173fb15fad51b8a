import Covers
import SQLiteStorage
import TableData
import TableDataTesting

// The page of the selected cover: beside the list if there is space, else on one line below it.
extension LiveScreen {
  /// The width of the page beside the list, in cells; nil if there is no space for it.
  static func pageWidth(in width: Int) -> Int? { width >= 100 ? width / 3 : nil }

  /// The line below the list: the message about the last key, or the page.
  func footer(showsPage: Bool) -> TerminalRow {
    if let message { return TerminalRow(leading: [message]) }
    if mode == .choosing {
      let names = choices.enumerated().map { "\($0 + 1) \($1.title)" }
      return TerminalRow(leading: [StyledText(names.joined(separator: "   "), .bold)])
    }
    guard showsPage else { return TerminalRow(leading: []) }
    switch detail.state {
    case .nothing: return TerminalRow(leading: [])
    case .deleted: return LiveScreen.deleted
    case .shown(let cover):
      let year = cover.releaseYear.map { " (\($0))" } ?? ""
      return TerminalRow(
        leading: [
          StyledText(cover.label, .bold), StyledText(year), StyledText(" by "),
          StyledText(cover.artist, .bold),
        ], trailing: [StyledText(imageText ?? cover.largeImageURL, .dim)])
    }
  }

  /// The lines of the page.
  var page: [TerminalRow] {
    switch detail.state {
    case .nothing: return []
    case .deleted: return [LiveScreen.deleted]
    case .shown(let cover):
      let facts = [
        StyledText(cover.label, .bold), StyledText("by \(cover.artist)"),
        cover.releaseYear.map { StyledText("\($0)") } ?? StyledText("year unknown", .dim),
        StyledText(""), StyledText(cover.largeImageURL, .dim),
        imageText.map { StyledText($0, .dim) },
      ]
      return facts.compactMap(\.self).map { TerminalRow(leading: [$0]) }
    }
  }

  /// The image of the page, which a terminal does not draw; nil for none.
  private var imageText: String? {
    switch detail.image.state {
    case .empty: nil
    case .loading: "loading the image…"
    case .shown(let image): "\(image.format.rawValue), \(image.width) × \(image.height)"
    case .failed(let error): "! \(error.message)"
    }
  }

  private static let deleted = TerminalRow(leading: [StyledText("This cover was deleted.", .dim)])

  /// Shows an error, until the next key.
  func showError(_ error: any Error) {
    message = StyledText("! \(error.screenDescription)", .bold)
  }
}

extension Error {
  /// The error and what to do, without the SQL, for which there is no space.
  var screenDescription: String {
    guard let error = self as? DatabaseError else { return "\(self)" }
    return [error.message, error.nextStep].compactMap(\.self).joined(separator: ". ")
  }
}
