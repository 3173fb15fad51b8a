extension OutputBuffer {
  /// Appends `integer` in decimal, with all digits.
  func append(_ integer: Int64) {
    if integer < 0 { append(UInt8(ascii: "-")) }
    // The magnitude, as negating `Int64.min` overflows.
    var rest = integer.magnitude
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var first = digits.endIndex
      repeat {
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        first -= 1
        digits.initializeElement(at: first, to: UInt8(ascii: "0") + UInt8(digit))
        rest = quotient
      } while rest > 0
      append(bytes: UnsafeBufferPointer(digits)[first...])
    }
  }

  /// Appends the shortest decimal that is read as the same finite number.
  ///
  /// It always has a point or an exponent, so that no reader takes it for an integer.
  func append(_ real: Double) {
    append(text: real.description)
  }

  /// Appends `data` in base64 with padding (RFC 4648, section 4), and writes piece by piece: a blob
  /// of a gigabyte must not need 1.3 gigabytes more for its text.
  func append(base64 data: [UInt8]) throws(OutputError) {
    let chunk = 3 << 14
    for start in stride(from: 0, to: data.count, by: chunk) {
      append(base64Chunk: data[start..<min(start + chunk, data.count)])
      try flushIfNeeded()
    }
  }

  private func append(base64Chunk data: ArraySlice<UInt8>) {
    var start = data.startIndex
    while start < data.endIndex {
      let count = min(3, data.endIndex - start)
      var group: UInt32 = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < count ? UInt32(data[start + offset]) : 0)
      }
      for digit in 0..<4 {
        let index = Int(group >> (18 - 6 * UInt32(digit)) & 0x3F)
        append(digit <= count ? base64Alphabet[index] : UInt8(ascii: "="))
      }
      start += count
    }
  }
}

private let base64Alphabet = Array(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
