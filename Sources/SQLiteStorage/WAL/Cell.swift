/// A cell with a row, or with the part of a long row that fits in the page.
///
/// Two cells are equal if their bytes are equal. The bytes contain the length of the row, its
/// rowid, if it has one, and the number of the first overflow page. They do not contain the number
/// of their own page. So the cell of a row that was only moved to another page is equal to the old
/// cell.
///
/// Source: the formats of cells in [B-tree
/// Pages](https://www.sqlite.org/fileformat2.html#b_tree_pages).
struct Cell {
  private let page: PageBytes
  private let parts: CellParts

  /// Reads the cell.
  ///
  /// - Parameter page: the bytes of the page that SQLite uses.
  init(in page: PageBytes, at start: Int, isTable: Bool) throws(PageDiffError) {
    self.page = page
    parts = try CellParts(in: page, at: start, isTable: isTable)
  }

  /// The rowid; 0 in the tree of an index.
  var rowID: Int64 { parts.rowID }
  /// The first overflow page; 0 if the whole record is in this page.
  var overflowPage: UInt32 { parts.overflowPage }
  /// The number of overflow pages.
  var overflowPageCount: Int { parts.overflowPageCount }
  private var record: Range<Int> { parts.record }
}

/// Where the parts of a cell are in its page.
struct CellParts {
  /// All bytes of the cell that are in the page.
  let content: Range<Int>
  /// The part of the record that is in the page.
  let record: Range<Int>
  /// The rowid; 0 in the tree of an index.
  let rowID: Int64
  /// The first overflow page; 0 if the whole record is in this page.
  let overflowPage: UInt32
  /// The number of overflow pages.
  let overflowPageCount: Int

  init(in page: PageBytes, at start: Int, isTable: Bool) throws(PageDiffError) {
    var offset = start
    let size = try page.varint(at: &offset)
    guard size <= UInt64(Int32.max) else { throw .malformed }
    rowID = isTable ? Int64(bitPattern: try page.varint(at: &offset)) : 0
    let (local, rest) = CellParts.sizes(of: Int(size), usableSize: page.count, isTable: isTable)
    record = try page.range(at: offset, count: local)
    if rest > 0 {
      overflowPage = try page.uint32(at: record.upperBound)
      // Each overflow page begins with the number of the next.
      overflowPageCount = (rest - 1) / (page.count - 4) + 1
      content = start..<record.upperBound + 4
    } else {
      overflowPage = 0
      overflowPageCount = 0
      content = start..<record.upperBound
    }
  }

  /// The number of bytes of a record that are in the page, and on overflow pages.
  ///
  /// Source: "the calculation of the amount of payload that spills", in [B-tree
  /// Pages](https://www.sqlite.org/fileformat2.html#b_tree_pages).
  private static func sizes(
    of size: Int, usableSize: Int, isTable: Bool
  ) -> (local: Int, rest: Int) {
    let most = isTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
    guard size > most else { return (size, 0) }
    let least = (usableSize - 12) * 32 / 255 - 23
    let local = least + (size - least) % (usableSize - 4)
    return local <= most ? (local, size - local) : (least, size - least)
  }
}

extension Cell: Hashable {
  static func == (lhs: Cell, rhs: Cell) -> Bool {
    lhs.page.hasSameBytes(in: lhs.parts.content, as: rhs.page, in: rhs.parts.content)
  }

  func hash(into hasher: inout Hasher) {
    page.withUnsafeBytes(in: parts.content) { hasher.combine(bytes: $0) }
  }
}

// MARK: - The record

/// Source: [Record Format](https://www.sqlite.org/fileformat2.html#record_format).
extension Cell {
  /// The values of key columns.
  ///
  /// - Returns: nil if a value is not in the page, or is invalid text: it is read with U+FFFD, so the
  ///   key is not known.
  func key(_ columns: [KeyColumn]) throws(PageDiffError) -> [Value]? {
    guard let last = columns.map(\.position).max(),
      let places = try places(through: last)
    else { return nil }
    var key: [Value] = []
    for column in columns {
      let place = places[column.position]
      guard place.content.upperBound <= record.upperBound,
        let value = try value(place)
      else { return nil }
      key.append(column.returned(value))
    }
    return key
  }

  /// The type of a value, and its byte range in the whole record.
  private typealias Place = (type: UInt64, content: Range<Int>)

  /// The values of the columns from the first to `last`; nil if the record does not contain all of
  /// them, or its header is not completely in the page.
  private func places(through last: Int) throws(PageDiffError) -> [Place]? {
    var offset = record.lowerBound
    guard !record.isEmpty else { return nil }
    let headerSize = try page.varint(at: &offset)
    guard headerSize <= UInt64(record.count) else { return nil }
    let headerEnd = record.lowerBound + Int(headerSize)
    var start = headerEnd
    var places: [Place] = []
    while places.count <= last {
      guard offset < headerEnd else { return nil }
      let type = try page.varint(at: &offset)
      guard let size = Cell.size(ofType: type) else { throw .malformed }
      places.append((type, start..<start + size))
      start += size
      // Values behind the page are not read. This check also prevents an overflow of the sum.
      guard start <= record.upperBound || places.count > last else { return nil }
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

  private func value(_ place: Place) throws(PageDiffError) -> Value? {
    let bytes = page[try page.range(at: place.content.lowerBound, count: place.content.count)]
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
      return String(validating: bytes, as: UTF8.self).map { .text($0) }
    }
  }
}

/// A column of the primary key of a `WITHOUT ROWID` table.
struct KeyColumn: Hashable {
  /// The position of the column among the values of a row, from 0.
  let position: Int
  /// Whether the column stores integers as such but returns them as reals.
  let isReal: Bool

  /// The value that a query of the table returns, and so all other keys have.
  func returned(_ stored: Value) -> Value {
    if isReal, case .integer(let number) = stored { .real(Double(number)) } else { stored }
  }

  /// The value of an old row that the preupdate hook has returned as a real, if it is an integer; nil if
  /// several integers convert to that real.
  ///
  /// SQLite converts an integer if the table's column with the number that it has *in the key* is REAL
  /// (`sqlite3_preupdate_old` in `vdbeapi.c`).
  func unconverted(_ old: Value) -> Value? {
    guard !isReal, case .real(let real) = old else { return old }
    // The greatest integers convert to 2^63, which is none.
    if (0x1p53...0x1p63).contains(real.magnitude) { return nil }
    return Int64(exactly: real).map { .integer($0) } ?? old
  }
}

extension KeyColumn {
  /// A column of a table.
  init(position: Int, declaredType: String) {
    let affinity = TableDescription.Column.affinity(ofType: declaredType)
    self.init(position: position, isReal: affinity == "REAL")
  }
}
