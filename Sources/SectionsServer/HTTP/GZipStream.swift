internal import CZlib

/// Compresses bytes in the format of gzip, piece by piece.
///
/// Not Sendable: one task uses it.
final class GZipStream {
  /// What zlib could not do, by its code.
  struct Failure: Error {
    let code: Int32
  }

  private let stream: UnsafeMutablePointer<z_stream>

  /// From 1 for the fastest to 9 for the shortest.
  private static let level: Int32 = 4
  /// The number of bytes that zlib gets at a time: it counts them in 32 bits, and a row may be longer.
  private static let pieceLength = 1 << 20

  init() throws {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // `deinit` runs after an error too.
    let code = czlib_begin_gzip(stream, Self.level)
    guard code == Z_OK else { throw Failure(code: code) }
  }

  deinit {
    // Its code only says that not all was written.
    _ = deflateEnd(stream)
    stream.deallocate()
  }

  /// The next compressed bytes. There may be none before the end.
  ///
  /// - Parameter ends: whether these are the last bytes.
  func compress(_ bytes: [UInt8], ends: Bool) throws -> [UInt8] {
    var output: [UInt8] = []
    try bytes.withUnsafeBufferPointer { input in
      var rest = input[...]
      repeat {
        let piece = UnsafeBufferPointer(rebasing: rest.prefix(Self.pieceLength))
        rest = rest.dropFirst(piece.count)
        try compress(piece, ends: ends && rest.isEmpty, to: &output)
      } while !rest.isEmpty
    }
    return output
  }

  private func compress(
    _ piece: UnsafeBufferPointer<UInt8>, ends: Bool, to output: inout [UInt8]
  ) throws {
    stream.pointee.next_in = UnsafeMutablePointer(mutating: piece.baseAddress)
    stream.pointee.avail_in = uInt(piece.count)
    repeat {
      output += try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = uInt(buffer.count)
        let code = deflate(stream, ends ? Z_FINISH : Z_NO_FLUSH)
        count = buffer.count - Int(stream.pointee.avail_out)
        // The last one says that there was nothing more to do.
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(code) else { throw Failure(code: code) }
      }
    } while stream.pointee.avail_out == 0
  }
}
