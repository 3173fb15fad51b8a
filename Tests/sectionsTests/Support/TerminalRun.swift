import Foundation
import TestProcesses
import Testing

/// A run of the tool on a terminal of its own, whose screens are read as they are drawn.
final class TerminalRun {
  /// How the run stands, or how it ended.
  struct State: CustomTestStringConvertible {
    /// The exit status; nil while it goes on.
    var status: Int?
    /// Everything the terminal got.
    var output = ""
    /// Whether the terminal shows what is typed.
    var hasEcho = false

    // Not with all screens there were.
    var testDescription: String {
      "status \(status.map(String.init) ?? "none"), echo \(hasEcho), \(output.suffix(200).debugDescription)"
    }
  }

  // The tool goes with its terminal.
  private let process: SpawnedProcess
  private let input: InputPipe
  private var reports: OutputLines
  private var state = State()
  private var bytes = Data()
  /// The screens up to here have been looked at.
  private var seen = 0

  init(
    _ arguments: [String], in folder: TestFolder, width: Int = 80, height: Int = 24,
    kind: String = "xterm"
  ) throws {
    let script = try folder.write(TerminalRun.script, to: "../scratch/terminal.py")
    let output = try OutputPipe()
    input = try InputPipe()
    reports = output.lines
    process = try SpawnedProcess(
      try #require(OtherProcess.python),
      [script, "\(width)", "\(height)", try #require(Tool.path)] + arguments,
      environment: Tool.environment(["TERM": kind], in: folder), in: folder.path,
      input: .pipe(input), output: .pipe(output))
  }

  // MARK: What the user does

  func type(_ text: String) throws {
    try input.write("type \(Data(text.utf8).base64EncodedString())\n")
  }

  func resize(width: Int, height: Int) throws { try input.write("size \(width) \(height)\n") }
  func send(_ signal: Int32) throws { try input.write("kill \(signal)\n") }

  /// Makes the terminal take no more output, as `^S` does.
  func stopOutput() throws { try input.write("stop\n") }

  // MARK: What the user sees

  /// Waits for a screen. Those before it are passed over.
  @discardableResult
  func screen(where isWanted: ([String]) -> Bool) async throws -> [String] {
    var last: [String] = []
    while true {
      for lines in newScreens() {
        if isWanted(lines) { return lines }
        last = lines
      }
      // At the end, in place of waiting for ever, the screen that did come is told.
      try #require(
        await next() != nil, "it ended; its last screen:\n\(last.joined(separator: "\n"))")
    }
  }

  /// Waits until the process has stopped.
  func stopped() async throws -> State {
    while try #require(await next()) != "stopped" {}
    return state
  }

  /// Waits until the terminal shows what is typed, or no longer does.
  func echo(is isWanted: Bool) async throws {
    for _ in 0..<200 {
      try input.write("echo\n")
      while try #require(await next()) != "echo" {}
      if state.hasEcho == isWanted { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("the echo is \(state.hasEcho)")
  }

  /// Waits for the end.
  func end() async -> State {
    while await next() != nil {}
    return state
  }

  /// Takes the next report in.
  ///
  /// - Returns: its kind; nil at the end.
  private func next() async -> Substring? {
    guard let report = await reports.next()?.split(separator: " ") else { return nil }
    switch report[0] {
    case "output":
      bytes += Data(base64Encoded: String(report[1])) ?? Data()
      state.output = String(decoding: bytes, as: UTF8.self)
    default:
      state.hasEcho = report[1] == "1"
      if report.count > 2 { state.status = Int(report[2]) }
    }
    return report[0]
  }

  /// The drawings that were completed since the last time.
  private func newScreens() -> [[String]] {
    let (start, end) = (Data("\u{1B}[?2026h\u{1B}[H".utf8), Data("\u{1B}[?2026l".utf8))
    var screens: [[String]] = []
    while let first = bytes.range(of: start, in: seen..<bytes.count),
      let last = bytes.range(of: end, in: first.upperBound..<bytes.count)
    {
      let text = String(decoding: bytes[first.upperBound..<last.lowerBound], as: UTF8.self)
      screens.append(
        text.components(separatedBy: "\u{1B}[2K").dropFirst().map {
          $0.replacing("\u{1B}[J", with: "").trimmingCharacters(in: .newlines)
        })
      seen = last.upperBound
    }
    return screens
  }

  /// Runs a program on a new terminal, and does what comes by lines on standard input. What happens
  /// goes to standard output, a report a line: what the terminal got; and when the program stops or
  /// ends, whether the terminal has an echo by then.
  private static let script = """
    import base64, fcntl, os, select, signal, struct, sys, termios
    # The program's end stays open here too: so it can be asked how the program left it.
    terminal, program = os.openpty()
    def size(width, height):
        fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    def report(kind, *words):
        print(kind, *words, flush=True)
    def has_echo():
        return int(termios.tcgetattr(program)[3] & termios.ECHO != 0)
    def copy():
        report("output", base64.b64encode(os.read(terminal, 65536)).decode())
    size(int(sys.argv[1]), int(sys.argv[2]))
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(program, termios.TIOCSCTTY, 0)
        for number in range(3): os.dup2(program, number)
        os.execv(sys.argv[3], sys.argv[3:])
    rest = b""
    while True:
        ready = select.select([terminal, 0, wake], [], [])[0]
        if terminal in ready: copy()
        if 0 in ready:
            data = os.read(0, 65536)
            if not data: sys.exit(1)
            *lines, rest = (rest + data).split(b"\\n")
            for word, *more in (line.split() for line in lines):
                if word == b"type": os.write(terminal, base64.b64decode(more[0] if more else b""))
                if word == b"size": size(int(more[0]), int(more[1]))
                if word == b"kill": os.kill(child, int(more[0]))
                if word == b"stop": termios.tcflow(program, termios.TCOOFF)
                if word == b"echo": report("echo", has_echo())
        if wake in ready:
            os.read(wake, 512)
            changed, status = os.waitpid(child, os.WUNTRACED | os.WNOHANG)
            if changed == 0: continue
            while select.select([terminal], [], [], 0)[0]: copy()
            if os.WIFSTOPPED(status): report("stopped", has_echo())
            else: sys.exit(report("ended", has_echo(), os.waitstatus_to_exitcode(status)))
    """
}
