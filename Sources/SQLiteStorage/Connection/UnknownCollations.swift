internal import CSQLite

/// Stands in for the collations that the schema of a file names and the program does not have.
///
/// SQLite refuses a SELECT in `FROM` if one of its columns has an unknown collation, even if nothing is compared under
/// it. So a connection gets a collation in its place. A statement that compares texts under it fails.
///
/// Only for connections that do not write: such a comparison would put a row into the wrong place of an index.
///
/// Not Sendable: it belongs to the owner of the connection.
final class UnknownCollations {
  /// The collation under which texts were compared; nil if none was.
  private(set) var compared: String?
  private let handle: OpaquePointer

  init(on handle: OpaquePointer) { self.handle = handle }

  /// Adds the collations that are missing.
  ///
  /// - Returns: whether there were any.
  func addMissing() -> Bool {
    let definitions = schemaTexts(of: handle, where: "sql LIKE '%collate%'")
    let missing = Set(definitions.flatMap(UnknownCollations.names).exact).map(\.text).filter {
      !isKnown($0)
    }
    for name in missing { add(name) }
    return !missing.isEmpty
  }

  /// Whether SQLite does not say that it lacks a collation. It lists those that it has only heard of, too.
  ///
  /// After any other error, such as an interrupt, a stand-in would replace a collation that the program has.
  func isKnown(_ name: String) -> Bool {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let comparison = "SELECT 'a' = 'b' COLLATE \(name.quotedIdentifier)"
    return sqlite3_prepare_v2(handle, comparison, -1, &statement, nil)
      != UnknownCollations.missingCollation
  }

  /// `SQLITE_ERROR_MISSING_COLLSEQ`, which Swift does not import.
  private static var missingCollation: Int32 { SQLITE_ERROR | 1 << 8 }

  /// The names after `COLLATE` in an SQL text.
  private static func names(in sql: String) -> [String] {
    let lexer = SQLLexer(sql)
    let tokens = lexer.filter { !$0.isBlank }
    return zip(tokens, tokens.dropFirst()).compactMap { word, name in
      guard word.kind == .word, lexer.text(word).sqliteFolded == "collate" else { return nil }
      return lexer.text(name).unquotedName
    }
  }

  private func add(_ name: String) {
    let context = Context(StandIn(owner: self, name: name)).retained()
    let status = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, context,
      { pointer, lhsCount, lhs, rhsCount, rhs in
        guard let pointer else { return 0 }
        let standIn = Context<StandIn>.at(pointer)
        standIn.owner.compared = standIn.name
        let lhs = UnsafeRawBufferPointer(start: lhs, count: Int(lhsCount))
        let rhs = UnsafeRawBufferPointer(start: rhs, count: Int(rhsCount))
        // An order, so that a sort ends.
        return lhs.lexicographicallyPrecedes(rhs) ? -1 : lhs.elementsEqual(rhs) ? 0 : 1
      },
      { pointer in
        if let pointer { Context<StandIn>.release(pointer) }
      })
    // SQLite does not call the destructor if this call fails. Then it reports that there is no such collation.
    if status != SQLITE_OK { Context<StandIn>.release(context) }
  }

  /// The error of a statement that has compared texts under an unknown collation; nil if none has.
  func takeError(for sql: @autoclosure () -> String) -> DatabaseError? {
    guard let compared else { return nil }
    self.compared = nil
    return DatabaseError(
      .sqlite, "no such collation sequence: \(compared)", resultCode: .error, sql: sql())
  }

  private struct StandIn {
    unowned let owner: UnknownCollations
    let name: String
  }
}
