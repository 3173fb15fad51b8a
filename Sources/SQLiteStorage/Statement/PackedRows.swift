/// Rows packed in memory, byte for byte as SQLite stores their values. Any row is read in place as a ``RowView``.
///
/// Memory: for each value a byte and its content, an integer in as few bytes as it needs; 4 bytes a row. Copying costs O(1),
/// and copies share the rows.
///
/// Sendable: immutable.
package struct PackedRows: Sendable {
  /// Some consecutive rows.
  fileprivate struct Block: Equatable {
    let firstRow: Int
    /// Of the digests of its rows.
    let digest: UInt64
    let bytes: ContiguousArray<UInt8>
    /// Where each row begins in `bytes`.
    let starts: ContiguousArray<UInt32>
  }

  private let columnNames: ColumnNames
  private let blocks: [Block]
  package let count: Int

  fileprivate init(_ columnNames: ColumnNames, _ blocks: [Block]) {
    (self.columnNames, self.blocks) = (columnNames, blocks)
    count = blocks.last.map { $0.firstRow + $0.starts.count } ?? 0
  }

  /// Passes the rows at some positions to `body`, in order. The positions must be in range.
  ///
  /// Complexity: O(log n), and O(columns) a row.
  package func forEach(
    at positions: Range<Int>, _ body: (borrowing RowView) throws -> Void
  ) rethrows {
    guard !positions.isEmpty else { return }
    let row = PackedRow(columnNames)
    var position = positions.lowerBound
    var block = self.block(of: position)
    while position < positions.upperBound {
      let (first, starts) = (blocks[block].firstRow, blocks[block].starts)
      while position < min(positions.upperBound, first + starts.count) {
        row.move(to: Int(starts[position - first]), in: blocks[block].bytes)
        try body(RowView(.packed(row)))
        position += 1
      }
      block += 1
    }
  }

  private func block(of position: Int) -> Int {
    var (lower, upper) = (0, blocks.count)
    while upper - lower > 1 {
      let middle = (lower + upper) / 2
      if blocks[middle].firstRow <= position { lower = middle } else { upper = middle }
    }
    return lower
  }

  /// Whether both have the same rows, byte for byte. O(n), for tests.
  package func hasSameRows(as other: PackedRows) -> Bool { blocks == other.blocks }
}

// MARK: - Building

extension PackedRows {
  /// Packs rows, one after the other.
  ///
  /// The content decides where a block ends, so that the blocks behind an inserted row are those of before.
  package struct Builder {
    private let columnNames: ColumnNames
    private var blocks: [Block] = []
    private var bytes: ContiguousArray<UInt8> = []
    private var starts: ContiguousArray<UInt32> = []
    /// Of the digests of the rows in `bytes`.
    private var digest: UInt64 = 0
    /// The number of rows in `blocks`.
    private var rowCount = 0
    /// The blocks that may be shared, and for each digest the last one with it.
    private let others: [Block]
    private let otherPositions: [UInt64: Int]
    package private(set) var byteCount = 0

    /// - Parameters:
    ///   - columnNames: the names of the columns.
    ///   - others: rows of which many are probably the same. Blocks that are equal are shared.
    package init(_ columnNames: ColumnNames, sharing others: PackedRows? = nil) {
      self.columnNames = columnNames
      self.others = others?.blocks ?? []
      otherPositions = Dictionary(
        self.others.enumerated().map { ($1.digest, $0) }, uniquingKeysWith: { $1 })
    }

    /// Appends a row.
    ///
    /// Complexity: O(bytes) amortised.
    ///
    /// - Parameters:
    ///   - row: as ``RowPacker`` packs it.
    ///   - length: the number of bytes of the columns, which are the first ones of the row.
    ///   - digest: a hash of these bytes.
    package mutating func append(_ row: [UInt8], length: Int, digest: UInt64) {
      if bytes.count + length > Builder.longestBlock, !bytes.isEmpty { endBlock() }
      starts.append(UInt32(bytes.count))
      bytes.append(contentsOf: row[..<length])
      byteCount += length + MemoryLayout<UInt32>.size
      self.digest = self.digest &* 31 &+ digest
      // One row of sixteen may be the last of a block.
      if bytes.count >= Builder.shortestBlock, digest & 15 == 0 { endBlock() }
    }

    private mutating func endBlock() {
      if let position = otherPositions[digest], others[position].bytes == bytes,
        others[position].starts == starts
      {
        let other = others[position]
        blocks.append(
          Block(firstRow: rowCount, digest: digest, bytes: other.bytes, starts: other.starts))
      } else {
        blocks.append(
          Block(firstRow: rowCount, digest: digest, bytes: bytes.trimmed, starts: starts.trimmed))
      }
      rowCount += starts.count
      digest = 0
      bytes.removeAll(keepingCapacity: true)
      starts.removeAll(keepingCapacity: true)
    }

    /// Returns the rows. No row may be appended afterwards.
    package mutating func finish() -> PackedRows {
      if !starts.isEmpty { endBlock() }
      (bytes, starts) = ([], [])
      return PackedRows(columnNames, blocks)
    }

    /// The least and the greatest number of bytes of a block, except for the last one, and one with a longer row. The
    /// memory of so large a block is returned to the system when it is released.
    private static var shortestBlock: Int { 1 << 17 }
    private static var longestBlock: Int { 1 << 18 }
  }

