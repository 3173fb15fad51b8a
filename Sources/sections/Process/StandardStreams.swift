import CLibrary
import Dispatch
import SQLiteStorage

/// Standard input, output and error.
enum StandardStreams {
  /// Opens a replacement for each of them that the caller has closed.
  ///
  /// Otherwise the next file to be opened would get its number, and be read or written in its
  /// place. Writing to a closed output is still an error, as its replacement is opened for reading
  /// only.
  static func reserve() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { continue }
      // The lowest free number is this one.
      _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Checks that enough files can be opened: for Dispatch, which traps if it cannot open one, and
  /// for the connections of a watch.
  static func checkLimit() throws {
    guard !Descriptors.areFree(20) else { return }
    throw ToolError(
      "too many files are open, or too few are allowed (ulimit -n). Raise the limit to 32 or more",
      .inputOutput)
  }
}

// MARK: - The reader of standard output

extension StandardStreams {
  /// Returns when the reader closes the pipe, or when the task is cancelled. Without changes
  /// nothing is written, so no write would fail.
  ///
  /// The thread that waits ends with the tool.
  static func waitUntilReaderIsGone() async {
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
