internal import SQLiteStorage

/// Refuses requests whose answer changes although the data does not: they cannot be kept true.
struct UnstableFunctions {
  private let connection: Connection
  private let unstable: Set<String>

  init(in connection: Connection, _ configuration: Database.Configuration) {
    self.connection = connection
    unstable = UnstableFunctions.always.union(
      configuration.functions.filter { !$0.isDeterministic }.map { $0.name.lowercased() })
  }

  /// Functions that never answer the same twice, or answer for the connection.
  private static let always: Set<String> = [
    "random", "randomblob", "changes", "total_changes", "last_insert_rowid",
    "current_timestamp", "current_date", "current_time", "sqlite_offset",
  ]

  /// Functions that ask the clock when they are told "now", or nothing.
  private static let ofTime: Set<String> = [
    "date", "time", "datetime", "julianday", "strftime", "unixepoch", "timediff",
  ]

  /// - Parameters:
  ///   - region: what the statement calls and reads through.
  ///   - sql: its text.
  ///   - values: the values bound to it.
  /// - Throws: `FetchError` of code `.unstableFunction`, naming the function.
  func refuse(_ region: ReadRegion, sql: [String], values: [Value]) throws {
    if let function = region.functions.intersection(unstable).min() {
      throw error(function)
    }
    guard let function = region.functions.intersection(UnstableFunctions.ofTime).min() else {
      return
    }
    // The authorizer does not show arguments, so "now" is searched for wherever it can come from.
    let texts = try sql + region.views.compactMap(definition(ofView:))
    let isNow = values.contains {
      if case .text(let text) = $0 { isNowLiteral(text) } else { false }
    }
    if isNow || texts.contains(where: { SQLTokens($0).asksClock(UnstableFunctions.ofTime) }) {
      throw error("\(function)('now')")
    }
  }

  private func definition(ofView name: String) throws -> String? {
    try connection.value(
      String?.self, "SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?",
      [.text(name)]) ?? nil
  }

  private func error(_ function: String) -> FetchError {
    FetchError(
      .unstableFunction, "the request calls \(function), which answers differently each time",
      nextStep: "Compute the value first and bind it")
  }
}

private func isNowLiteral(_ text: String) -> Bool {
  text.lowercased() == "now"
}

/// The tokens of some SQL, just as far as is needed to see how a function is called.
struct SQLTokens {
  private enum Token: Equatable {
    case word(String)
    case literal(String)
    case symbol(Character)
  }

  private var tokens: [Token] = []

  init(_ sql: String) {
    var rest = sql[...]
    while let first = rest.first {
      if rest.hasPrefix("--") {
        rest = rest.drop { !$0.isNewline }
      } else if rest.hasPrefix("/*") {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.hasPrefix("*/") { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else if first == "'" || first == "\"" || first == "`" || first == "[" {
        tokens.append(SQLTokens.quoted(&rest, by: first))
      } else if first.isLetter || first == "_" {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        tokens.append(.word(word.lowercased()))
        rest = rest.dropFirst(word.count)
      } else {
        if !first.isWhitespace { tokens.append(.symbol(first)) }
        rest = rest.dropFirst()
      }
    }
  }

  private static func quoted(_ rest: inout Substring, by quote: Character) -> Token {
    let end: Character = quote == "[" ? "]" : quote
    rest = rest.dropFirst()
    var text = ""
    while let character = rest.popFirst() {
      if character != end {
        text.append(character)
      } else if end != "]", rest.first == end {
        text.append(end)
        rest = rest.dropFirst()
      } else {
        break
      }
    }
    return quote == "'" ? .literal(text) : .word(text.lowercased())
  }

  /// Whether one of `functions` is called, and "now" or an empty list of arguments is anywhere.
  func asksClock(_ functions: Set<String>) -> Bool {
    for (index, token) in tokens.enumerated() {
      if case .literal(let text) = token, isNowLiteral(text) { return true }
      guard case .word(let word) = token, functions.contains(word) else { continue }
      if tokens[(index + 1)...].starts(with: [.symbol("("), .symbol(")")]) { return true }
    }
    return false
  }
}
