internal import CLibrary
internal import CSpawn
internal import Foundation

/// A pipe that a test writes to and a process reads.
package final class InputPipe: Sendable {
  /// Closed in the tests once the process has it.
  let childEnd: FileHandle
  private let end: FileHandle

  package init() throws { (childEnd, end) = try makePipe() }

  package func write(_ text: String) throws { try end.write(contentsOf: Data(text.utf8)) }
}

/// A pipe that a process writes to and a test reads.
package final class OutputPipe: Sendable {
  /// What is written, as it comes. It can be read once.
  package let lines: OutputLines
  /// Closed in the tests once the process has it.
  let childEnd: FileHandle

  package init() throws {
    let (end, childEnd) = try makePipe()
    self.childEnd = childEnd
    let (pieces, piece) = AsyncStream<Data>.makeStream()
    lines = OutputLines(pieces)
    // Not by the handle's own handler: that reads from a copy, which programs inherit.
    Thread.detachNewThread {
      while true {
        let data = end.availableData
        guard !data.isEmpty else { return piece.finish() }
        piece.yield(data)
      }
    }
  }
}

/// A pipe that no program inherits which is started meanwhile: it would keep open what another's end
/// is told by.
private func makePipe() throws -> (reading: FileHandle, writing: FileHandle) {
  var ends: [Int32] = [0, 0]
  #if os(Linux)
    let result = pipe2(&ends, O_CLOEXEC)
  #else
    // Programs are started with all closed that they are not given.
    let result = pipe(&ends)
  #endif
  guard result == 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EMFILE) }
  return (
    FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
    FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  )
}
