struct StyledText: Equatable {
  var text: String
  var style: TextStyle

  init(_ text: String, _ style: TextStyle = .plain) {
    self.text = text
    self.style = style
  }
}

/// The style of text, if colour is on.
///
/// There are no colours: bold and dim are legible on every background.
enum TextStyle: Equatable {
  case plain, bold, dim

  /// The escape sequence that starts the style, after plain text.
  var start: StaticString {
    switch self {
    case .plain: ""
    case .bold: "\u{1B}[1m"
    case .dim: "\u{1B}[2m"
    }
  }

  /// The escape sequence that ends the style. Bold and dim have the same end in SGR, so all is
  /// reset.
  var end: StaticString {
    self == .plain ? "" : "\u{1B}[0m"
  }
}

extension String {
  /// The line in reverse video, which is started again after each end of a style in it.
  var inReverse: String {
    let (reverse, plain) = ("\u{1B}[7m", "\u{1B}[0m")
    return reverse
      + split(separator: plain, omittingEmptySubsequences: false)
      .joined(separator: plain + reverse) + plain
  }
}
