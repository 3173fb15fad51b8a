internal import CSQLite

extension Statement {
  /// The number of the highest parameter: the number of values that ``bind(_:)-([Value])`` takes.
  public var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

  /// Resets the statement and binds a value to every parameter, in order.
  ///
  /// - Throws: `DatabaseError` with code `.invalidArguments` unless there is exactly one value for
  ///   each parameter: SQLite would treat a missing value as `NULL`.
  public func bind(_ values: [Value]) throws {
    reset()
    guard values.count == parameterCount else {
      throw DatabaseError(
        .invalidArguments,
        "the statement has \(parameterCount) parameters, but \(values.count) values were given",
        sql: sql, nextStep: "Give one value for each parameter")
    }
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  /// Resets the statement and binds a value to every parameter, by name.
  ///
  /// - Parameter values: the values by parameter name, without `:`, `@` or `$`.
  /// - Throws: `DatabaseError` with code `.invalidArguments` if a parameter has no value or no name,
  ///   or a value has no parameter.
  public func bind(_ values: [String: Value]) throws {
    let values = values.byExactName
    reset()
    var unused = Set(values.keys)
    for index in 0..<parameterCount {
      guard let name = parameterName(at: index + 1) else {
        throw DatabaseError(
          .invalidArguments, "parameter \(index + 1) has no name", sql: sql,
          nextStep: "Write :name in place of ?, or give the values in order")
      }
      guard let value = values[name.exact] else {
        throw DatabaseError(
          .invalidArguments, "the parameter :\(name) has no value", sql: sql,
          nextStep: "Give a value for :\(name)")
      }
      unused.remove(name.exact)
      try bind(value, at: index + 1)
    }
    if let name = unused.min() {
      throw DatabaseError(
        .invalidArguments, "there is no parameter :\(name)", sql: sql,
        nextStep: "Leave the value out, or write :\(name) in the SQL")
    }
  }

  /// The name of a parameter without its first character; nil for `?`. The first parameter is
  /// number 1.
  package func parameterName(at index: Int) -> String? {
    sqlite3_bind_parameter_name(pointer, Int32(index)).map { String(cString: $0 + 1) }
  }

  /// Binds a value to one parameter; the first is number 1.
  package func bind(_ value: Value, at index: Int) throws {
    switch value {
    case .null: try check(sqlite3_bind_null(pointer, Int32(index)))
    case .integer(let value): try bind(value, at: index)
    case .real(let value): try check(sqlite3_bind_double(pointer, Int32(index), value))
    case .text(var text):
      try text.withUTF8 { try bindText(UnsafeRawBufferPointer($0), at: index) }
    case .blob(let bytes):
      try bytes.withUnsafeBytes { try bindBlob($0, at: index) }
    }
  }

  /// Binds an integer to one parameter.
  package func bind(_ value: Int64, at index: Int) throws {
    try check(sqlite3_bind_int64(pointer, Int32(index), value))
  }

  /// Binds text to one parameter, as bytes in UTF-8 that may contain NUL.
  package func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int) throws {
    // When SQLite converts UTF-8 for a file in UTF-16, it replaces U+FFFE and U+FFFF by U+FFFD. Text in UTF-16
    // keeps them. SQLite removes the byte order mark in front.
    if bytes.mayHaveNoncharacters, let text = String(validating: bytes, as: UTF8.self) {
      return try ([0xFEFF] + text.utf16).withUnsafeBytes {
        try bindText($0, SQLITE_UTF16, at: index)
      }
    }
    try bindText(bytes, SQLITE_UTF8, at: index)
  }

  private func bindText(
    _ bytes: UnsafeRawBufferPointer, _ encoding: Int32, at index: Int
  ) throws {
    // An empty buffer may have no address, which SQLite would treat as NULL.
    try withUnsafeBytes(of: 0) { empty in
      let start = (bytes.baseAddress ?? empty.baseAddress)?
        .assumingMemoryBound(to: CChar.self)
      try check(
        sqlite3_bind_text64(
          pointer, Int32(index), start, UInt64(bytes.count), csqlite_transient(), UInt8(encoding)))
    }
  }

  package func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int) throws {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      return try check(sqlite3_bind_zeroblob(pointer, Int32(index), 0))
    }
    try check(
      sqlite3_bind_blob64(
        pointer, Int32(index), start, UInt64(bytes.count), csqlite_transient()))
  }

  private func check(_ status: Int32) throws {
    guard status == SQLITE_OK else {
      throw DatabaseError.sqlite(status, handle: sqlite3_db_handle(pointer), sql: sql)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the text in UTF-8 has U+FFFE or U+FFFF, or bytes that look like them.
  fileprivate var mayHaveNoncharacters: Bool {
    guard let first = firstIndex(of: 0xEF) else { return false }
    return self[first...].indices.dropLast(2).contains {
      self[$0] == 0xEF && self[$0 + 1] == 0xBF && self[$0 + 2] >= 0xBE
    }
  }
}
