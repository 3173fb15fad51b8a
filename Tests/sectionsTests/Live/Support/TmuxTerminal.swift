import Foundation
import Testing

@testable import sections

/// A real terminal, as far as there is one without a screen: tmux, which draws what it is sent.
struct TmuxTerminal {
  static let isInstalled: Bool = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/tmux") }
  }()

  let folder: TestFolder

  /// Runs tmux once. It has a server of its own for each test.
  @discardableResult
  func run(_ command: String) async throws -> String {
    let result = try await Tool.shell(
      "export LC_ALL=C.UTF-8; exec tmux -f /dev/null -S ../scratch/tmux -u \(command)", in: folder)
    try #require(result.status == 0, "\(result.stderr)")
    return result.stdout
  }

  /// Opens a terminal, in which a shell runs a script, and closes it however `body` ends. `$sections`
  /// is the tool.
  static func run(
    _ script: String, in folder: TestFolder, _ body: (TmuxTerminal) async throws -> Void
  ) async throws {
    let terminal = TmuxTerminal(folder: folder)
    try await terminal.open(script)
    do {
      try await body(terminal)
    } catch {
      await terminal.close()
      throw error
    }
    await terminal.close()
  }

  private func open(_ script: String, width: Int = 80, height: Int = 24) async throws {
    let tool = try #require(Tool.path)
    try folder.write("sections='\(tool)'\n\(script)", to: "../scratch/script.sh")
    try await run("new-session -d -x \(width) -y \(height) 'exec sh ../scratch/script.sh'")
  }

  /// Waits for a screen.
  func screen(where isWanted: ([String]) -> Bool) async throws -> [String] {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(20)
    var lines: [String] = []
    while clock.now < end {
      lines = try await run("capture-pane -p").components(separatedBy: "\n").dropLast()
      // Before its first screen a terminal has none.
      if lines.count > 1, isWanted(lines) { return lines }
    }
    Issue.record("the screen did not come; there is:\n\(lines.joined(separator: "\n"))")
    throw CancellationError()
  }

  private func close() async { _ = try? await run("kill-server") }
}
