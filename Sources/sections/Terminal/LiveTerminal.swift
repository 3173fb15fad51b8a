import CLibrary
import Dispatch

/// A terminal that is used as a whole, for drawing and keys, and restored afterwards.
struct LiveTerminal {
  enum Event: Sendable {
    /// The user typed something.
    case input([UInt8])
    /// Standard input has ended.
    case ended
    /// The window has another size.
    case resized
    /// The user suspends the tool: `^Z`.
    case suspended
    /// The tool continues, after `^Z` or another process's SIGSTOP.
    case resumed
  }

  let events: AsyncStream<Event>
  private let screen = Screen(environment: Terminal.environment)
  private let sources: [any DispatchSourceProtocol]
  /// Whether the user types here. If standard input is a pipe or a file, it is not read.
  let readsKeys: Bool

  /// Starts listening to the terminal.
  init() {
    let (events, continuation) = AsyncStream<Event>.makeStream()
    self.events = events
    let queue = DispatchQueue(label: "sections.terminal")
    readsKeys = screen.isAddressable && isatty(STDIN_FILENO) == 1
    let input =
      readsKeys
      ? DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue) : nil
    input?.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 1024)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count > 0 {
        continuation.yield(.input(Array(bytes[..<count])))
      } else if count == 0 || errno != EINTR && errno != EAGAIN {
        continuation.yield(.ended)
      }
    }
    let signals: [(Int32, Event)] = [
      (SIGTSTP, .suspended), (SIGCONT, .resumed), (SIGWINCH, .resized),
    ]
    // The default action would stop the process before the terminal is restored.
    signal(SIGTSTP, SIG_IGN)
    sources =
      (input.map { [$0] } ?? [])
      + signals.map { number, event in
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { continuation.yield(event) }
        // A source is registered some time after it is resumed. The window may have another size by then.
        if number == SIGWINCH { source.setRegistrationHandler { continuation.yield(.resized) } }
        return source
      }
    for source in sources { source.resume() }
  }

  /// Switches the terminal to drawing and single keys.
  func enter() throws {
    // First, so that an abort at any moment restores what is changed by then.
    Interruption.onAbort {
      TerminalModes.restore()
      Screen.giveBack()
    }
    if readsKeys { TerminalModes.enter() }
    try screen.enter()
  }

  func leave() {
    // First, as it does not wait for the terminal to take output.
    TerminalModes.restore()
    screen.leave()
    Interruption.onAbort(nil)
  }

  /// Stops listening.
  func close() {
    for source in sources { source.cancel() }
  }

  /// Gives the terminal to the shell until the user continues the tool.
  func suspend() {
    leave()
    // For the whole process, but from this thread: so it stops right here.
    raise(SIGSTOP)
  }

  /// The number of lines of the screen; nil if it is not limited.
  var height: Int? { screen.height }

  /// Draws lines in place of the old ones.
  func draw(_ lines: [String]) throws { try screen.draw(lines) }
}
