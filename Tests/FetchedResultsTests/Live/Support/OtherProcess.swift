import Foundation
import TestProcesses

/// Another process that writes to a file: the sqlite3 tool, or Python's module.
enum OtherProcess {
  private static let tool: String? = path(of: "sqlite3")
  private static let python: String? = path(of: "python3")

  static var isThere: Bool { tool != nil || python != nil }

  /// Runs a script on the file at `path`, and waits for its end.
  ///
  /// - Returns: the exit status; nil where neither program is there.
  static func run(_ script: String, on path: String) async throws -> Int32? {
    if let tool {
      return try await SpawnedProcess(
        tool, ["-bail", path, "PRAGMA busy_timeout = 5000; \(script)"]
      ).end()
    }
    guard let python else { return nil }
    let program = """
      import sqlite3, sys
      connection = sqlite3.connect(sys.argv[1])
      connection.executescript(sys.argv[2])
      connection.commit()
      """
    return try await SpawnedProcess(python, ["-c", program, path, script]).end()
  }

  /// Runs a program of Python, and waits for its end.
  ///
  /// - Returns: the exit status; nil where it is not there.
  static func python(_ program: String, _ arguments: String...) async throws -> Int32? {
    guard let python else { return nil }
    return try await SpawnedProcess(python, ["-c", program] + arguments).end()
  }

  private static func path(of name: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
  }
}
