// Names and texts in messages.

extension String {
  /// The string, in quotes if nothing of it would be visible.
  package var quotedIfBlank: String {
    allSatisfy(\.isWhitespace) ? "\"\(self)\"" : self
  }
}

extension StringProtocol {
  /// The text without white space at its ends.
  package var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
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

/// An option of the command line, or the parameter of a URL with the same name, that is not valid.
package struct ArgumentError: Error, CustomStringConvertible {
  package let option: String
  /// What is wrong, after the name of the option.
  package let message: String
  /// Where the option is, if not on the command line.
  package var place: String?

  package init(option: String, _ message: String) {
    self.option = option
    self.message = message
  }

  package var description: String { (place.map { "\($0): " } ?? "") + "--\(option) \(message)" }
}
