import ArgumentParser

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A mistake in the arguments that only the database can show.
struct UsageError: Error, CustomStringConvertible {
  let description: String
}

/// Ends the tool: one line on standard error, and the status that fits.
enum Failure {
  static func exit(with error: any Error) -> Never {
    // The parser's own errors, also the "errors" that print the help or the version.
    if error is CleanExit || error is ExitCode || Sections.exitCode(for: error) != .failure {
      Sections.exit(withError: error)
    }
    let status = ExitStatus(error)
    // Nobody is left to read a message when the reader of a pipe has gone, or the user wants out.
    if status != .success, status != .interrupted { report("\(error)") }
    libcExit(status.rawValue)
  }

  /// Prints one line to standard error.
  static func report(_ message: String) {
    // Names and values of an unknown file are in it: they must not reach the terminal as they are.
    let line = message.unicodeScalars.map { $0.needsVisibleEscape ? $0.visibleEscape : String($0) }
    standardError("sections: \(line.joined())\n")
  }

  /// Writes to standard error, where a failure to write cannot be told to anybody.
  static func standardError(_ text: String) {
    let output = OutputBuffer(fileDescriptor: STDERR_FILENO)
    output.append(text: text)
    try? output.flush()
  }
}

// Named apart, as `exit` inside the enumeration would find the method.
private func libcExit(_ status: Int32) -> Never { exit(status) }
