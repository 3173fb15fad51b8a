import Foundation

/// Another process that writes to a file: the sqlite3 tool, or Python's module.
enum OtherProcess {
  private static let tool: URL? = tool(named: "sqlite3")
  private static let python: URL? = tool(named: "python3")

  static var isThere: Bool { tool != nil || python != nil }

  /// Runs a script on the file at `path`, and waits for its end.
  ///
  /// - Returns: the exit status.
  static func run(_ script: String, on path: String) throws -> Int32 {
    let process = Process()
    if let tool {
      process.executableURL = tool
      process.arguments = ["-bail", path, "PRAGMA busy_timeout = 5000; \(script)"]
    } else {
      process.executableURL = python
      let program = """
        import sqlite3, sys
        connection = sqlite3.connect(sys.argv[1])
        connection.executescript(sys.argv[2])
        connection.commit()
        """
      process.arguments = ["-c", program, path, script]
    }
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private static func tool(named name: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/\(name)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
