import Foundation
import TestProcesses
import Testing

/// A run of `sections watch`, or of another command that follows a file, whose lines are read as they come.
final class WatchRun {
  private let process: SpawnedProcess
  private let errors: String
  private var lines: OutputLines

  init(_ arguments: [String], command: String = "watch", in folder: TestFolder) throws {
    let output = try OutputPipe()
    errors = folder.scratch + "/" + UUID().uuidString
    lines = output.lines
    process = try SpawnedProcess(
      try #require(Tool.path), [command] + arguments, environment: Tool.environment(in: folder),
      in: folder.path, output: .pipe(output), errors: .file(errors))
  }

  /// The next event, nil at the end.
  func next() async -> String? { await lines.next() }

  /// Sends a signal.
  func send(_ signal: Int32) { process.send(signal) }

  /// Stops the process, and returns when it has stopped.
  func stop() { process.stop() }

  /// Waits for the end.
  func end() async throws -> (status: Int32, stderr: String) {
    let status = await process.end()
    return (status, try String(contentsOfFile: errors, encoding: .utf8))
  }
}

extension TestFolder {
  /// Another program runs SQL in the database `a.db`.
  func execute(_ sql: String) async throws {
    try await OtherProcess.execute(sql, in: "a.db", self)
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
    let process = try SpawnedProcess(
      try #require(python), ["-c", script] + arguments, in: folder.path, output: .inherited,
      errors: .nowhere)
    return await process.end()
  }
}
