import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Whoever reads what the tool prints.
enum OutputReader {
  /// Returns when the reader of a pipe has gone, as without changes nothing is written and no write
  /// would tell; or when the task is cancelled.
  ///
  /// The thread that waits ends with the tool.
  static func waitUntilGone() async {
    let (departure, continuation) = AsyncStream.makeStream(of: Void.self)
    DispatchQueue(label: "sections.reader").async {
      // Asked for no event, it tells of errors alone.
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      // Zero after the time, and less where a signal came between.
      while poll(&descriptor, 1, patience) <= 0 {}
      continuation.finish()
    }
    for await _ in departure {}
  }

  /// How long to wait at once, in milliseconds.
  private static var patience: Int32 {
    #if canImport(Darwin)
      // A pipe wakes nobody there who asked for no event.
      500
    #else
      -1
    #endif
  }
}
