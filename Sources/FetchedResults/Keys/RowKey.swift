internal import CountedTrees
package import SQLiteStorage
internal import SectionedData

/// The key of a row, as the index holds it: a plain integer if possible, since the index holds one
/// for every row.
protocol RowKey: CountedElement, Hashable {
  /// Reads the key from `columns` of a row.
  ///
  /// - Returns: nil if an integer key is not an integer.
  init?(_ row: borrowing RowView, columns: Range<Int>)

  /// Binds the key to the parameters of a statement, starting at number `first`.
  func bind(to statement: Statement, from first: Int) throws

  /// Whether one of its values is `NULL`.
  var hasNull: Bool { get }

  /// Whether a text of it has one half of a surrogate pair, which SQLite does not find again in a file in UTF-16.
  var hasLoneSurrogate: Bool { get }

  /// The identity that the public API shows.
  var identity: RowIdentity { get }

  /// The key with this identity; nil if no key of this type has it.
  init?(_ identity: RowIdentity)

  /// A number whose upper bits are the same for equal keys and seldom for others.
  var scattered: UInt64 { get }

  /// For each row its position in `others`; nil if it is not there.
  static func positions(of rows: [Self], in others: [Self]) -> [Int?]

  /// Keys in an order in which rows that are likely to share a page follow each other.
  static func ordered(_ keys: Set<Self>) -> [Self]
}

extension Connection {
  /// Whether the file has text in UTF-16.
  func storesUTF16() throws -> Bool { try value(String.self, "PRAGMA encoding") != "UTF-8" }
}

extension Int64: RowKey {
  init?(_ row: borrowing RowView, columns: Range<Int>) {
    guard let integer = row.integer(at: columns.lowerBound) else { return nil }
    self = integer
  }

  func bind(to statement: Statement, from first: Int) throws { try statement.bind(self, at: first) }

  var hasNull: Bool { false }
  var hasLoneSurrogate: Bool { false }

  var identity: RowIdentity { RowIdentity(.integer(self)) }

  init?(_ identity: RowIdentity) {
    let value = identity.key.withReader { reader -> Int64? in
      guard case .integer(let value)? = reader.next(), reader.next() == nil else { return nil }
      return value
    }
    guard let value else { return nil }
    self = value
  }

  static func ordered(_ keys: Set<Int64>) -> [Int64] { keys.sorted() }

  // Neighbouring keys are far apart: the multiplier is 2⁶⁴ divided by the golden ratio.
  var scattered: UInt64 { UInt64(bitPattern: self) &* 0x9E37_79B9_7F4A_7C15 }

  static func positions(of rows: [Int64], in others: [Int64]) -> [Int?] {
    // Rowids are usually close together. Then a table of all numbers between them costs less than
    // hashing.
    guard let least = others.min(), let greatest = others.max() else {
      return [Int?](repeating: nil, count: rows.count)
    }
    let (span, isTooLarge) = greatest.subtractingReportingOverflow(least)
    guard !isTooLarge, span < 8 * others.count else { return rows.positions(in: others) }
    var positions = [Int](repeating: -1, count: Int(span) + 1)
    for (position, key) in others.enumerated() { positions[Int(key - least)] = position }
    return rows.map { key in
      guard least...greatest ~= key else { return nil }
      let position = positions[Int(key - least)]
      return position < 0 ? nil : position
    }
  }
}

extension KeyTuple: CountedElement {
  var weight: Int { 1 }
}

extension KeyTuple: RowKey {
  init?(_ row: borrowing RowView, columns: Range<Int>) {
    self = KeyTuple(packing: row, columns: columns)
  }

  static func positions(of rows: [KeyTuple], in others: [KeyTuple]) -> [Int?] {
    rows.positions(in: others)
  }

  static func ordered(_ keys: Set<KeyTuple>) -> [KeyTuple] { Array(keys) }

  package func bind(to statement: Statement, from first: Int) throws {
    try bind(to: statement, from: first, count: .max)
  }

  /// Binds the first values, `count` of them at most, to the parameters of a statement.
  func bind(to statement: Statement, from first: Int, count: Int) throws {
    try withReader { reader in
      var index = first
      while index - first < count, let component = reader.next() {
        try statement.bind(component, at: index)
        index += 1
      }
    }
  }

  /// Binds each value to some parameters of a statement.
  ///
  /// - Parameter indices: the numbers of the parameters, for each value.
  func bind(to statement: Statement, at indices: [[Int]]) throws {
    try withReader { reader in
      for indices in indices {
        guard let component = reader.next() else { return }
        for index in indices { try statement.bind(component, at: index) }
      }
    }
  }

  var identity: RowIdentity { RowIdentity(key: self) }

  init?(_ identity: RowIdentity) { self = identity.key }

  var scattered: UInt64 { UInt64(truncatingIfNeeded: hashValue) }
}

extension Statement {
  /// Binds a value of a tuple, byte for byte.
  fileprivate func bind(_ component: KeyTuple.Component, at index: Int) throws {
    switch component {
    case .null: try bind(Value.null, at: index)
    case .integer(let value): try bind(value, at: index)
    case .real(let value): try bind(Value.real(value), at: index)
    case .text(let bytes): try bindText(bytes, at: index)
    case .blob(let bytes): try bindBlob(bytes, at: index)
    }
  }
}

// Called with a concrete type of key, because generic code is slow where the compiler does not make
// a copy of it for the type.
extension Array where Element: Hashable {
  /// For each element its position in `others`; nil if it is not there. Only the shorter array is
  /// hashed. The elements of each array must be different.
  fileprivate func positions(in others: [Element]) -> [Int?] {
    let shorter = count < others.count ? self : others
    var positions = [Element: Int](minimumCapacity: shorter.count)
    for index in shorter.indices { positions[shorter[index]] = index }
    guard count < others.count else { return map { positions[$0] } }
    var found = [Int?](repeating: nil, count: count)
    for index in others.indices {
      if let position = positions[others[index]] { found[position] = index }
    }
    return found
  }
}
