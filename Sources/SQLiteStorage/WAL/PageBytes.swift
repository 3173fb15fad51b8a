/// The bytes of a page. They are not trusted: each read is checked.
///
/// All numbers are big-endian. Source: [Database File
/// Format](https://www.sqlite.org/fileformat2.html).
struct PageBytes {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func byte(at offset: Int) throws(PageDiffError) -> UInt8 {
    guard offset >= 0, offset < bytes.count else { throw .malformed }
    return bytes[offset]
  }

  func uint16(at offset: Int) throws(PageDiffError) -> Int {
    guard offset >= 0, offset < bytes.count - 1 else { throw .malformed }
    return Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
  }

  func uint32(at offset: Int) throws(PageDiffError) -> UInt32 {
    guard offset >= 0, offset < bytes.count - 3 else { throw .malformed }
    return (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[offset + $1]) }
  }

  /// Reads a varint of one to nine bytes and moves `offset` behind it. Each byte adds its lower
  /// seven bits, from the highest on, while its eighth bit is set. A ninth byte adds all eight
  /// bits.
  func varint(at offset: inout Int) throws(PageDiffError) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<8 {
      let byte = try byte(at: offset)
      offset += 1
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return value }
    }
    let last = try byte(at: offset)
    offset += 1
    return value << 8 | UInt64(last)
  }

  /// The range of `count` bytes, which must all exist.
  func range(at offset: Int, count: Int) throws(PageDiffError) -> Range<Int> {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
      throw .malformed
    }
    return offset..<offset + count
  }
}
