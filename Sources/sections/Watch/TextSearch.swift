import FetchedResults
import RowQueries
import SQLiteStorage

/// A text to find in the cells of rows. Letters of either case are found, unless it has capital letters.
struct SearchPattern: Equatable {
  let text: String
  private let ignoresCase: Bool
  /// The bytes of a text in ASCII, which is found byte by byte; nil for another text.
  private let bytes: [UInt8]?

  /// Returns nil for an empty text.
  init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    self.text = text
    ignoresCase = text == text.lowercased()
    bytes = text.utf8.allSatisfy { $0 < 0x80 } ? Array(text.utf8) : nil
  }

  func matches(_ other: String) -> Bool { !ranges(in: other, limit: 1).isEmpty }

  /// The parts of a text that are the pattern, without overlaps.
  func ranges(in other: String, limit: Int = .max) -> [Range<String.Index>] {
    guard let bytes else {
      // With the case folded, the text may have other indices: then each part is compared alone.
      return scan(other, limit: limit) { rest in
        let part = rest.prefix(text.count)
        guard part == text || ignoresCase && part.lowercased() == text else { return nil }
        return part.endIndex
      }
    }
    var other = other
    return other.withUTF8 { utf8 -> [Range<Int>] in
      var found: [Range<Int>] = []
      var start = 0
      while found.count < limit, start + bytes.count <= utf8.count {
        var length = 0
        while length < bytes.count, folded(utf8[start + length]) == bytes[length] { length += 1 }
        if length == bytes.count {
          found.append(start..<start + length)
          start += length
        } else {
          start += 1
        }
      }
      return found
    }.map { range in
      let start = other.utf8.index(other.startIndex, offsetBy: range.lowerBound)
      return start..<other.utf8.index(start, offsetBy: range.count)
    }
  }

  private func scan(
    _ other: String, limit: Int, end: (Substring) -> String.Index?
  ) -> [Range<String.Index>] {
    var found: [Range<String.Index>] = []
    var rest = other[...]
    while found.count < limit, !rest.isEmpty {
      if let end = end(rest) {
        found.append(rest.startIndex..<end)
        rest = rest[end...]
      } else {
        rest = rest.dropFirst()
      }
    }
    return found
  }

  private func folded(_ byte: UInt8) -> UInt8 {
    ignoresCase && UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }

  /// A line with escape sequences, with the pattern in it in reverse video.
  ///
  /// - Parameter isReversed: whether the line is in reverse video; then the pattern is not.
  func highlighted(in line: String, isReversed: Bool = false) -> String {
    let (on, off) = ("\u{1B}[7m", "\u{1B}[27m")
    // Each part after the first begins with the rest of an escape sequence, up to its m.
    let parts = line.split(separator: "\u{1B}", omittingEmptySubsequences: false)
    return parts.enumerated().map { number, part in
      let start = number == 0 ? part.startIndex : part.firstIndex(of: "m").map(part.index(after:))
      guard let start else { return String(part) }
      let text = String(part[start...])
      var (result, end) = (String(part[..<start]), text.startIndex)
      for range in ranges(in: text) {
        result += text[end..<range.lowerBound]
        result += (isReversed ? off : on) + text[range] + (isReversed ? on : off)
        end = range.upperBound
      }
      return result + text[end...]
    }.joined(separator: "\u{1B}")
  }
}

/// A search through the rows of a list, some rows at a time, so that keys are read in between. It goes
/// on at the other end of the list, and ends where it began.
struct TextSearch {
  let pattern: SearchPattern
  let isForward: Bool
  /// The number of rows of a step.
  static let stepSize = 1_000

  /// The next position, which may be that of either end.
  private var position: Int
  private var remaining: Int
  private let rowCount: Int
  /// Whether the search has gone on at the other end.
  private(set) var hasWrapped = false

  /// Begins a search.
  ///
  /// - Parameter start: the position of the first row to look at.
  init(_ pattern: SearchPattern, isForward: Bool, from start: Int, rowCount: Int) {
    self.pattern = pattern
    self.isForward = isForward
    self.rowCount = rowCount
    remaining = rowCount
    position = isForward ? start : start + 1
  }

  /// The part of the rows that were looked at, in per cent.
  var percentage: Int { rowCount > 0 ? (rowCount - remaining) * 100 / rowCount : 100 }
  var hasEnded: Bool { remaining == 0 }

  /// The positions of the rows to look at next; empty at the end.
  mutating func next() -> Range<Int> {
    guard remaining > 0 else { return 0..<0 }
    if isForward, position >= rowCount || position < 0 { (position, hasWrapped) = (0, true) }
    if !isForward, position <= 0 || position > rowCount {
      (position, hasWrapped) = (rowCount, true)
    }
    let size = min(remaining, TextSearch.stepSize)
    let range =
      isForward
      ? position..<min(position + size, rowCount) : max(position - size, 0)..<position
    remaining -= range.count
    position = isForward ? range.upperBound : range.lowerBound
    return range
  }

  /// Looks at some more rows.
  ///
  /// - Returns: the position of a row with the pattern; nil if there is none among them.
  mutating func step(_ snapshot: FetchedSnapshot<Row>) throws -> Int? {
    let range = next().clamped(to: 0..<snapshot.numberOfRows)
    guard !range.isEmpty else { return nil }
    var (position, found) = (range.lowerBound, Int?.none)
    try snapshot.forEachObject(at: range) { row in
      defer { position += 1 }
      // Forward the first row is the next one, and backward the last.
      if isForward, found != nil { return }
      let values = row.values
      if values.contains(where: { pattern.matches(DisplayCell($0).text) }) {
        found = position
      }
    }
    return found
  }
}
