import CLibrary
import Foundation

/// The properties of the terminal behind a file descriptor.
struct Terminal: Equatable, Sendable {
  var isTerminal: Bool
  /// The width of its lines in cells; nil if it is unknown.
  var measuredWidth: Int?
}

extension Terminal {
  static var standardOutput: Terminal { Terminal(fileDescriptor: STDOUT_FILENO) }

  /// The environment variables of the process. Some describe the terminal.
  static var environment: [String: String] { ProcessInfo.processInfo.environment }

  /// Reads the properties of the terminal behind `fileDescriptor`.
  init(fileDescriptor: Int32) {
    isTerminal = isatty(fileDescriptor) == 1
    var size = winsize()
    let isKnown = ioctl(fileDescriptor, UInt(TIOCGWINSZ), &size) == 0
    // Serial lines and some CI systems report a size of zero.
    measuredWidth = isKnown && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// The maximum width of a line in cells; nil to never shorten anything.
  ///
  /// `--no-truncate` has priority, then `--width`. Otherwise a terminal has its own width, or
  /// `COLUMNS`, or 80; a pipe or a file has none.
  func lineWidth(
    requested: Int?, truncates: Bool, environment: [String: String]
  ) -> Int? {
    guard truncates else { return nil }
    if let requested { return requested }
    guard isTerminal else { return nil }
    let variable = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    return measuredWidth ?? variable ?? 80
  }
}

/// The values of `--color`.
enum ColorPolicy: String, CaseIterable, Sendable {
  case auto, always, never

  /// Whether a format for terminals uses escape sequences.
  ///
  /// The first of these that is set decides: `always` and `never`; `NO_COLOR`
  /// (<https://no-color.org>); `CLICOLOR_FORCE` and `CLICOLOR` (<https://bixense.com/clicolors>);
  /// whether `TERM` is set, and not to `dumb`; whether the output is a terminal. An empty variable is not set.
  func usesColor(environment: [String: String], isTerminal: Bool) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if variable("NO_COLOR") != nil { return false }
    if let force = variable("CLICOLOR_FORCE"), force != "0" { return true }
    // Without TERM, nothing says that the terminal knows the sequences.
    guard isTerminal, variable("CLICOLOR") != "0", let kind = variable("TERM") else { return false }
    return kind != "dumb"
  }
}

/// The properties of the terminal that the formats for terminals need.
struct TerminalOptions: Equatable, Sendable {
  /// The width of a line in cells; nil to never shorten anything.
  var width: Int?
  /// Whether to use escape sequences for bold and dim text.
  var usesColor: Bool
}
