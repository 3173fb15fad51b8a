import Foundation

/// This program, run once more.
enum ChildProcess {
  /// Runs it with `arguments` and reads what it replies; its standard error is this one's.
  static func run<Reply: Decodable>(_ arguments: [String], as type: Reply.Type) throws -> Reply {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let reply = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchError("\(arguments.joined(separator: " ")) failed")
    }
    return try JSONDecoder().decode(Reply.self, from: reply)
  }

  /// Runs it beside this process, which continues meanwhile.
  static func runBeside<Reply: Decodable & Sendable>(
    _ arguments: [String], as type: Reply.Type
  ) async throws -> Reply {
    try await withCheckedThrowingContinuation { continuation in
      // A thread of its own: it waits, and the few that Swift's tasks share must not.
      Thread.detachNewThread {
        continuation.resume(with: Result { try run(arguments, as: type) })
      }
    }
  }

  /// Answers the process that started this one.
  static func reply(_ value: some Encodable) throws {
    FileHandle.standardOutput.write(try JSONEncoder().encode(value))
  }
}
