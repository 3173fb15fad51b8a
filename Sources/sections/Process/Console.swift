import CLibrary
import RowQueries

/// Messages on standard error.
enum Console {
  /// Whether standard error is a terminal.
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// Prints one line with the name of the tool.
  static func report(_ message: String) { write(line(message)) }

  /// A message as a line with the name of the tool.
  static func line(_ message: String) -> String {
    // It may contain names and values of an untrusted file, which must not reach the terminal
    // unescaped.
    "sections: \(message.visiblyEscaped)\n"
  }

  /// Ends the line in which the terminal shows `^C`, so that the prompt starts on the next one.
  static func endLineOfInterrupt() { if isTerminal { write("\n") } }

  /// Writes text as it is. An error of this write is ignored, as it cannot be reported.
  static func write(_ text: String) {
    let output = OutputBuffer(fileDescriptor: STDERR_FILENO)
    output.append(text: text)
    try? output.flush()
  }
}

/// Lines on standard output about the work done.
///
/// If a line cannot be written, the work continues, and ``end()`` throws.
struct Report {
  private let output = OutputBuffer.standardOutput()

  /// Writes a line immediately.
  func line(_ text: String) {
    // It may contain names from an untrusted file.
    output.append(text: text.visiblyEscaped)
    output.append("\n")
    // Bytes that could not be written stay in the buffer.
    try? output.flush()
  }

  /// Makes sure that all lines are written.
  func end() throws(OutputError) { try output.flush() }
}

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
