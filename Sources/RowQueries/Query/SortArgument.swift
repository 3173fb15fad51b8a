import FetchedResults
import SQLiteStorage

/// A sort term of the command line: `NAME[:asc|desc][:nocase|:rtrim][:nullsfirst|:nullslast]`.
struct SortArgument {
  static let suffixes = ["asc", "desc", "nocase", "rtrim", "nullsfirst", "nullslast"]

  /// The text before the suffixes: a column, or the expression that makes the sections.
  private(set) var name: String
  private(set) var direction = SortTerm<Row>.Direction.ascending
  private(set) var collation: Collation?
  private(set) var nulls: SortTerm<Row>.Nulls?

  /// Removes suffixes from the end of `text` until the rest is a name: a name may contain colons.
  ///
  /// - Parameter resolve: returns the name for a text; nil if it is not a name.
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

  /// What follows the name in ORDER BY.
  var orderSuffix: String {
    let collate = collation.map { " COLLATE \($0.name)" } ?? ""
    let order = direction == .descending ? " DESC" : ""
    let place =
      switch nulls {
      case .first: " NULLS FIRST"
      case .last: " NULLS LAST"
      case nil: ""
      }
    return collate + order + place
  }

  /// The text before the last colon and after it.
  static func splitLast(of text: String) -> (rest: String, suffix: String?) {
    guard let colon = text.lastIndex(of: ":") else { return (text, nil) }
    return (String(text[..<colon]), text[text.index(after: colon)...].trimmed)
  }
}
