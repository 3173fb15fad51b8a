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
    // Without an aggregate, SQLite could make a separate comparison for each SELECT of a compound.
    let text = "FetchedResults: under which collation?"
    let columns = (0..<count).map { "c\($0)" }.joined(separator: ", ")
    let question = """
      WITH "FetchedResults: rows"(\(columns)) AS (
      \(select)
      ) SELECT max(c\(position) < \(text.quotedLiteral)) FROM "FetchedResults: rows"
      """
    let instructions: [ExplainedInstruction]
    do {
      instructions = try explainedInstructions(of: question)
    } catch let error as DatabaseError {
      guard let name = error.unregisteredCollation else { throw error }
      return name
    }
    let registers = Set(
      instructions.filter { $0.name == "String8" && $0.operand == text }.map(\.registers.1))
    let comparison = instructions.first {
      ExplainedInstruction.comparisons.contains($0.name)
        && (registers.contains($0.registers.0) || registers.contains($0.registers.2))
    }
    // Without an operand, the comparison is BINARY. The encoding follows the name: NOCASE-8.
    guard let operand = comparison?.operand, let end = operand.lastIndex(of: "-") else {
      return "BINARY"
    }
    return try collation(shownAs: String(operand[..<end]))
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

extension DatabaseError {
  /// The collation that a statement needs but the connection does not have; nil for another error.
  fileprivate var unregisteredCollation: String? {
    let start = "no such collation sequence: "
    guard code == .sqlite, message.hasPrefix(start) else { return nil }
    return String(message.dropFirst(start.count))
  }
}
