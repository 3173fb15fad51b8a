// Names in messages.

extension String {
  /// The string, in quotes if nothing of it would be visible.
  package var quotedIfBlank: String {
    allSatisfy(\.isWhitespace) ? "\"\(self)\"" : self
  }
}

extension [String] {
  /// The names in a message: at most 24 of them, each cut after 60 characters.
  package var listed: String {
    let shown = prefix(24).map { name in
      let start = name.prefix(60)
      return start.endIndex == name.endIndex ? name.quotedIfBlank : start + "…"
    }.joined(separator: ", ")
    return count > 24 ? "\(shown), … (\(count) in all)" : shown
  }
}
