internal import SQLiteStorage
internal import TableData

/// The identity of a row, as the index holds it: a bare integer where that is enough, since the
/// index holds one for every row.
protocol RowKey: CountedElement, Hashable {
  /// Reads the identity from `columns` of a row.
  ///
  /// - Returns: nil where the row has no such identity: a `NULL`, or not an integer.
  init?(_ row: borrowing RowView, columns: Range<Int>)

  /// Gives the identity to the parameters of a statement, beginning with number `first`.
  func bind(to statement: Statement, from first: Int) throws

  /// The identity as the public API shows it.
  var identity: RowIdentity { get }

  /// The key that has this identity; nil where none of this kind can.
  init?(_ identity: RowIdentity)

  /// A number whose upper bits are the same for equal keys and seldom for others.
  var scattered: UInt64 { get }
}

extension Int64: RowKey {
  init?(_ row: borrowing RowView, columns: Range<Int>) {
    guard let integer = row.integer(at: columns.lowerBound) else { return nil }
    self = integer
  }

  func bind(to statement: Statement, from first: Int) throws { try statement.bind(self, at: first) }

  var identity: RowIdentity { RowIdentity(.integer(self)) }

  init?(_ identity: RowIdentity) {
    let value = identity.key.withReader { reader -> Int64? in
      guard case .integer(let value)? = reader.next(), reader.next() == nil else { return nil }
      return value
    }
    guard let value else { return nil }
    self = value
  }

  // Neighbours are far from each other: the multiplier is 2⁶⁴ divided by the golden ratio.
  var scattered: UInt64 { UInt64(bitPattern: self) &* 0x9E37_79B9_7F4A_7C15 }
}

extension KeyTuple: CountedElement {
  var weight: Int { 1 }
}

extension KeyTuple: RowKey {
  init?(_ row: borrowing RowView, columns: Range<Int>) {
    for column in columns where row.isNull(at: column) { return nil }
    self = KeyTuple(packing: row, columns: columns)
  }

  func bind(to statement: Statement, from first: Int) throws {
    try bind(to: statement, from: first, count: .max)
  }

  /// Gives the first values, `count` of them at most, to the parameters of a statement.
  func bind(to statement: Statement, from first: Int, count: Int) throws {
    try withReader { reader in
      var index = first
      while index - first < count, let component = reader.next() {
        switch component {
        case .null: try statement.bind(.null, at: index)
        case .integer(let value): try statement.bind(value, at: index)
        case .real(let value): try statement.bind(.real(value), at: index)
        case .text(let bytes): try statement.bindText(bytes, at: index)
        case .blob(let bytes): try statement.bindBlob(bytes, at: index)
        }
        index += 1
      }
    }
  }

  var identity: RowIdentity { RowIdentity(key: self) }

  init?(_ identity: RowIdentity) { self = identity.key }

  var scattered: UInt64 { UInt64(truncatingIfNeeded: hashValue) }
}
