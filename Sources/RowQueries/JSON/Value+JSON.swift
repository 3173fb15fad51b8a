package import SQLiteStorage

extension Value {
  /// The number that a text is in JSON's syntax; nil for any other text. Other texts that Swift parses as
  /// numbers are more likely to be words: `007`, `+49`, `0x10`, `inf`.
  package init?(jsonNumber text: Substring) {
    guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil,
      let number = Int64(text).map(Value.integer) ?? Double(text).map(Value.real)
    else { return nil }
    self = number
  }
}
