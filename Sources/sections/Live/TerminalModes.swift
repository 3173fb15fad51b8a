import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How a terminal treats what is typed: line by line with an echo, or key by key without.
enum TerminalModes {
  /// What it was before; nil while nothing is changed.
  private static let original = Guarded<termios?>(nil)

  /// Has keys sent as they are typed, and not shown. `^C` and `^Z` stay signals.
  static func enter() {
    var modes = termios()
    guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return }
    original.withLock { $0 = $0 ?? modes }
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    // ^S and ^Q would hold the drawing up, and ^M must not become ^J: enter is one key everywhere.
    modes.c_iflag &= ~tcflag_t(IXON | ICRNL)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
  }

  /// Puts everything back as it was. May be called twice, and from any thread.
  static func restore() {
    let modes = original.withLock { original in
      defer { original = nil }
      return original
    }
    guard var modes else { return }
    // Not TCSAFLUSH: what is typed ahead is for the shell.
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
  }
}
