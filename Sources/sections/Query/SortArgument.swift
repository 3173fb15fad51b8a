import FetchedResults
import SQLiteStorage

/// A term of an order as the command line has it:
/// `NAME[:asc|desc][:nocase|:rtrim][:nullsfirst|:nullslast]`.
struct SortArgument {
  static let suffixes = ["asc", "desc", "nocase", "rtrim", "nullsfirst", "nullslast"]

  /// What stands before the suffixes: a column, or what makes the sections.
  private(set) var name: String
  private(set) var direction = SortTerm<Row>.Direction.ascending
  private(set) var collation: Collation?
  private(set) var nulls: SortTerm<Row>.Nulls?

  /// Takes suffixes off the end of `text` until the rest is a name: a name may have colons itself.
  ///
  /// - Parameter resolve: the name that a text stands for; nil where it stands for none.
  init?(_ text: String, resolve: (String) -> String?) {
    name = text
    while true {
      if let resolved = resolve(name) {
        name = resolved
        return
      }
      let (rest, suffix) = SortArgument.splitLast(of: name)
      switch suffix?.lowercased() {
      case "asc": direction = .ascending
      case "desc": direction = .descending
      case "nocase": collation = .nocase
      case "rtrim": collation = .rtrim
      case "nullsfirst": nulls = .first
      case "nullslast": nulls = .last
      default: return nil
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
