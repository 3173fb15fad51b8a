import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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

  /// Starts the tool.
  static func start(
    _ arguments: [String], in folder: TestFolder, stdin: String = "",
    environment: [String: String] = [:]
  ) throws -> ToolRun {
    try ToolRun(
      try #require(path), arguments, in: folder, stdin: stdin, environment: environment)
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
  private let process = Process()
  private let ends: AsyncStream<Void>
  private let stdout: URL
  private let stderr: URL

  init(
    _ executable: String, _ arguments: [String], in folder: TestFolder, stdin: String,
    environment: [String: String]
  ) throws {
    // Files, since a pipe that nobody reads holds only so much.
    let names = URL(filePath: folder.scratch).appending(path: UUID().uuidString)
    stdout = names.appendingPathExtension("stdout")
    stderr = names.appendingPathExtension("stderr")
    let input = names.appendingPathExtension("stdin")
    for (file, text) in [(stdout, ""), (stderr, ""), (input, stdin)] {
      try Data(text.utf8).write(to: file)
    }
    process.executableURL = URL(filePath: executable)
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder.path)
    let inherited = ProcessInfo.processInfo.environment.filter {
      ["PATH", "HOME", "LD_LIBRARY_PATH"].contains($0.key)
    }
    process.environment = inherited.merging(environment) { $1 }.merging(
      ["TMPDIR": folder.temporaryFolder, "SWIFT_BACKTRACE": "enable=no"]) { old, _ in old }
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: stdout)
    process.standardError = try FileHandle(forWritingTo: stderr)
    let (ends, end) = AsyncStream<Void>.makeStream()
    self.ends = ends
    process.terminationHandler = { _ in end.finish() }
    // A shell that starts the tests in the background has them ignore it, and what they start.
    signal(SIGINT, SIG_DFL)
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for the end.
  func end() async throws -> Tool.Result {
    for await _ in ends {}
    return Tool.Result(
      status: process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0),
      stdout: String(decoding: try Data(contentsOf: stdout), as: UTF8.self),
      stderr: String(decoding: try Data(contentsOf: stderr), as: UTF8.self))
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
