import CLibrary
import Foundation
import TestProcesses
import Testing

@testable import sections

/// The executable itself, run as a user runs it.
enum Tool {
  /// What a run came to.
  struct Result {
    /// The exit status, as the shell tells it: 128 and its number for a signal.
    let status: Int32
    let stdout: String
    let stderr: String

    var lines: [String] {
      stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
    }
  }

  /// The executable lies in the build folder, as the test bundle does.
  static let path: String? = {
    let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }
    let folders = [Bundle.main.bundleURL] + bundles.map { $0.bundleURL.deletingLastPathComponent() }
    return folders.map { $0.appending(path: "sections").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Runs the tool to its end.
  ///
  /// - Parameters:
  ///   - folder: where it is run, so that databases can be named as they lie there.
  ///   - stdin: what it can read.
  ///   - environment: what is set beside the few variables that every run has.
  static func run(
    _ arguments: [String], in folder: TestFolder, stdin: String = "",
    environment: [String: String] = [:]
  ) async throws -> Result {
    try await start(arguments, in: folder, stdin: stdin, environment: environment).end()
  }

  /// What a run comes to whose arguments the parser refuses, or answers with a help.
  ///
  /// No process is started, which would take much longer, and no command of the tool is run.
  static func parse(_ arguments: [String]) -> Result {
    do {
      // A command that the parser has itself.
      let isHelp = arguments.first == "help" || arguments.last == "--help"
      if isHelp { try Sections.perform(arguments) }
      _ = try Sections.parsed(arguments)
    } catch {
      switch Sections.ending(with: error, columns: 80) {
      case .answer(let text): return Result(status: 0, stdout: text, stderr: "")
      case .failure(let status, let message):
        return Result(status: status.rawValue, stdout: "", stderr: Console.line(message))
      case .status(let status): return Result(status: status, stdout: "", stderr: "")
      }
    }
    Issue.record("\(arguments) would be run")
    return Result(status: -1, stdout: "", stderr: "")
  }

  /// Starts the tool.
  static func start(
    _ arguments: [String], in folder: TestFolder, stdin: String = "",
    environment: [String: String] = [:]
  ) throws -> ToolRun {
    try ToolRun(
      try #require(path), arguments, in: folder, stdin: stdin, environment: environment)
  }

  /// The variables of a run: those that are given, and the few that every run has.
  static func environment(
    _ variables: [String: String] = [:], in folder: TestFolder
  ) -> [String: String] {
    let inherited = ProcessInfo.processInfo.environment.filter {
      // The tool is built for the sanitizer that the tests are built for.
      ["PATH", "HOME", "LD_LIBRARY_PATH"].contains($0.key) || $0.key.hasSuffix("SAN_OPTIONS")
    }
    let own = ["TMPDIR": folder.temporaryFolder, "SWIFT_BACKTRACE": "enable=no"]
    return inherited.merging(own) { $1 }.merging(variables) { $1 }
  }

  /// Runs a shell script in which `$sections` is the tool.
  static func shell(_ script: String, in folder: TestFolder) async throws -> Result {
    let environment = ["sections": try #require(path)]
    return try await ToolRun(
      "/bin/sh", ["-c", script], in: folder, stdin: "", environment: environment
    ).end()
  }
}

/// A run of the tool that may still be going on.
final class ToolRun {
  private let process: SpawnedProcess
  private let stdout: String
  private let stderr: String

  init(
    _ executable: String, _ arguments: [String], in folder: TestFolder, stdin: String,
    environment: [String: String]
  ) throws {
    // Files, since a pipe that nobody reads holds only so much.
    let names = folder.scratch + "/" + UUID().uuidString
    (stdout, stderr) = (names + ".stdout", names + ".stderr")
    try Data(stdin.utf8).write(to: URL(filePath: names + ".stdin"))
    process = try SpawnedProcess(
      executable, arguments, environment: Tool.environment(environment, in: folder),
      in: folder.path, input: .file(names + ".stdin"), output: .file(stdout), errors: .file(stderr))
  }

  /// Sends a signal.
  func send(_ signal: Int32) { process.send(signal) }

  /// Waits for the end.
  func end() async throws -> Tool.Result {
    Tool.Result(
      status: await process.end(), stdout: try String(contentsOfFile: stdout, encoding: .utf8),
      stderr: try String(contentsOfFile: stderr, encoding: .utf8))
  }
}

extension Tool.Result {
  /// Checks that the run failed as users are promised: nothing on standard output, and one line on
  /// standard error that says what, where and the next step.
  func expectFailure(
    _ status: Int32, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(self.status == status, "\(stderr)", sourceLocation: sourceLocation)
    #expect(stdout.isEmpty, sourceLocation: sourceLocation)
    let lines = stderr.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 2 && lines.last == "", "\(stderr)", sourceLocation: sourceLocation)
    #expect(stderr.hasPrefix("sections: "), "\(stderr)", sourceLocation: sourceLocation)
    for part in parts {
      #expect(stderr.contains(part), "\(stderr)", sourceLocation: sourceLocation)
    }
  }

  /// Checks that the run succeeded, and printed this and nothing else.
  func expect(_ stdout: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(status == 0, "\(stderr)", sourceLocation: sourceLocation)
    #expect(stderr.isEmpty, sourceLocation: sourceLocation)
    #expect(self.stdout == stdout, sourceLocation: sourceLocation)
  }
}