  /// The number of blocks, and how many of them are shared with other rows; for tests.
  func blockCounts(sharedWith other: PackedRows) -> (all: Int, shared: Int) {
    let others = Set(other.blocks.map { $0.bytes.withUnsafeBytes(\.baseAddress) })
    let shared = blocks.filter { others.contains($0.bytes.withUnsafeBytes(\.baseAddress)) }
    return (blocks.count, shared.count)
  }
}

extension ContiguousArray {
  /// The same elements in no more memory than they need.
  fileprivate var trimmed: ContiguousArray {
    var trimmed = ContiguousArray()
    trimmed.reserveCapacity(count)
    trimmed.append(contentsOf: self)
    return trimmed
  }
}

// MARK: - Reading

/// A packed row, read in place. It is moved from row to row, as a statement is.
///
/// Not Sendable: it belongs to one loop over the rows.
package final class PackedRow {
  let columnNames: ColumnNames
  private var bytes: ContiguousArray<UInt8> = []
  /// Where the value of each column begins.
  private var places: [Int] = []

  fileprivate init(_ columnNames: ColumnNames) {
    self.columnNames = columnNames
    places.reserveCapacity(columnNames.count)
  }

  /// Moves to the row that begins at a place.
  fileprivate func move(to start: Int, in bytes: ContiguousArray<UInt8>) {
    self.bytes = bytes
    places.removeAll(keepingCapacity: true)
    bytes.withUnsafeBytes { bytes in
      var place = start
      for _ in 0..<columnNames.count {
        places.append(place)
        place = PackedRow.content(in: bytes, at: place).end
      }
    }
  }

  /// Runs `body` with the value of a column, which must be in range.
  func withContent<Result>(
    at column: Int, _ body: (ColumnContent) throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBytes { bytes in
      try body(PackedRow.content(in: bytes, at: places[column]).content)
    }
  }

  private static func content(
    in bytes: UnsafeRawBufferPointer, at place: Int
  ) -> (content: ColumnContent, end: Int) {
    let (tag, count) = (
      bytes[place] & (1 << PackedTag.bitCount - 1), Int(bytes[place] >> PackedTag.bitCount)
    )
    let start = place + 1
    switch PackedTag(rawValue: tag) {
    case .null, nil: return (.null, start)
    case .integer:
      let unusedBits = UInt64(UInt64.bitWidth - 8 * count)
      let number = Int64(bitPattern: number(in: bytes, at: start, byteCount: count) << unusedBits)
      return (.integer(number >> Int64(unusedBits)), start + count)
    case .real:
      return (.real(Double(bitPattern: number(in: bytes, at: start, byteCount: 8))), start + 8)
    case .text:
      let content = self.bytes(in: bytes, at: start, count)
      return (.text(UnsafeRawBufferPointer(rebasing: bytes[content])), content.upperBound)
    case .blob:
      let content = self.bytes(in: bytes, at: start, count)
      return (.blob(UnsafeRawBufferPointer(rebasing: bytes[content])), content.upperBound)
    }
  }

  private static func bytes(
    in bytes: UnsafeRawBufferPointer, at place: Int, _ count: Int
  ) -> Range<Int> {
    guard count >= PackedTag.longLength else { return place..<(place + count) }
    let byteCount = count - PackedTag.longLength + 1
    let start = place + byteCount
    return start..<(start + Int(number(in: bytes, at: place, byteCount: byteCount)))
  }

  private static func number(
    in bytes: UnsafeRawBufferPointer, at place: Int, byteCount: Int
  ) -> UInt64 {
    var number: UInt64 = 0
    for byte in bytes[place..<(place + byteCount)].reversed() {
      number = number << 8 | UInt64(byte)
    }
    return number
  }
}
