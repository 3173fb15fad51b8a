import RowQueries
import SQLiteStorage

extension OutputBuffer {
  /// The length above which a text is cut, in UTF-16 units.
  static let longestText = 2_000
  /// The number of characters that a cut text begins with.
  static let startOfText = 500

  /// Appends a value as a window has it: a long text is cut, a blob is its size and type, and infinity, which
  /// JSON does not have, is not NULL.
  func append(shown value: Value) throws(OutputError) {
    switch value {
    case .blob(let bytes):
      object {
        member("blob", bytes.count)
        member("type", ImageType(bytes)?.rawValue)
      }
    case .text(let text) where text.utf8.count > Self.longestText:
      let length = text.utf16.count
      guard length > Self.longestText else { return append(json: text) }
      object {
        member("text", String(text.prefix(Self.startOfText)))
        member("length", length)
      }
    case .real(let real) where real.isInfinite:
      object { member("real", real < 0 ? "-Infinity" : "Infinity") }
    default:
      try append(json: value)
    }
  }
}
