extension Unicode.Scalar {
  /// Whether an escape is shown to people instead of the scalar itself.
  ///
  /// Control characters (C0, DEL, C1) could control the terminal, line and paragraph separators
  /// break a line, bidirectional overrides and isolates reorder the text around them, and
  /// noncharacters are not for interchange.
  var needsVisibleEscape: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    case 0xFDD0...0xFDEF: true
    default: value & 0xFFFE == 0xFFFE
    }
  }

  /// A control picture such as `␀` if Unicode has one, else an escape such as `\u{202E}`.
  var visibleEscape: String {
    switch value {
    case 0x00...0x1F: picture(0x2400 + value)
    case 0x7F: "\u{2421}"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }

  private func picture(_ value: UInt32) -> String {
    Unicode.Scalar(value).map { String($0) } ?? ""
  }
}

extension String {
  /// The string, with an escape for every scalar that must not be shown to people.
  var visiblyEscaped: String {
    unicodeScalars.map { $0.needsVisibleEscape ? $0.visibleEscape : String($0) }.joined()
  }
}
