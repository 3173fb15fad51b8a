import FetchedResults
import SQLiteStorage

/// A term of an order taken apart: `NAME[:asc|desc][:nocase|:rtrim][:nullsfirst|:nullslast]`.
struct SortSuffixes {
  static let all = ["asc", "desc", "nocase", "rtrim", "nullsfirst", "nullslast"]

  /// What stands before the suffixes.
  private(set) var name: String
  private(set) var direction = SortTerm<Row>.Direction.ascending
  private(set) var collation: Collation?
  private(set) var nulls: SortTerm<Row>.Nulls?

  /// Takes suffixes off the end of `text`, until `isName` knows the rest: a name may have colons
  /// itself.
  init(_ text: String, isName: (String) -> Bool) {
    name = text
    while !isName(name) {
      let (rest, suffix) = SortSuffixes.splitLast(of: name)
      switch suffix?.lowercased() {
      case "asc": direction = .ascending
      case "desc": direction = .descending
      case "nocase": collation = .nocase
      case "rtrim": collation = .rtrim
      case "nullsfirst": nulls = .first
      case "nullslast": nulls = .last
      default: return
      }
      name = rest
    }
  }

  /// The text before the last colon and after it.
  static func splitLast(of text: String) -> (rest: String, suffix: String?) {
    guard let colon = text.lastIndex(of: ":") else { return (text, nil) }
    return (String(text[..<colon]), text[text.index(after: colon)...].trimmed)
  }
}
