import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A run of `sections watch` whose events are read as they come.
final class WatchRun {
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private let ends: AsyncStream<Void>
  private var lines: AsyncStream<String>.Iterator

  init(_ arguments: [String], in folder: TestFolder) throws {
    process.executableURL = URL(filePath: try #require(Tool.path))
    process.arguments = ["watch"] + arguments
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.environment = ["TMPDIR": folder.temporaryFolder, "SWIFT_BACKTRACE": "enable=no"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    let (ends, end) = AsyncStream<Void>.makeStream()
    self.ends = ends
    process.terminationHandler = { _ in end.finish() }
    let (lines, line) = AsyncStream<String>.makeStream()
    self.lines = lines.makeAsyncIterator()
    let rest = Rest()
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      guard !data.isEmpty else {
        handle.readabilityHandler = nil
        return line.finish()
      }
      for text in rest.lines(after: data) { line.yield(text) }
    }
    signal(SIGINT, SIG_DFL)
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// The part of a line that has come so far. `@unchecked Sendable`: only the handler uses it,
  /// which is called by one thread at a time.
  private final class Rest: @unchecked Sendable {
    private var data = Data()

    func lines(after more: Data) -> [String] {
      data += more
      let parts = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      data = Data(parts.last ?? Data())
      return parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// The next event, nil at the end.
  func next() async -> String? { await lines.next() }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Stops reading, as `head` does when it has seen enough.
  func closeReader() throws {
    output.fileHandleForReading.readabilityHandler = nil
    try output.fileHandleForReading.close()
  }

  /// Waits for the end.
  func end() async throws -> (status: Int32, stderr: String) {
    for await _ in ends {}
    let data = try errors.fileHandleForReading.readToEnd() ?? Data()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}

/// Another program that writes to a database, through another build of SQLite where there is one.
enum OtherProcess {
  static let python: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/python3" }.first(where: FileManager.default.isExecutableFile)
  }()

  /// Runs SQL, outside of any transaction but its own.
  static func execute(_ sql: String, in database: String, _ folder: TestFolder) async throws {
    let script = """
      import sqlite3, sys
      connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
      connection.execute("PRAGMA synchronous = OFF")
      connection.executescript(sys.argv[2])
      """
    try #require(try await run(script: script, database, sql, in: folder) == 0)
  }

  /// Runs a Python script, and waits for its end without keeping other tests from running.
  static func run(
    script: String, _ arguments: String..., in folder: TestFolder
  ) async throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: try #require(python))
    process.arguments = ["-c", script] + arguments
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let (ends, end) = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    for await _ in ends {}
    return process.terminationStatus
  }
}
