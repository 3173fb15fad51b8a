package import SQLiteStorage
internal import SectionedData

/// The key of a row, as the index holds it: one integer is held as a plain integer, since most keys are
/// one, and all other keys are tuples.
enum RowKey: Hashable, Sendable {
  case integer(Int64)
  /// Not one integer, so that equal keys are the same case.
  case tuple(KeyTuple)

  init(_ tuple: KeyTuple) { self = tuple.onlyInteger.map(RowKey.integer) ?? .tuple(tuple) }

  init(_ identity: RowIdentity) { self.init(identity.key) }

  /// Reads the key from `columns` of a row.
  @inline(__always)
  init(_ row: borrowing RowView, columns: Range<Int>) {
    if columns.count == 1, let integer = row.integer(at: columns.lowerBound) {
      self = .integer(integer)
    } else {
      self.init(KeyTuple(packing: row, columns: columns))
    }
  }

  var tuple: KeyTuple {
    switch self {
    case .integer(let integer): KeyTuple(rowID: integer)
    case .tuple(let tuple): tuple
    }
  }

  /// The identity that the public API shows.
  var identity: RowIdentity { RowIdentity(key: tuple) }

  /// Binds the key to the parameters of a statement, starting at number `first`.
  func bind(to statement: Statement, from first: Int) throws {
    switch self {
    case .integer(let integer): try statement.bind(integer, at: first)
    case .tuple(let tuple): try tuple.bind(to: statement, from: first)
    }
  }

  var hasNull: Bool { if case .tuple(let tuple) = self { tuple.hasNull } else { false } }

  /// Whether a text of it has one half of a surrogate pair, which SQLite does not find again in a file in UTF-16.
  var hasLoneSurrogate: Bool {
    if case .tuple(let tuple) = self { tuple.hasLoneSurrogate } else { false }
  }

  // Without the case: it follows from the value, and there is one key for each row.
  func hash(into hasher: inout Hasher) {
    switch self {
    case .integer(let integer): hasher.combine(integer)
    case .tuple(let tuple): hasher.combine(tuple)
    }
  }
}

extension RowKey {
  /// Keys in an order in which rows that are likely to share a page follow each other.
  static func ordered(_ keys: Set<RowKey>) -> [RowKey] {
    var (integers, others) = split(keys)
    integers.sort()
    return integers.map(RowKey.integer) + others
  }

  /// The keys that are integers, and the others.
  static func split(_ keys: some Collection<RowKey>) -> (integers: [Int64], others: [RowKey]) {
    var (integers, others): ([Int64], [RowKey]) = ([], [])
    integers.reserveCapacity(keys.count)
    for key in keys {
      if case .integer(let integer) = key { integers.append(integer) } else { others.append(key) }
    }
    return (integers, others)
  }

  /// For each row its position in `others`; nil if it is not there. The keys of each array must be different.
  static func positions(of rows: [RowKey], in others: [RowKey]) -> [Int?] {
    positions(ofIntegers: rows, in: others) ?? rows.positions(in: others)
  }

  /// Rowids are usually close together. Then a table of all numbers between them costs less than hashing.
  ///
  /// - Returns: nil if `others` are not integers that are close together.
  private static func positions(ofIntegers rows: [RowKey], in others: [RowKey]) -> [Int?]? {
    let integers = split(others).integers
    guard integers.count == others.count else { return nil }
    guard let least = integers.min(), let greatest = integers.max() else {
      return [Int?](repeating: nil, count: rows.count)
    }
    let (span, isTooLarge) = greatest.subtractingReportingOverflow(least)
    guard !isTooLarge, span < 8 * integers.count else { return nil }
    var positions = [Int](repeating: -1, count: Int(span) + 1)
    for (position, key) in integers.enumerated() { positions[Int(key - least)] = position }
    return rows.map { key in
      guard case .integer(let key) = key, least...greatest ~= key else { return nil }
      let position = positions[Int(key - least)]
      return position < 0 ? nil : position
    }
  }
}

extension Connection {
  func storesUTF16() throws -> Bool { try value(String.self, "PRAGMA encoding") != "UTF-8" }
}

extension KeyTuple {
  package func bind(to statement: Statement, from first: Int) throws {
    try bind(to: statement, from: first, count: .max)
  }

  /// Binds the first values, `count` of them at most, to the parameters of a statement.
  func bind(to statement: Statement, from first: Int, count: Int) throws {
    try withReader { reader in
      var index = first
      while index - first < count, let content = reader.next() {
        try statement.bind(content, at: index)
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
        guard let content = reader.next() else { return }
        for index in indices { try statement.bind(content, at: index) }
      }
    }
  }
}

extension Statement {
  /// Binds a value, byte for byte.
  func bind(_ content: ColumnContent, at index: Int) throws {
    switch content {
    case .null: try bind(Value.null, at: index)
    case .integer(let value): try bind(value, at: index)
    case .real(let value): try bind(Value.real(value), at: index)
    case .text(let bytes): try bindText(bytes, at: index)
    case .blob(let bytes): try bindBlob(bytes, at: index)
    }
  }
}

extension [RowKey] {
  /// For each key its position in `others`; nil if it is not there. Only the shorter array is hashed.
  fileprivate func positions(in others: [RowKey]) -> [Int?] {
    let shorter = count < others.count ? self : others
    var positions = [RowKey: Int](minimumCapacity: shorter.count)
    for index in shorter.indices { positions[shorter[index]] = index }
    guard count < others.count else { return map { positions[$0] } }
    var found = [Int?](repeating: nil, count: count)
    for index in others.indices {
      if let position = positions[others[index]] { found[position] = index }
    }
    return found
  }
}
