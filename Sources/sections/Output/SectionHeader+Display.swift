import SQLiteStorage

extension SectionHeader {
  /// The title for people: NULL, the empty string and a blank one differ.
  var displayTitle: DisplayCell.Content {
    let key = DisplayCell.value(section).content
    if case .null = section { return key }
    guard let title else { return key }
    return DisplayCell.Content(text: title.quotedIfBlank, kind: .text)
  }
}

extension String {
  /// The string, in quotes if nothing of it would be visible.
  var quotedIfBlank: String {
    allSatisfy(\.isWhitespace) ? "\"\(self)\"" : self
  }
}
