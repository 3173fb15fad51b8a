import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The reader of the tool's output.
enum OutputReader {
  /// Returns when the reader closes the pipe, or when the task is cancelled. Without changes
  /// nothing is written, so no write would fail.
  ///
  /// The thread that waits ends with the tool.
  static func waitUntilGone() async {
    let (departure, continuation) = AsyncStream.makeStream(of: Void.self)
    DispatchQueue(label: "sections.reader").async {
      // Without a requested event, only errors are reported.
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      // Zero after the timeout, negative after a signal.
      while poll(&descriptor, 1, patience) <= 0 {}
      continuation.finish()
    }
    for await _ in departure {}
  }

  /// The timeout of one wait, in milliseconds.
  private static var patience: Int32 {
    #if canImport(Darwin)
      // On Darwin the end of a pipe does not wake a poll without a requested event.
      500
    #else
      -1
    #endif
  }
}
