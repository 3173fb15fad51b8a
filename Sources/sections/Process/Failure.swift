import ArgumentParser
import SQLiteStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An error in the arguments that the parser does not find.
struct UsageError: Error, CustomStringConvertible {
  let description: String
}

/// Ends the tool, with one line on standard error and the exit status for the error.
enum Failure {
  static func exit(with error: any Error) -> Never {
    var error = error
    switch Sections.exitCode(for: error) {
    case .failure where !(error is ExitCode):
      break  // Not an error of the parser's.
    case .validationFailure:
      report(usageMessage(for: error))
      libcExit(ExitStatus.usage.rawValue)
    case .success:
      // A request for the help or the version.
      do {
        let output = OutputBuffer.standardOutput()
        output.append(text: Sections.fullMessage(for: error) + "\n")
        try output.flush()
        libcExit(ExitStatus.success.rawValue)
      } catch let outputError {
        error = outputError
      }
    default:
      Sections.exit(withError: error)  // Only a status.
    }
    let status = ExitStatus(error)
    // No message if the reader of a pipe has closed it, or the user has stopped the tool.
    switch status {
    case .success: break
    case .interrupted, .terminated, .hungUp: endLineOfInterrupt()
    default: report((error as? DatabaseError)?.commandLineDescription ?? "\(error)")
    }
    libcExit(status.rawValue)
  }

  /// Prints one line to standard error.
  static func report(_ message: String) {
    // It may contain names and values of an untrusted file, which must not reach the terminal
    // unescaped.
    standardError("sections: \(message.visiblyEscaped)\n")
  }

  /// Ends the line in which the terminal shows `^C`, so that the prompt starts on the next one.
  static func endLineOfInterrupt() {
    if isatty(STDERR_FILENO) == 1 { standardError("\n") }
  }

  /// Writes to standard error. An error of this write is ignored, as it cannot be reported.
  static func standardError(_ text: String) {
    let output = OutputBuffer(fileDescriptor: STDERR_FILENO)
    output.append(text: text)
    try? output.flush()
  }

  /// The parser's message in one line, with the command that prints the help.
  private static func usageMessage(for error: any Error) -> String {
    let lines = Sections.message(for: error).split(separator: "\n").map(\.trimmed)
    let items = lines.filter { $0.hasPrefix("- ") }.map { $0.dropFirst(2) }
    var message = lines.filter { !$0.hasPrefix("- ") }.joined(separator: " ")
    if !items.isEmpty { message += " " + items.joined(separator: ", ") }
    // The parser names the subcommand only in its full message: See 'sections query --help' for …
    let help = Sections.fullMessage(for: error).split(separator: "'")
      .last { $0.hasPrefix("sections") && $0.hasSuffix("--help") }
    if message.last.map({ ".?".contains($0) }) != true { message += "." }
    return message.prefix(1).lowercased() + message.dropFirst()
      + " See '\(help ?? "sections --help")'"
  }
}

extension DatabaseError {
  /// The description. A next step about the library's API is replaced by one for the command line.
  /// SQL is omitted if it is not the cause.
  fileprivate var commandLineDescription: String {
    let step: String? =
      switch resultCode {
      case .busy: "Another program holds a lock; try again, or wait longer with --timeout"
      case .readOnly: "Check the permissions of the file and of its folder"
      default: nextStep
      }
    let isAboutFile = [
      ResultCode.corrupt, .notADatabase, .inputOutput, .full, .busy, .readOnly, .cannotOpen,
    ].contains { $0 ~= resultCode }
    // A parameter is named in the message, and the SQL contains more than the caller's part.
    let hidesSQL = isAboutFile || code == .invalidArguments
    return DatabaseError(
      code, message, resultCode: resultCode, sql: hidesSQL ? nil : sql, nextStep: step
    ).description
  }
}

// With another name, as `exit` inside the enumeration would find the method.
private func libcExit(_ status: Int32) -> Never { exit(status) }
