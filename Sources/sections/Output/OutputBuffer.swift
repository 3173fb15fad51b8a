#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Bytes on their way to a file descriptor, written in large pieces.
///
/// Appending does not write, but for base64, which may be huge. Whoever appends calls
/// `flushIfNeeded()` at the end of a row, so that errors have one place to come from, and `flush()`
/// at the end.
///
/// Not Sendable: it belongs to the one task that prints.
final class OutputBuffer {
  /// As much as a pipe holds on Linux: a reader never waits for a second write to fill it.
  static let flushThreshold = 1 << 16

  /// What is not yet written; in memory, all there is.
  private(set) var bytes: [UInt8] = []
  private let fileDescriptor: Int32?

  /// Makes a buffer that keeps everything in memory.
  init() {
    fileDescriptor = nil
  }

  /// Makes a buffer in front of `fileDescriptor`, which stays open and stays the caller's.
  ///
  /// From then on the process ignores SIGPIPE: a reader that goes away is an `OutputError`
  /// instead of a silent death with the terminal in whatever state it was.
  init(fileDescriptor: Int32) {
    self.fileDescriptor = fileDescriptor
    bytes.reserveCapacity(Self.flushThreshold * 2)
    signal(SIGPIPE, SIG_IGN)
  }

  /// A buffer in front of standard output.
  static func standardOutput() -> OutputBuffer { OutputBuffer(fileDescriptor: STDOUT_FILENO) }

  /// `bytes` as text.
  var contents: String { String(decoding: bytes, as: UTF8.self) }
}

// MARK: - Appending

extension OutputBuffer {
  func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  func append(_ literal: StaticString) {
    literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  func append(bytes other: [UInt8]) {
    bytes.append(contentsOf: other)
  }

  func append(bytes other: UnsafeBufferPointer<UInt8>.SubSequence) {
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: other))
  }

  func append(text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  func append(scalar: Unicode.Scalar) {
    bytes.append(contentsOf: scalar.utf8)
  }

  func append(repeating byte: UInt8, count: Int) {
    for _ in 0..<max(count, 0) { bytes.append(byte) }
  }
}

// MARK: - Writing

extension OutputBuffer {
  /// Writes once enough has come together.
  func flushIfNeeded() throws(OutputError) {
    if bytes.count >= Self.flushThreshold { try flush() }
  }

  /// Writes everything; in memory, does nothing.
  ///
  /// After an error the bytes that were not written are still here.
  func flush() throws(OutputError) {
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

  private func removeFirst(_ count: Int) {
    guard count == bytes.count else {
      bytes.removeFirst(count)
      return
    }
    // One huge row must not keep its memory for the rest of the run.
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.flushThreshold * 16)
  }

  private func write(
    _ fileDescriptor: Int32, _ piece: Slice<UnsafeRawBufferPointer>
  ) -> Result<Int, OutputError> {
    let piece = UnsafeRawBufferPointer(rebasing: piece)
    while true {
      let count = systemWrite(fileDescriptor, piece.baseAddress, piece.count)
      if count >= 0 { return .success(count) }
      let code = errno
      switch code {
      case EINTR:
        continue
      case EAGAIN, EWOULDBLOCK:
        // Someone else made the shared description non-blocking, as ssh and node do to a
        // terminal's. Losing output for it would be wrong, spinning rude.
        var descriptor = pollfd(fd: fileDescriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&descriptor, 1, -1)
      default:
        return .failure(OutputError(code: code))
      }
    }
  }
}

// Named apart, as `write` inside the class would find the method.
private func systemWrite(_ fileDescriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  write(fileDescriptor, start, count)
}
