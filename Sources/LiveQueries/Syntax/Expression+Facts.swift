package import SQLiteStorage

// What a request asks of the SQL that it was given: a condition, a term of the order, a list of columns.

extension Expression {
  package init(parsing sql: String) throws(SelectRefusal) {
    var parser = try TreeParser(sql)
    self = try parser.expression()
    guard parser.kind == nil else { throw parser.unexpected }
  }

  /// Parses expressions with commas between them.
  package static func list(parsing sql: String) throws(SelectRefusal) -> [Expression] {
    var parser = try TreeParser(sql)
    let list = try parser.expressions()
    guard parser.kind == nil else { throw parser.unexpected }
    return list
  }

  /// Whether it reads a table: by a SELECT, or after IN.
  package var readsTable: Bool {
    contains { part in
      switch part.kind {
      case .inSelect, .inTable, .exists, .select: true
      default: false
      }
    }
  }

  /// Whether it is only a number, which `ORDER BY` would interpret as a column of the result.
  package var isNumber: Bool {
    switch kind {
    case .literal(let text): text.text.first.map { $0.isNumber || $0 == "." } ?? false
    case .prefix("+", let operand), .prefix("-", let operand): operand.isNumber
    default: false
    }
  }

  /// Whether it only compares columns and values. It reads no table, and calls no function, which may be the
  /// application's. The current time is no value.
  package var isComparisonOfColumns: Bool {
    !readsTable
      && !contains { part in
        switch part.kind {
        case .call, .like(_, _, "MATCH", _, _), .like(_, _, "REGEXP", _, _): true
        default: part.isCurrentTime
        }
      }
  }

  /// Whether it has no columns but some, and reads no table.
  ///
  /// - Parameter columns: their names in lower case.
  package func dependsOnly(on columns: Set<ExactText>) -> Bool {
    !readsTable
      && !contains { part in
        guard case .name(let name) = part.kind else { return part.isCurrentTime }
        return name.table != nil || !columns.contains(name.column.sqliteFolded)
      }
  }

  /// The column, in lower case, and the parameter of `column = :parameter`, if it is that and nothing else.
  package var equation: (column: ExactText, parameter: ExactText)? {
    guard case .binary(let left, let sign, let right) = kind, ["=", "==", "IS"].contains(sign),
      case .name(let name) = left.kind, name.table == nil, case .parameter(let text) = right.kind
    else { return nil }
    return (name.column.sqliteFolded, String(text.text.dropFirst()).exact)
  }

  private var isCurrentTime: Bool {
    guard case .literal(let text) = kind else { return false }
    return ["current_date", "current_time", "current_timestamp"].contains(text.text.sqliteFolded)
  }
}
