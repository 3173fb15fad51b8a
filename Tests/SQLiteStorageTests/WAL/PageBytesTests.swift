import Testing

@testable import SQLiteStorage

@Suite struct PageBytesTests {
  @Test(
    arguments: [
      ([0x00], 0), ([0x7F], 127), ([0x81, 0x00], 128), ([0xFF, 0x7F], 16_383),
      ([0x81, 0x80, 0x00], 16_384),
      ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], UInt64.max),
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x07], 7),
    ] as [([UInt8], UInt64)])
  func aVarintHasOneToNineBytes(bytes: [UInt8], value: UInt64) throws {
    var offset = 0
    #expect(try PageBytes(bytes + [0x55]).varint(at: &offset) == value)
    #expect(offset == bytes.count)
    offset = 0
    #expect(throws: PageDiffError.malformed) {
      try PageBytes(Array(bytes.dropLast())).varint(at: &offset)
    }
  }

  @Test func whatIsNotThereIsRefused() {
    let bytes = PageBytes([1, 2, 3, 4])
    for offset in [-1, 4, Int.max, Int.min] {
      #expect(throws: PageDiffError.malformed) { try bytes.byte(at: offset) }
      #expect(throws: PageDiffError.malformed) { try bytes.uint16(at: offset) }
      #expect(throws: PageDiffError.malformed) { try bytes.uint32(at: offset) }
    }
    #expect(throws: PageDiffError.malformed) { try bytes.uint32(at: 1) }
    #expect(throws: PageDiffError.malformed) { try bytes.uint16(at: 3) }
    #expect(throws: PageDiffError.malformed) { try bytes.range(at: 2, count: 3) }
    #expect(throws: PageDiffError.malformed) { try bytes.range(at: 2, count: Int.max) }
    #expect(throws: PageDiffError.malformed) { try bytes.range(at: 2, count: -1) }
  }

  @Test func numbersAreBigEndian() throws {
    let bytes = PageBytes([1, 2, 3, 4])
    #expect(try bytes.uint16(at: 2) == 0x0304)
    #expect(try bytes.uint32(at: 0) == 0x0102_0304)
    #expect(try bytes.range(at: 4, count: 0) == 4..<4)
  }
}
