// Names: their spelling, and in messages.

extension String {
  /// A name in camel case as words in lower case, with underscores between them: `releaseYear` becomes `release_year`,
  /// `imageURL` `image_url`, and `urlOfHTTPServer` `url_of_http_server`, as by Foundation's `convertToSnakeCase`.
  package var inSnakeCase: String {
    let letters = Array(self)
    var name = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0, letters[index - 1] != "_" {
        // A word begins after a small letter, or with the last capital before a small letter.
        let isFirst = !letters[index - 1].isUppercase
        let isLast = index + 1 < letters.count && letters[index + 1].isLowercase
        if isFirst || isLast { name += "_" }
      }
      name += letter.lowercased()
    }
    return name
  }

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
