import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

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
    // Not TCSAFLUSH: pending input is for the shell.
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
  }
}
