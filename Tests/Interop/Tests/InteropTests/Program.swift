import Foundation

/// A program that is installed on this machine.
struct Program: Sendable {
  let path: String

  /// Finds a program; nil if it is not installed.
  ///
  /// - Parameter folders: where it may be if it is in no folder of PATH.
  init?(_ name: String, orIn folders: [String] = []) {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let candidates = (path.split(separator: ":").map(String.init) + folders).map { "\($0)/\(name)" }
    guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
      return nil
    }
    self.path = path
  }

  /// Runs the program to its end.
  ///
  /// - Parameter folder: where the files for input and output are. A pipe might fill up.
  /// - Returns: what it wrote.
  /// - Throws: ``ProgramFailure`` if its exit status is not zero.
  @discardableResult
  func run(_ arguments: [String], input: String = "", in folder: String) async throws -> String {
    let files = folder + "/" + UUID().uuidString
    try Data(input.utf8).write(to: URL(filePath: files + ".in"))
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: files + ".in"))
    process.standardOutput = try Program.newFile(files + ".out")
    process.standardError = try Program.newFile(files + ".errors")
    let (ends, end) = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    for await _ in ends {}
    guard process.terminationStatus == 0 else {
      throw ProgramFailure(
        program: path, status: process.terminationStatus,
        errors: try String(contentsOfFile: files + ".errors", encoding: .utf8))
    }
    return try String(contentsOfFile: files + ".out", encoding: .utf8)
  }

  private static func newFile(_ path: String) throws -> FileHandle {
    try Data().write(to: URL(filePath: path))
    return try FileHandle(forWritingTo: URL(filePath: path))
  }
}

/// A program failed.
struct ProgramFailure: Error, CustomStringConvertible {
  let program: String
  let status: Int32
  let errors: String

  var description: String { "\(program) ended with status \(status):\n\(errors)" }
}
