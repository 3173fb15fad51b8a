// What the tool and the server are asked for by options and parameters.

extension StringProtocol {
  /// The text without white space at its ends.
  package var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
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
