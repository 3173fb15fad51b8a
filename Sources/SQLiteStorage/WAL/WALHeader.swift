internal import Synchronization

/// The header of the WAL-index, which every commit of any connection changes: two equal headers
/// mean the same content.
///
/// The header contains a commit counter, the number of valid frames, their checksum and the salts
/// of the log.
/// - A commit adds exactly 1 to the counter and sets the number of frames.
/// - A checkpoint does not change the header.
/// - Resetting the log sets the number of frames to 0 and changes the salts. The counter stays
///   the same, as does the content.
/// - Recovering a header that a crashed process has left half-written sets the counter to 0. So the
///   counter alone does not identify a version.
///
/// Source: [The WAL-Index File
/// Format](https://www.sqlite.org/walformat.html#the_wal_index_file_format), and `walFrames`,
/// `walRestartHdr` and `walIndexRecover` in SQLite's `wal.c`.
struct WALHeader: Hashable {
  /// The header's twelve numbers, each in the byte order of the machine.
  private let fields: SIMD16<UInt32>

  /// Reads the header, which is stored twice. A writer changes the second copy first, so two equal
  /// copies are complete.
  ///
  /// - Returns: nil if the copies differ or the header is not in use.
  init?(_ memory: UnsafeRawBufferPointer) {
    let fields = WALHeader.fields(of: memory, copy: 0)
    // Prevents the processor from reading the second copy before the first.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    guard fields == WALHeader.fields(of: memory, copy: 1) else { return nil }
    self.fields = fields
    guard isValid else { return nil }
  }

  private static func fields(of memory: UnsafeRawBufferPointer, copy: Int) -> SIMD16<UInt32> {
    var fields = SIMD16<UInt32>()
    for index in 0..<fieldCount {
      let offset = copy * size + index * MemoryLayout<UInt32>.size
      fields[index] = memory.load(fromByteOffset: offset, as: UInt32.self)
    }
    return fields
  }

  private static var fieldCount: Int { 12 }
  /// The number of bytes of one copy.
  static var size: Int { fieldCount * MemoryLayout<UInt32>.size }
}

extension WALHeader {
  /// The number of valid frames in the log: `mxFrame`.
  var frameCount: Int { Int(fields[4]) }

  /// The number of commits since the header was made: `iChange`.
  private var commitCount: UInt32 { fields[2] }

  /// The number of commits since `earlier`, if no header was recovered in between.
  func commitCount(since earlier: WALHeader) -> Int { Int(commitCount &- earlier.commitCount) }

  /// The size of the database in pages: `nPage`.
  var pageCount: UInt32 { fields[5] }

  /// The number of bytes of a page: `szPage`, in which 1 means 65536.
  var pageSize: Int {
    // The two bytes after `isInit` and `bigEndCksum`, which are first in memory.
    let size = withUnsafeBytes(of: fields[3]) { $0.load(fromByteOffset: 2, as: UInt16.self) }
    return size == 1 ? 65_536 : Int(size)
  }

  /// The bytes that distinguish the frames of this log from those of an earlier one: `aSalt`.
  var salts: [UInt8] { [fields[8], fields[9]].flatMap { withUnsafeBytes(of: $0, Array.init) } }

  /// Whether the log was not reset since `earlier`.
  func isSameLog(as earlier: WALHeader) -> Bool {
    fields[8] == earlier.fields[8] && fields[9] == earlier.fields[9]
  }

  /// Compares all numbers at once: one after the other takes ten times as long.
  static func == (lhs: WALHeader, rhs: WALHeader) -> Bool {
    let differences = lhs.fields ^ rhs.fields
    let eight = differences.lowHalf | differences.highHalf
    let four = eight.lowHalf | eight.highHalf
    let two = four.lowHalf | four.highHalf
    return two.x | two.y == 0
  }

  /// Whether nothing was committed since `earlier`: the headers are equal, or the log was reset.
  func hasSameContent(as earlier: WALHeader) -> Bool {
    self == earlier
      || frameCount == 0 && commitCount == earlier.commitCount
        && pageCount == earlier.pageCount
  }

  /// Whether exactly one commit leads from `earlier` to this version, and left `frameCount` frames
  /// in the log.
  func isNext(after earlier: WALHeader, frameCount: Int) -> Bool {
    commitCount == earlier.commitCount &+ 1 && self.frameCount == frameCount
  }

  /// Whether the header is in use and its checksum is correct.
  private var isValid: Bool {
    // `isInit` is the first byte in memory.
    guard fields[3].littleEndian & 0xFF != 0 else { return false }
    var sum: (first: UInt32, second: UInt32) = (0, 0)
    for index in stride(from: 0, to: 10, by: 2) {
      sum.first = sum.first &+ fields[index] &+ sum.second
      sum.second = sum.second &+ fields[index + 1] &+ sum.first
    }
    return sum.first == fields[10] && sum.second == fields[11]
  }
}
