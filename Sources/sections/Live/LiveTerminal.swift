import Dispatch
import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A terminal that is drawn on and types: taken over as a whole, and given back as it was.
struct LiveTerminal {
  /// What happens to it.
  enum Event: Sendable {
    /// Something was typed.
    case input([UInt8])
    /// Nothing will be typed any more.
    case ended
    /// The window has another size.
    case resized
    /// The user wants the shell for a while: `^Z`.
    case suspended
    /// The user is back, from `^Z` or from another process's SIGSTOP.
    case resumed
    /// What is shown has changed.
    case changed
  }

  /// What happens, in order.
  let events: AsyncStream<Event>
  /// Whether a change was told that nobody has taken yet.
  private let hasChanged = Guarded(false)
  /// Tells that what is shown has changed: once, however often before it is taken.
  let noteChange: @Sendable () -> Void

  private let screen = Screen(environment: ProcessEnvironment.variables)
  private let sources: [any DispatchSourceProtocol]

  /// Refuses what cannot be drawn on, or typed on.
  ///
  /// - Throws: `UsageError`.
  static func requireTerminal() throws {
    guard Terminal.standardOutput.isTerminal, isatty(STDIN_FILENO) == 1 else {
      throw UsageError(
        description: "demo --live needs a terminal to draw on and to type on. Run it in one, or "
          + "leave --live out")
    }
    let variables = ProcessEnvironment.variables
    guard Screen(environment: variables).isAddressable else {
      throw UsageError(
        description: "demo --live cannot draw on a terminal of the type "
          + "\"\(variables["TERM"] ?? "")\". Set TERM, or leave --live out")
    }
  }

  /// Listens to the terminal.
  init() {
    let (events, continuation) = AsyncStream<Event>.makeStream()
    self.events = events
    noteChange = { [hasChanged] in
      let isFirst = hasChanged.withLock { hasChanged in
        defer { hasChanged = true }
        return !hasChanged
      }
      if isFirst { continuation.yield(.changed) }
    }
    let queue = DispatchQueue(label: "sections.terminal")
    let input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
    input.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 1024)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count > 0 {
        continuation.yield(.input(Array(bytes[..<count])))
      } else if count == 0 || errno != EINTR && errno != EAGAIN {
        continuation.yield(.ended)
      }
    }
    let signals: [(Int32, Event)] = [
      (SIGWINCH, .resized), (SIGTSTP, .suspended), (SIGCONT, .resumed),
    ]
    // The default would stop the process before the terminal is given back.
    signal(SIGTSTP, SIG_IGN)
    sources =
      [input]
      + signals.map { number, event in
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { continuation.yield(event) }
        return source
      }
    for source in sources { source.resume() }
  }

  /// Takes the terminal over.
  func enter() throws {
    TerminalModes.enter()
    try screen.enter()
    Interruption.onAbort {
      TerminalModes.restore()
      Screen.giveBack()
    }
  }

  /// Gives the terminal back.
  func leave() {
    screen.leave()
    TerminalModes.restore()
  }

  /// Stops listening.
  func close() {
    for source in sources { source.cancel() }
  }

  /// Lets the shell have the terminal until the user is back.
  func suspend() {
    leave()
    // The whole process, but by this thread: so it stops right here.
    raise(SIGSTOP)
  }

  /// The size of the window, 24 lines of 80 cells where it does not tell.
  var size: (width: Int, height: Int) {
    (Terminal.standardOutput.measuredWidth ?? 80, screen.height ?? 24)
  }

  /// Says that what has changed until now is about to be drawn.
  func takeChanges() { hasChanged.withLock { $0 = false } }

  /// Draws lines in place of those there are.
  func draw(_ lines: [String]) throws { try screen.draw(lines) }
}
