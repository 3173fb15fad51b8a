import RowQueries
import SQLiteStorage

extension OutputBuffer {
  /// The length above which a text is cut, in UTF-16 units.
  static let longestText = 2_000
  /// The number of characters that a cut text begins with.
  static let startOfText = 500

  /// Appends a value as a window has it: a long text is cut, and a blob is its size and type.
  func append(shown value: Value) throws(OutputError) {
    switch value {
    case .blob(let bytes):
      append("{\"blob\":")
      append(Int64(bytes.count))
      append(",\"type\":")
      append(json: ImageType(bytes)?.rawValue)
      append("}")
    case .text(let text) where text.utf8.count > Self.longestText:
      let length = text.utf16.count
      guard length > Self.longestText else { return append(json: text) }
      append("{\"text\":")
      append(json: String(text.prefix(Self.startOfText)))
      append(",\"length\":")
      append(Int64(length))
      append("}")
    default:
      try append(json: value)
    }
  }

  /// Appends the name of a member, which needs no escape, and its value.
  func append(_ name: StaticString, _ number: Int) {
    append(name)
    append(Int64(number))
  }
}
