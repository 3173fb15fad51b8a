#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A write that failed.
struct OutputError: Error, Equatable {
  /// The `errno` of the write.
  let code: Int32

  /// Whether the reader has closed the pipe, as `head` does after the lines it prints.
  ///
  /// No message is needed then, because the reader is no longer interested.
  var isBrokenPipe: Bool { code == EPIPE }
}

extension OutputError: CustomStringConvertible {
  var description: String {
    if code == EBADF { return "standard output is closed. Redirect it to a file or a pipe" }
    let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return "cannot write to standard output: \(reason)"
  }
}
