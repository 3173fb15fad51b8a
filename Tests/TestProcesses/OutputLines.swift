internal import Foundation

/// The lines that a process writes, as they come, without what ends them. A last one that nothing ends
/// is left out.
package struct OutputLines: Sendable {
  private let pieces: AsyncStream<Data>
  private var rest = Data()

  init(_ pieces: AsyncStream<Data>) { self.pieces = pieces }

  /// The next line, nil at the end.
  package mutating func next() async -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest = rest[(end + 1)...]
        return line
      }
      var iterator = pieces.makeAsyncIterator()
      guard let piece = await iterator.next() else { return nil }
      // Starts over at zero: a slice keeps all that it was cut from.
      rest = Data(rest + piece)
    }
  }
}
