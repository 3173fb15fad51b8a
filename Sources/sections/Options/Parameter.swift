import ArgumentParser
import SQLiteStorage

/// A value for a named parameter, as `NAME=VALUE`.
struct Parameter: ExpressibleByArgument {
  let name: String
  let value: Value

  init?(argument: String) {
    guard let equals = argument.firstIndex(of: "=") else { return nil }
    let name = argument[..<equals]
    // The spellings in the SQL are accepted too: :NAME, @NAME, $NAME.
    let bare = name.first.map { ":@$".contains($0) } == true ? name.dropFirst() : name
    guard !bare.isEmpty else { return nil }
    self.name = String(bare)
    value = Parameter.value(argument[argument.index(after: equals)...])
  }

  private static func value(_ text: Substring) -> Value {
    if let number = number(text) { return number }
    if text == "NULL" { return .null }
    if text.count >= 2, text.hasPrefix("'"), text.hasSuffix("'") {
      return .text(
        text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
          .joined(separator: "'"))
    }
    return .text(String(text))
  }

  /// A number in JSON's syntax. Other texts that Swift parses as numbers are more likely to be
  /// words: `007`, `+49`, `0x10`, `inf`.
  private static func number(_ text: Substring) -> Value? {
    guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil else {
      return nil
    }
    return Int64(text).map { .integer($0) } ?? Double(text).map { .real($0) }
  }
}
