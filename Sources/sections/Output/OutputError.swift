#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A write that the system refused.
struct OutputError: Error, Equatable {
  /// The `errno` of the write.
  let code: Int32

  /// Whether the reader went away, as `head` does when it has seen enough.
  ///
  /// Nobody is left to read a message about it: end quietly.
  var isBrokenPipe: Bool { code == EPIPE }
}

extension OutputError: CustomStringConvertible {
  var description: String {
    let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return "cannot write the output: \(reason)"
  }
}
