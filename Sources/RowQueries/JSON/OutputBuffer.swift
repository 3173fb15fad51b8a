import CLibrary
import Dispatch
import Synchronization

/// A buffer of bytes that are written to a file descriptor in large pieces.
///
/// Appending does not write, except for base64, which may be huge. The caller calls
/// `flushIfNeeded()` at the end of a row, so that errors are thrown in one place, and `flush()` at
/// the end.
///
/// Not Sendable: use it in the one task that prints.
package final class OutputBuffer {
  /// The size of a pipe on Linux: one write fills it for the reader.
  package static let flushThreshold = 1 << 16

  /// The bytes that are not written yet; in memory, all bytes.
  package private(set) var bytes: [UInt8] = []
  private let fileDescriptor: Int32?
  /// Whether the next member of a JSON object is its first.
  var isAtFirstMember = false

  /// Makes a buffer that keeps everything in memory.
  package init() {
    fileDescriptor = nil
  }

  /// Makes a buffer in front of `fileDescriptor`, which the caller keeps and closes.
  ///
  /// From then on the process ignores SIGPIPE: if the reader closes the pipe, that is an
  /// `OutputError`. Otherwise the signal would end the process and leave the terminal in its
  /// present state.
  package init(fileDescriptor: Int32) {
    self.fileDescriptor = fileDescriptor
    bytes.reserveCapacity(Self.flushThreshold * 2)
    signal(SIGPIPE, SIG_IGN)
  }

  package static func standardOutput() -> OutputBuffer {
    OutputBuffer(fileDescriptor: STDOUT_FILENO)
  }

  package var contents: String { String(decoding: bytes, as: UTF8.self) }
}

// MARK: - Appending

extension OutputBuffer {
  package func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  package func append(_ literal: StaticString) {
    literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  package func append(bytes other: [UInt8]) {
    bytes.append(contentsOf: other)
  }

  package func append(bytes other: UnsafeBufferPointer<UInt8>.SubSequence) {
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: other))
  }

  package func append(text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  package func append(scalar: Unicode.Scalar) {
    bytes.append(contentsOf: scalar.utf8)
  }

  package func append(repeating byte: UInt8, count: Int) {
    for _ in 0..<max(count, 0) { bytes.append(byte) }
  }
}

// MARK: - Writing

extension OutputBuffer {
  /// Writes if there are enough bytes.
  package func flushIfNeeded() throws(OutputError) {
    if bytes.count >= Self.flushThreshold { try flush() }
  }

  /// Writes everything; in memory, does nothing.
  ///
  /// After an error the bytes that were not written are kept.
  package func flush() throws(OutputError) {
    guard let fileDescriptor else { return }
    var written = 0
    defer { removeFirst(written) }
    while written < bytes.count {
      switch bytes.withUnsafeBytes({ write(fileDescriptor, $0[written...]) }) {
      case .success(let count): written += count
      case .failure(let error): throw error
      }
    }
  }

  /// Removes the bytes from the buffer, which keeps everything in memory.
  package func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// How long the present write to a file or a pipe has taken; zero if there is none. The reader of a pipe
  /// may not read.
  package static var timeInWrite: Duration {
    let start = writeStart.load(ordering: .relaxed)
    let now = DispatchTime.now().uptimeNanoseconds
    return start == 0 || start > now ? .zero : .nanoseconds(now - start)
  }

  /// When the present write began, in nanoseconds; 0 if there is none.
  private static let writeStart = Atomic<UInt64>(0)

  private func removeFirst(_ count: Int) {
    guard count == bytes.count else {
      bytes.removeFirst(count)
      return
    }
    // The memory of one huge row must not be kept for the rest of the run.
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.flushThreshold * 16)
  }

  private func write(
    _ fileDescriptor: Int32, _ piece: Slice<UnsafeRawBufferPointer>
  ) -> Result<Int, OutputError> {
    let piece = UnsafeRawBufferPointer(rebasing: piece)
    OutputBuffer.writeStart.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
    defer { OutputBuffer.writeStart.store(0, ordering: .relaxed) }
    while true {
      let count = systemWrite(fileDescriptor, piece.baseAddress, piece.count)
      if count >= 0 { return .success(count) }
      let code = errno
      switch code {
      case EINTR:
        continue
      case EAGAIN, EWOULDBLOCK:
        // Another process made the shared description non-blocking, as ssh and node do with a
        // terminal. Wait, to lose no output and not to spin.
        var descriptor = pollfd(fd: fileDescriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&descriptor, 1, -1)
      default:
        return .failure(OutputError(code: code))
      }
    }
  }
}

// With another name, as `write` inside the class would find the method.
private func systemWrite(_ fileDescriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  write(fileDescriptor, start, count)
}

/// A write that failed.
package struct OutputError: Error, Equatable {
  /// The `errno` of the write.
  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// Whether the reader has closed the pipe, as `head` does after the lines it prints.
  ///
  /// No message is needed then, because the reader is no longer interested.
  package var isBrokenPipe: Bool { code == EPIPE }
}

extension OutputError: CustomStringConvertible {
  package var description: String {
    if code == EBADF { return "standard output is closed. Redirect it to a file or a pipe" }
    let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return "cannot write to standard output: \(reason)"
  }
}
