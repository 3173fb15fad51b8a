/// The part of a record that is in one page.
///
/// Source: [Record Format](https://www.sqlite.org/fileformat2.html#record_format).
struct LocalRecord {
  let page: PageBytes
  let range: Range<Int>

  /// A key column in the record of a `WITHOUT ROWID` table.
  struct KeyColumn: Hashable {
    /// The position of the column in the record, from 0.
    let position: Int
    /// Whether the column stores integers as such but returns them as reals.
    let isReal: Bool
  }

  /// The values of key columns.
  ///
  /// - Returns: nil if a value is not in this part, or is invalid text: it is read with U+FFFD, so
  ///   the key is not known.
  func key(_ columns: [KeyColumn], encoding: TextEncoding) throws(PageDiffError) -> [Value]? {
    guard let last = columns.map(\.position).max(),
      let places = try places(through: last)
    else { return nil }
    var key: [Value] = []
    for column in columns {
      let place = places[column.position]
      guard place.content.upperBound <= range.upperBound,
        let value = try value(place, encoding: encoding)
      else { return nil }
      // Queries of the table return the value as a real, so it is a real in all other keys.
      if column.isReal, case .integer(let number) = value {
        key.append(.real(Double(number)))
      } else {
        key.append(value)
      }
    }
    return key
  }

  /// The type of a value, and its byte range in the whole record.
  private struct Place {
    let type: UInt64
    let content: Range<Int>
  }

  /// The values of the columns from the first to `last`; nil if the record does not contain all of
  /// them, or its header is not completely in this part.
  private func places(through last: Int) throws(PageDiffError) -> [Place]? {
    var offset = range.lowerBound
    guard !range.isEmpty else { return nil }
    let headerSize = try page.varint(at: &offset)
    guard headerSize <= UInt64(range.count) else { return nil }
    let headerEnd = range.lowerBound + Int(headerSize)
    var start = headerEnd
    var places: [Place] = []
    while places.count <= last {
      guard offset < headerEnd else { return nil }
      let type = try page.varint(at: &offset)
      guard let size = LocalRecord.size(ofType: type) else { throw .malformed }
      places.append(Place(type: type, content: start..<start + size))
      start += size
      // Values behind this part are not read. This check also prevents an overflow of the sum.
      guard start <= range.upperBound || places.count > last else { return nil }
    }
    return offset <= headerEnd ? places : nil
  }

  /// The number of bytes of a value; nil for reserved types, and if the value is longer than any
  /// record.
  private static func size(ofType type: UInt64) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 10, 11: nil
    default: type <= UInt64(UInt32.max) ? Int(type - 12) / 2 : nil
    }
  }

  private func value(_ place: Place, encoding: TextEncoding) throws(PageDiffError) -> Value? {
    let bytes = page.bytes[try page.range(at: place.content.lowerBound, count: place.content.count)]
    switch place.type {
    case 0: return .null
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 1...6:
      let isNegative = (bytes.first ?? 0) >= 0x80
      return .integer(bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
    case 7:
      let real = Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
      return real.isNaN ? .null : .real(real)
    default:
      guard !place.type.isMultiple(of: 2) else { return .blob(Array(bytes)) }
      return encoding.string(bytes).map { .text($0) }
    }
  }
}
