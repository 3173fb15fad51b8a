import CLibrary
import Dispatch
import RowQueries
import SQLiteStorage
import Testing

@testable import sections

@Suite struct OutputBufferTests {
  @Test(arguments: [0, 7, -7, 10, 99, 1_000_000, .min, .max] as [Int64])
  func writesIntegersExactly(_ integer: Int64) {
    let output = OutputBuffer()
    output.append(integer)
    #expect(output.contents == String(integer))
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func writesBase64AsRFC4648Does(_ text: String, _ expected: String) throws {
    let output = OutputBuffer()
    try output.append(base64: Array(text.utf8))
    #expect(output.contents == expected)
  }

  @Test func writesBase64OfSeveralChunksWithoutASeam() throws {
    let output = OutputBuffer()
    try output.append(base64: [UInt8](repeating: 0xFB, count: 200_000))
    #expect(output.contents == String(repeating: "+/v7", count: 66_666) + "+/s=")
  }

  @Test func keepsBytesBackUntilThereAreEnough() throws {
    let pipe = try Pipe()
    let output = OutputBuffer(fileDescriptor: pipe.writeEnd)
    output.append("abc")
    try output.flushIfNeeded()
    #expect(output.contents == "abc")
    try output.flush()
    #expect(output.contents.isEmpty)
    #expect(try pipe.read() == "abc")
  }

  @Test func throwsWhenTheReaderHasClosedThePipe() throws {
    let pipe = try Pipe()
    pipe.closeReadEnd()
    let output = OutputBuffer(fileDescriptor: pipe.writeEnd)
    output.append("abc")
    let error = #expect(throws: OutputError.self) { try output.flush() }
    #expect(error?.isBrokenPipe == true)
    #expect(output.contents == "abc")
  }

  @Test func throwsInTheMiddleOfAResultWhenTheReaderHasClosedThePipe() throws {
    let pipe = try Pipe()
    pipe.closeReadEnd()
    let writer = NDJSONWriter(to: OutputBuffer(fileDescriptor: pipe.writeEnd))
    try writer.begin(columns: ["n"], isSectioned: false)
    #expect(throws: OutputError(code: EPIPE)) {
      for n in 0..<10_000 { try writer.row([.integer(Int64(n))]) }
    }
  }

  #if os(Linux)
    @Test func throwsWhenTheDiskIsFull() throws {
      let full = open("/dev/full", O_WRONLY)
      try #require(full >= 0)
      defer { close(full) }
      let output = OutputBuffer(fileDescriptor: full)
      output.append("abc")
      #expect(throws: OutputError(code: ENOSPC)) { try output.flush() }
    }
  #endif

  @Test func writesAllWhenThePipeIsNonBlockingAndSlow() throws {
    let pipe = try Pipe()
    try #require(fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK) == 0)
    let size = 1 << 20
    let received = Locked("")
    let reader = DispatchGroup()
    // A thread of its own: the cooperative pool may have no second one to spare.
    DispatchQueue.global().async(group: reader) {
      let text = try? pipe.read(size)
      received.withLock { $0 = text ?? "" }
    }
    let output = OutputBuffer(fileDescriptor: pipe.writeEnd)
    output.append(repeating: UInt8(ascii: "x"), count: size)
    try output.flush()
    reader.wait()
    #expect(received.withLock { $0 } == String(repeating: "x", count: size))
  }

  @Test func saysWhatTheSystemSaid() {
    #expect(
      OutputError(code: ENOSPC).description.hasPrefix("cannot write to standard output: No space"))
  }
}

/// A pipe of the system's, closed when it is released.
private final class Pipe: Sendable {
  private let readEnd: Int32
  let writeEnd: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Closes the end and puts another file in its place, so that `deinit` closes nobody else's.
  func closeReadEnd() {
    dup2(writeEnd, readEnd)
  }

  /// Reads until there are `count` bytes, or what there is.
  func read(_ count: Int? = nil) throws -> String {
    var bytes = [UInt8](repeating: 0, count: count ?? 4096)
    var filled = 0
    repeat {
      let piece = bytes.withUnsafeMutableBytes { buffer in
        systemRead(readEnd, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      try #require(piece > 0)
      filled += piece
    } while filled < (count ?? 1)
    return String(decoding: bytes[..<filled], as: UTF8.self)
  }
}

private func systemRead(_ file: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, start, count)
}
