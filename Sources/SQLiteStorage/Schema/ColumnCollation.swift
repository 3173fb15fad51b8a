internal import CSQLite

extension Connection {
  /// The collation that a column of a table declares; nil if the column does not exist.
  package func collation(
    ofColumn column: String, table: String, schema: String?
  ) throws -> String? {
    var name: UnsafePointer<CChar>?
    let status = sqlite3_table_column_metadata(
      handle, schema, table, column, nil, &name, nil, nil, nil)
    // The rowid, if it is not named by a column, and a missing column have no collation.
    return status == SQLITE_OK ? name.map { String(cString: $0) } : nil
  }

  /// The collation with which SQLite compares a column of a view or a SELECT.
  ///
  /// It need not be the collation of the table column with the values: in a compound SELECT the
  /// first SELECT decides, and a scalar subquery has none. It is found with SQLite: `EXPLAIN` of a
  /// comparison of the column with a text shows the collation as an operand. Nothing is run and no
  /// row is read.
  ///
  /// - Parameters:
  ///   - position: the position of the column, from 0.
  ///   - count: the number of columns of the SELECT.
  /// - Returns: the name of the collation, even if it is not registered.
  ///
  /// Source: [EXPLAIN](https://www.sqlite.org/lang_explain.html), [Collating Sequence
  /// Examples](https://www.sqlite.org/datatype3.html#collation).
  package func collation(
    ofColumn position: Int, of count: Int, in select: String
  ) throws -> String {
    let missing = MissingCollations()
    do {
      let shown = try missing.noting(on: handle) {
        try shownCollations(ofColumns: [position], of: count, in: select)
      }
      return try collation(shownAs: shown[0])
    } catch let error as DatabaseError where error.code == .sqlite {
      guard let name = missing.latest else { throw error }
      return name
    }
  }

  /// The collations of all columns of a view or a SELECT, found as that of one column is. SQLite prepares the SELECT
  /// once for all of them, which may cost much.
  ///
  /// - Returns: the names, in the order of the columns; nil if one of them is known only if it is asked for alone, as
  ///   it is not registered, or is an error.
  package func collations(ofAllColumns count: Int, in select: String) throws -> [String]? {
    let missing = MissingCollations()
    do {
      return try missing.noting(on: handle) {
        try shownCollations(ofColumns: Array(0..<count), of: count, in: select)
      }
      .map(collation)
    } catch let error as DatabaseError
      where missing.latest != nil || error.code == .statementRefused
    {
      return nil
    }
  }

  /// The collations of some columns, as `EXPLAIN` shows them.
  private func shownCollations(
    ofColumns positions: [Int], of count: Int, in select: String
  ) throws -> [String] {
    // Without an aggregate, SQLite could make a separate comparison for each SELECT of a compound.
    let texts = positions.map { "FetchedResults: under which collation is column \($0)?" }
    let columns = (0..<count).map { "c\($0)" }.joined(separator: ", ")
    let comparisons = zip(positions, texts).map { "max(c\($0) < \($1.quotedLiteral))" }
    let question = """
      WITH "FetchedResults: rows"(\(columns)) AS (
      \(select)
      ) SELECT \(comparisons.joined(separator: ", ")) FROM "FetchedResults: rows"
      """
    let shown = ExplainedInstruction.comparisons(
      with: Set(texts.exact), in: try explainedInstructions(of: question))
    return texts.map { text in
      // Without an operand, the comparison is BINARY. The encoding follows the name: NOCASE-8.
      guard let operand = shown[text.exact]?.operand, let end = operand.lastIndex(of: "-") else {
        return "BINARY"
      }
      return String(operand[..<end])
    }
  }

  /// The collation for which `EXPLAIN` shows the first bytes of the name.
  private func collation(shownAs shown: String) throws -> String {
    guard shown.utf8.count >= ExplainedInstruction.shownLength else { return shown }
    let names = try rows("SELECT name FROM pragma_collation_list").compactMap { row -> String? in
      guard case .text(let name) = row["name"] else { return nil }
      let start = name.utf8.prefix(ExplainedInstruction.shownLength)
      return String(decoding: start, as: UTF8.self) == shown ? name : nil
    }
    guard names.count < 2 else {
      throw DatabaseError(
        .statementRefused,
        "the collations \(names.sorted().joined(separator: " and ")) cannot be told apart",
        nextStep: """
          Give them names that differ in the first \(ExplainedInstruction.shownLength) bytes
          """)
    }
    return names.first ?? shown
  }
}

/// The collations that statements need but the connection does not have. SQLite asks for each before it fails.
///
/// Not Sendable: it belongs to the owner of the connection.
private final class MissingCollations {
  /// The one that was asked for last, which made the statement fail; nil for none.
  private(set) var latest: String?

  /// Runs `body`, and notes what SQLite asks for.
  func noting<Result>(
    on handle: OpaquePointer, _ body: () throws -> Result
  ) rethrows -> Result {
    // This object lives until the callback is removed.
    let pointer = Unmanaged.passUnretained(self).toOpaque()
    _ = sqlite3_collation_needed(handle, pointer) { pointer, _, _, name in
      guard let pointer, let name else { return }
      Unmanaged<MissingCollations>.fromOpaque(pointer).takeUnretainedValue().latest =
        String(cString: name)
    }
    defer { _ = sqlite3_collation_needed(handle, nil, nil) }
    return try body()
  }
}

extension ExplainedInstruction {
  /// The first comparison with each of some texts.
  fileprivate static func comparisons(
    with texts: Set<ExactText>, in instructions: [ExplainedInstruction]
  ) -> [ExactText: ExplainedInstruction] {
    /// The text that each register has at an instruction. A constant is put there by instructions at the end, which
    /// run first, and has a register of its own.
    var registers: [Int64: ExactText] = [:]
    func note(_ instruction: ExplainedInstruction) {
      guard instruction.name == "String8", let text = instruction.operand?.exact,
        texts.contains(text)
      else { return }
      registers[instruction.registers.1] = text
    }
    instructions.reversed().forEach(note)
    var found: [ExactText: ExplainedInstruction] = [:]
    for instruction in instructions {
      note(instruction)
      guard comparisons.contains(instruction.name) else { continue }
      for register in [instruction.registers.0, instruction.registers.2] {
        guard let text = registers[register], found[text] == nil else { continue }
        found[text] = instruction
      }
    }
    return found
  }
}
