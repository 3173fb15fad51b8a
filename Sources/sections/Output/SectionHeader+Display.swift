import SQLiteStorage

extension SectionHeader {
  /// The title as people read it: NULL, the empty string and a blank one differ.
  var displayTitle: DisplayCell.Content {
    let key = DisplayCell.value(section).content
    if case .null = section { return key }
    guard let title else { return key }
    return DisplayCell.Content(text: title.quotedIfBlank, kind: .text)
  }
}

extension String {
  /// The string, in quotes if there would be nothing to see.
  var quotedIfBlank: String {
    allSatisfy(\.isWhitespace) ? "\"\(self)\"" : self
  }
}
