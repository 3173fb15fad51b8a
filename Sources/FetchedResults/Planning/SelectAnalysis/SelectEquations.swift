internal import SQLiteStorage

/// Finds the columns that the condition of a join requires to be equal.
struct SelectEquations {
  let items: [SimpleSelect.Item]
  let sql: SQLTokens

  /// The equations that a condition requires: if one of them is unknown, the condition is not met.
  func equations(in condition: Range<Int>) -> [SimpleSelect.Equation] {
    var depth = 0
    var start = condition.lowerBound
    var equations: [SimpleSelect.Equation] = []
    for index in condition {
      switch sql.tokens[index] {
      case .open: depth += 1
      case .close: depth -= 1
      default:
        guard depth == 0, let word = sql.keyword(at: index) else { continue }
        if ["or", "between", "case"].contains(word) { return [] }
        if word == "and" {
          equations += [equation(start..<index)].compactMap(\.self)
          start = index + 1
        }
      }
    }
    return equations + [equation(start..<condition.upperBound)].compactMap(\.self)
  }

  /// The equation in some tokens; nil if they are anything else.
  private func equation(_ range: Range<Int>) -> SimpleSelect.Equation? {
    if sql.tokens[range].first == .open, sql.tokens[range].last == .close {
      return equation((range.lowerBound + 1)..<(range.upperBound - 1))
    }
    guard let middle = range.first(where: { sql.tokens[$0] == .equals }) else { return nil }
    let isDouble = range.contains(middle + 1) && sql.tokens[middle + 1] == .equals
    guard let left = side(range.lowerBound..<middle),
      let right = side((middle + (isDouble ? 2 : 1))..<range.upperBound)
    else { return nil }
    return SimpleSelect.Equation(sides: [left, right])
  }

  /// The column in some tokens: a name, or a name qualified by its table.
  private func side(_ range: Range<Int>) -> SimpleSelect.Equation.Side? {
    switch range.count {
    case 1:
      guard let column = sql.identifier(at: range.lowerBound) else { return nil }
      let holders = items.indices.filter { items[$0].source.mayHave(column: column) }
      guard holders.count == 1 else { return nil }
      return SimpleSelect.Equation.Side(item: holders[0], column: column)
    case 3 where sql.tokens[range.lowerBound + 1] == .dot:
      guard let alias = sql.identifier(at: range.lowerBound)?.sqliteFolded,
        let column = sql.identifier(at: range.lowerBound + 2),
        let item = items.firstIndex(where: { $0.source.alias?.sqliteFolded == alias })
      else { return nil }
      return SimpleSelect.Equation.Side(item: item, column: column)
    default: return nil
    }
  }
}

extension SimpleSelect.Source {
  /// Whether an unqualified column can be in this source.
  fileprivate func mayHave(column: String) -> Bool {
    switch self {
    case .table(let table, _):
      let name = column.sqliteFolded
      return table.columns.contains { $0.name.sqliteFolded == name }
        || ["rowid", "_rowid_", "oid"].contains(name)
    case .select: return true
    }
  }
}

extension SQLTokens {
  /// The keyword that a token may be, in lower case; nil if it is quoted, or a column name
  /// qualified by its table.
  func keyword(at index: Int) -> String? {
    guard case .word(let word) = tokens[index], !isQuoted(index) else { return nil }
    return index > 0 && tokens[index - 1] == .dot ? nil : word
  }

  /// The identifier in a token, as it is spelled; nil if the token is not an identifier.
  func identifier(at index: Int) -> String? {
    guard tokens.indices.contains(index), case .word = tokens[index] else { return nil }
    let spelled = text(index..<(index + 1))
    guard isQuoted(index), let quote = spelled.first else { return spelled }
    let inner = spelled.dropFirst().dropLast()
    return quote == "["
      ? String(inner) : String(inner.replacing("\(quote)\(quote)", with: "\(quote)"))
  }

  /// The SQL of some tokens.
  func text(_ range: Range<Int>) -> String {
    guard let last = range.last else { return "" }
    return String(
      decoding: utf8[ranges[range.lowerBound].lowerBound..<ranges[last].upperBound], as: UTF8.self)
  }

  private func isQuoted(_ index: Int) -> Bool {
    [UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "[")]
      .contains(utf8[ranges[index].lowerBound])
  }
}

extension SQLTokens.Token {
  static let dot = SQLTokens.Token.symbol(UInt8(ascii: "."))
  fileprivate static let equals = SQLTokens.Token.symbol(UInt8(ascii: "="))
}
