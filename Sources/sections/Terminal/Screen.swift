import CLibrary
import RowQueries
import SQLiteStorage

/// A terminal that is drawn on from its top left corner, and restored afterwards.
struct Screen {
  private let output = OutputBuffer.standardOutput()
  /// Whether the terminal supports cursor addressing. On others each drawing is written below the
  /// last.
  let isAddressable: Bool

  init(environment: [String: String]) {
    let kind = environment["TERM"] ?? ""
    isAddressable = !kind.isEmpty && kind != "dumb"
  }

  /// Switches the terminal to drawing.
  func enter() throws {
    guard isAddressable else { return }
    // The alternate screen, without a cursor; lines that are too long end at the edge.
    output.append("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
    try output.flush()
  }

  /// Restores the terminal.
  func leave() {
    if isAddressable { Screen.giveBack() }
  }

  /// With a separate buffer: the other one may contain half a drawing, and this may be another
  /// thread.
  static func giveBack() {
    let output = OutputBuffer.standardOutput()
    output.append("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    // If this fails there is no terminal left.
    try? output.flush()
  }

  /// The number of lines of the screen; nil if it is not limited.
  var height: Int? {
    var size = winsize()
    guard isAddressable, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
      return nil
    }
    return Int(size.ws_row)
  }

  /// Draws lines in place of the old ones.
  func draw(_ lines: [String]) throws {
    guard isAddressable else {
      for line in lines { output.append(text: line + "\n") }
      return try output.flush()
    }
    // As one update if the terminal supports it, to avoid flicker.
    output.append("\u{1B}[?2026h\u{1B}[H")
    for (number, line) in lines.enumerated() {
      if number > 0 { output.append("\r\n") }
      // The old line is erased first: after a line that fills the width, the cursor stays on its
      // last cell, which would be erased too.
      output.append("\u{1B}[2K")
      output.append(text: line)
    }
    // Erases everything below. A line break on the last line of the screen would scroll it.
    if lines.count < height ?? .max { output.append("\r\n\u{1B}[J") }
    output.append("\u{1B}[?2026l")
    try output.flush()
  }
}

/// The input mode of the terminal: line by line with an echo, or key by key without.
enum TerminalModes {
  /// The original mode; nil while it is not changed.
  private static let original = Locked<termios?>(nil)

  /// Makes the terminal send each key at once, without an echo. `^C` and `^Z` stay signals.
  static func enter() {
    var modes = termios()
    guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return }
    original.withLock { $0 = $0 ?? modes }
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // ^S and ^Q would block the drawing. ^M must not become ^J: enter is the same key everywhere.
    modes.c_iflag &= ~tcflag_t(IXON | ICRNL)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
  }

  /// Restores the original mode. May be called twice, and from any thread.
  static func restore() {
    let modes = original.withLock { original in
      defer { original = nil }
      return original
    }
    guard var modes else { return }
    // At once: the terminal may take no output. Not TCSAFLUSH: pending input is for the shell.
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }
}
