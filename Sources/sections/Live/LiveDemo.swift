import Covers
import RowQueries
import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs the demo's screen on a terminal, until the user quits.
actor LiveDemo {
  private let terminal: LiveTerminal
  private let screen: LiveScreen
  private let color: ColorPolicy
  private var keys = KeyReader()

  /// Makes the screen of a store.
  ///
  /// - Parameter loadsImages: whether the images of covers are loaded from their addresses.
  /// - Throws: `FetchError` and `DatabaseError` if the store has no covers.
  init(_ database: Database, loadsImages: Bool, color: ColorPolicy) throws {
    terminal = LiveTerminal()
    screen = try LiveScreen(
      DataController(database),
      images: loadsImages ? CoverImages(ImageLoader(transport: URLTransport())) : nil,
      noteChange: terminal.noteChange)
    self.color = color
  }

  /// Throws if standard output is not a terminal, or standard input is not.
  static func requireTerminal() throws {
    guard Terminal.standardOutput.isTerminal, isatty(STDIN_FILENO) == 1 else {
      throw ToolError(
        "demo --live needs a terminal to draw on and to type on. Run it in one, or "
          + "leave --live out")
    }
    let variables = Terminal.environment
    guard Screen(environment: variables).isAddressable else {
      throw ToolError(
        "demo --live cannot draw on a terminal of the type "
          + "\"\(variables["TERM"] ?? "")\". Set TERM, or leave --live out")
    }
  }

  /// Draws the screen and handles keys. The terminal is restored however this ends.
  ///
  /// - Throws: `Interruption.Error` after `^C` or SIGTERM; `OutputError`.
  func run() async throws {
    defer { terminal.close() }
    try screen.start(isolation: self)
    do {
      defer { terminal.leave() }
      try terminal.enter()
      try draw()
      // The loop ends if the task is cancelled.
      for await event in terminal.events {
        guard try handle(event) else { break }
      }
    } catch {
      try Interruption.check()
      throw error
    }
    try Interruption.check()
  }

  /// - Returns: false if the user quits.
  private func handle(_ event: LiveTerminal.Event) throws -> Bool {
    switch event {
    case .input(let bytes):
      for key in keys.keys(in: bytes) where !screen.press(key) { return false }
    case .ended: return false
    case .suspended:
      terminal.suspend()
      return true
    case .resumed: try terminal.enter()
    case .changed: terminal.takeChanges()
    case .resized: break
    }
    try draw()
    return true
  }

  private func draw() throws {
    let size = terminal.size
    let usesColor = color.usesColor(environment: Terminal.environment, isTerminal: true)
    try terminal.draw(
      try screen.draw(width: size.width, height: size.height, usesColor: usesColor))
  }
}
