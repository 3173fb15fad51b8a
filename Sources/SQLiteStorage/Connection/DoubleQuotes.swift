internal import CSQLite

/// Whether a name in double quotes may be a text.
///
/// For SQLite it is a text if no column has that name. In SQL that is given to a connection that is an error, or else
/// a misspelt column would go unnoticed. But the views and triggers of a file may hold such texts, and SQLite has one
/// setting for both. So the setting is off until a statement fails that may need it. From then on, SQL that is given
/// is checked: it must also be right with its names in backticks, which are never texts.
///
/// Not Sendable: it belongs to the owner of the connection.
///
/// Source: [Double-quoted string literals](https://www.sqlite.org/quirks.html#dblquote).
final class DoubleQuotes {
  private let handle: OpaquePointer
  private(set) var mayBeTexts = false

  init(_ handle: OpaquePointer) { self.handle = handle }

  /// Allows texts in double quotes, if a view or a trigger has a double quote.
  ///
  /// - Returns: whether they were not allowed before, so that what has failed may succeed now.
  func allowTexts() -> Bool {
    let condition = "type IN ('view', 'trigger') AND instr(sql, '\"')"
    guard !mayBeTexts, !schemaTexts(of: handle, where: condition).isEmpty,
      csqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 1) == SQLITE_OK
    else { return false }
    mayBeTexts = true
    return true
  }

  /// Checks a statement that SQLite has prepared again for a changed schema: a column that no longer exists would be a
  /// text.
  func check(_ statement: Statement) throws {
    guard mayBeTexts, statement.schemaEffect == .none else { return }
    let age = statement.age
    guard age != statement.checkedAge else { return }
    try check(statement.sql)
    statement.checkedAge = age
  }

  /// Checks that no text in `sql` is in double quotes.
  func check(_ sql: String) throws {
    guard let text = DoubleQuotes.withBackticks(sql) else { return }
    var statement: OpaquePointer?
    let status = sqlite3_prepare_v3(handle, text, -1, 0, &statement, nil)
    sqlite3_finalize(statement)
    guard status == SQLITE_OK else {
      throw DatabaseError.sqlite(status, handle: handle, sql: sql)
    }
  }

  /// The same SQL with backticks in place of double quotes; nil if it has none.
  static func withBackticks(_ sql: String) -> String? {
    let doubleQuote = UInt8(ascii: "\"")
    guard sql.utf8.contains(doubleQuote) else { return nil }
    let lexer = SQLLexer(sql)
    // Some pragmas take effect when they are prepared, and none reads a column.
    let first = lexer.first { $0.kind == .word }
    if let first, lexer.text(first).sqliteFolded == "pragma" { return nil }
    var result: [UInt8] = []
    var isChanged = false
    for token in lexer {
      let bytes = lexer.utf8[token.range]
      guard token.kind == .quotedName, bytes.first == doubleQuote else {
        result += bytes
        continue
      }
      isChanged = true
      let name = lexer.text(token).unquotedName
      result.append(UInt8(ascii: "`"))
      for byte in name.utf8 {
        result.append(byte)
        if byte == UInt8(ascii: "`") { result.append(byte) }
      }
      result.append(UInt8(ascii: "`"))
    }
    return isChanged ? String(decoding: result, as: UTF8.self) : nil
  }
}
